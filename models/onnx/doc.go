// Package onnx writes networks as ONNX files (onnx.ai), which other runtimes read:
// onnxruntime, a browser, a phone.
//
//	err := onnx.WriteResNet18(file, resnet18.MNISTAddition(1, 0), 28, 28, net.Params().Export())
//
// The file holds the network of evaluation mode up to its logits: batch
// normalisation by the running statistics, as nodes of their own, and no dropout.
//
//	input  "images"  float32 [N, Channels, H, W], values in [0, 1], ink 1
//	output "logits"  float32 [N, outputs]
//
// N is free. Weights keep torchvision's names. Operators are those of set 13, the
// format is version 7: onnxruntime reads it from 1.6 on.
//
// Errors name the tensor that is missing or of another shape, before anything is
// written. There is no state; the functions may be called from several goroutines.
package onnx
