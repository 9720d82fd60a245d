// Package onnx writes networks as ONNX files (onnx.ai), which other runtimes read:
// onnxruntime, a browser, a phone.
//
//	err := onnx.Write(file, "digits", net, resnet18.Define[float32](resnet18.MNISTAddition(1, 0)))
//
// The file holds the network of evaluation mode, as its definition calls the layers of
// package nn: batch normalisation by the running statistics, as nodes of their own, and no
// dropout.
//
//	input  "images"    float32 [N, Channels, H, W], of a network that begins with
//	                   Builder.Images: values in [0, 1], ink 1
//	       "features"  float32 [N, …], of any other
//	output "logits"    float32 [N, …]
//
// A network that was read from an ONNX file (package onnxnet) is written as that graph, with the
// operators and the kind of input that it has.
//
// N is free. Parameters keep their names, which are torchvision's for package resnet18. The
// operators belong to set 13, to 19 where windows of an average have gaps, or to that of a graph that was read, and the format is version 7, which onnxruntime reads from 1.6
// on.
//
// Every layer of package nn has a form but functions of the caller's own (Builder.Map, Zip,
// Function), samples (GumbelSoftmax), sparse matrices (Propagate, SparseLinear), whose rows are
// the examples of one batch, and Gather. Errors name the layer that has none before anything is
// written. A Softmax is written with the temperature that the network's State has. There is no state; networks are used as package nn says.
package onnx
