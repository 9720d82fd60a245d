// Package nn holds neural network layers on gorgonia graphs, and the parameter
// sets and runners around them: the neural half g(x; w_nn) of a deep HL-MRF.
//
// A network is a Definition, a function that calls layers on a Builder:
//
//	net, err := nn.New([]int{28, 28}, func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
//		y := b.Images("input", x, 1)                                // [28][28][N][1]
//		y = b.Conv("conv", y, nn.Conv{Out: 16, Kernel: 3, Pad: 1})  // [28][28][N][16]
//		y = b.BatchNorm("bn", y, nn.BatchNorm{ReLU: true})
//		return b.Linear("fc", b.GlobalAvgPool("pool", y), 10)       // [N][10]
//	}, rand.New(rand.NewPCG(seed, 0)))
//
// New creates the parameters. Net.Graph then makes a gorgonia graph for one
// batch size, in training or evaluation mode; a layer such as CrossEntropy, or any
// scalar gorgonia expression over its Output node, can be the loss. Compile
// differentiates it by all parameters, and each Run leaves Param.Grad next to
// Param.Value, plain slices for an optimiser. Net.Forward evaluates any number of examples. All graphs of
// a Net share the storage of parameters and running statistics, so there is
// nothing to copy between training and evaluation.
//
// # Checking a network
//
// CheckGradient compares the gradients of a whole network and loss with difference
// quotients in one call, and names the parameters that are wrong:
//
//	g, err := net.Graph(4, true)
//	_, err = g.Compile(loss)            // of g.Output
//	err = nn.CheckGradient(g, x)        // x are 4 examples
//
// Call it once for every new network, layer or loss, on a small size.
//
// Some operations of gorgonia v0.9.18 and tensor v0.9.24 compute something else than their
// name, and some pairs of operations on one input are taken for one. Compile refuses a graph
// that has them, before or behind differentiation, and names the layer of this package to
// use: Reduce for sums, means, maxima, log-sum-exp and norms along any axes, WindowAverage and
// WindowMax for pools (one-dimensional pools are maps of height 1), BatchNorm and Dropout,
// which know evaluation from training, Softmax and LogSoftmax, BinaryCrossEntropy and
// CategoricalCrossEntropy, which are finite at 0 and 1, Gather for slices with steps, and Map
// for any function of one number.
//
// A network whose output is not a number has diverged: Forward, and Run without a loss, return
// a DivergedError, so that no class is read from it.
//
// # Layout
//
// Maps are [H][W][N][C]: every pixel is a dense N×C matrix, so a convolution is
// a sum of plain matrix products over those taps that meet the map, without
// copying patches and without work on padding. Parameters are stored the way the
// kernels want them; Params.Export and Import speak PyTorch's layout and
// torchvision's names.
//
// # Determinism
//
// The same parameters, State and input give the same bits on the same machine,
// whatever GOMAXPROCS is. Initial values come from the generator given to New;
// noise (dropout, Gumbel) is a function of State.Seed, State.Step and the
// layer's name, never of earlier runs, so a run resumed from a checkpoint goes
// on as if it had not stopped.
//
// # Batches in parts
//
// A batch that is cut into parts, on several machines say, has the batch normalisation of
// each part, unless State.Sync joins them: then outputs, gradients (their mean over the
// parts, for a loss that is a mean) and running statistics are those of the whole batch,
// up to rounding.
//
// # Memory and concurrency
//
// A graph allocates its activations and gradients in its first run and next to
// nothing later. Values that nobody reads any more give their memory to later
// ones: after a run, a node's value is valid if the node is Graph.Output, the
// loss, a gradient that Compile returned, or an input of an op from outside this
// package. A Net with its graphs is for one goroutine at a time.
//
// # Errors
//
// A definition that does not fit (shapes, names, probabilities) is reported by
// New or Graph with the layer's name. Run reports wrong input sizes and what an
// op found at run time: a label out of range, a temperature below
// 3e-39 or infinite.
package nn
