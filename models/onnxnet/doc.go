// Package onnxnet makes networks of package nn from ONNX files (onnx.ai), which other
// frameworks write: to learn on, or frozen, with the file's weights as the first values.
//
//	file, err := onnxnet.Load("net.onnx")
//	net, err := nn.New([]int{3, 32, 32}, onnxnet.Define[float32](file), rng)
//	logits, err := net.Forward(images, n)        // [n][outputs]
//
// # What can be read
//
// A graph with one input that is not a weight, whose first axis is the batch, with operators of
// versions 6 to 28 (ONNX 1.23). Of several outputs the first with fractions is read. Weights
// may lie in files of their own below the folder of the model. Operators lists the operators;
// Load refuses any other with its node's name. Conv, BatchNormalization, Add and Relu in a row
// become the fused layers of package nn, so a residual network takes the time of a written one.
//
// A batch that the file fixes is taken as free: a shape in the file that holds it has another
// number there for another batch. A graph whose outputs for an example depend on the other
// examples of its batch is refused by nn.New; nn.NewWhole takes it, for one batch.
//
// Numbers are computed in the network's precision, whatever the file's; a Cast rounds as the
// kind asks. Padding by auto_pad is never below 0, as in TensorFlow; where the formula of ONNX gives
// less, for windows smaller than their stride, pools of onnxruntime fail or leave pixels out.
// File.Notes are sentences on what is read otherwise than it may look.
//
// # Parameters
//
// Floating weights with more than one element are parameters under their own names, but
// for the statistics of batch normalisation, which are buffers; so are constants that stand
// where an operator has its weights. What PyTorch's exporter calls a buffer or a constant does
// not learn. It does not tell of those that it folds, as in x - mean[:, None, None], and with
// dynamo=False of none: they learn. Weights that several nodes read stay one parameter. An
// exporter that folds batch normalisation into convolutions leaves none to learn. Export with
// optimize=False to keep both, or batch normalisation with dynamo=False in training mode.
// Training normalises by the batch and drops as the nodes say.
//
// # Writing
//
// Package onnx writes the graph that was read, with the values that the parameters have now. PyTorch's
// mark of buffers, which ONNX does not have, is not written: where such a file is read, they learn.
//
// Loading checks the file; the definition reports through nn.New what does not fit the
// shape of the examples, with the node. A File is read alone and may be used by many
// networks.
package onnxnet
