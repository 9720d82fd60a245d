// Package onnxnet makes networks of package nn from ONNX files (onnx.ai), which other
// frameworks write: to learn on, or frozen, with the file's weights as the first values.
//
//	file, err := onnxnet.Load("net.onnx")
//	net, err := nn.New([]int{3, 32, 32}, onnxnet.Define[float32](file), rng)
//	logits, err := net.Forward(images, n)        // [n][outputs]
//
// # What can be read
//
// A graph with one input that is not a weight, whose first axis is the batch, and the
// first of its outputs, [N, …]. The batch must be free in the file: torch.onnx.export
// wants dynamic_axes for it. Operators are
//
//	Gemm, MatMul, Conv (groups, strides, pads, dilations), BatchNormalization,
//	LayerNormalization, Relu, LeakyRelu, Gelu, Erf, Sigmoid, Tanh, Clip, Sqrt, Exp, Log,
//	Neg, Abs, Pow (constant exponent), Add, Sub, Mul, Div, MaxPool, AveragePool,
//	GlobalAveragePool, ReduceMean, Softmax, Concat, Split, Slice, Gather (constant
//	indices), Flatten, Reshape, Transpose, Squeeze, Unsqueeze, Pad (zeros), Shape, Cast, Dropout,
//	Identity, Constant
//
// with what they compute of shapes as the graph is built; Load refuses any other with its
// node's name. Conv, BatchNormalization, Add and Relu in a row become the fused layers of
// package nn, so a residual network takes the time of a written one.
//
// # Parameters
//
// Floating weights with more than one element are parameters under their own names, but
// for the statistics of batch normalisation, which are buffers; what a node Constant
// holds is none. An exporter that folds batch normalisation into convolutions leaves none
// to learn: export in training mode, or without constant folding, to keep it. Training
// normalises by the batch and drops as the nodes say.
//
// Loading checks the file; the definition reports through nn.New what does not fit the
// shape of the examples, with the node. A File is read alone and may be used by many
// networks.
package onnxnet
