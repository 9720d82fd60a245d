// Package kernel holds the numeric kernels that train convolutional networks on
// a CPU: matrix products, convolutions with both gradients, batch normalisation
// fused with the residual sum and the rectifier, pooling, and the optimiser's
// element-wise work. It works on plain slices and knows nothing of graphs.
//
// # Layout
//
// Feature maps are stored [H][W][N][C]: every pixel is a dense N×C matrix of
// the whole batch. A convolution at one output pixel is then a sum of plain
// matrix products over the filter taps that lie on the map,
//
//	y[o] = Σ_t x[o·stride − pad + t] · w[t],   (N×InC)·(InC×OutC)
//
// with no gather and no work spent on padding, and both gradients have the same
// form: dx[i] = Σ_t dy[…]·w[t]ᵀ and dw[t] = Σ_o x[…]ᵀ·dy[o]. The sums stay in
// registers. Weights are stored tap by tap, [K·K][InC][OutC], so that the taps
// which never meet the map (on 1×1 maps all but the centre) are ranges that a
// caller can leave out; see ConvShape.LiveTaps. OIHWToPanels and NCHWToHWNC
// convert from the usual orders.
//
// A 3×3 filter of stride one on a small map, up to 8×8 with 32 channels or a multiple, is
// computed with fewer products still: Winograd's schemes along both directions need a third to
// a half of the multiplications. They are used if the batch is large enough to pay for
// transforming the weights. They suit this layout, in which pixels and taps are dense
// matrices: the schemes add up whole blocks of memory, and the products stay products of
// matrices.
//
// # Use
//
// Conv holds the plan of one convolution; everything else is a function. Scratch memory is
// kept for later calls and shared by all convolutions that do not run at once.
// Outputs are overwritten unless the comment says otherwise. The element type
// is float32 or float64. float32 runs on the fastest path that the processor
// supports (AVX-512 or AVX2 on amd64, NEON on arm64, portable Go elsewhere), chosen
// once at start-up; float64 always runs on portable Go and is
// meant for tests. The environment variable HINGE_KERNEL fixes the path by name.
//
// # Errors
//
// Shapes from outside are checked by Validate, which returns an error. Wrong buffer lengths
// and invalid shapes passed to a kernel are programmer mistakes and panic before anything is
// written. Values are not checked: NaN and infinity propagate as in ordinary arithmetic,
// through the rectifier too. A convolution with fewer products may spread NaN over the
// whole map of its image, or over all taps of a weight gradient.
//
// # Concurrency
//
// Kernels split their work over up to GOMAXPROCS goroutines that end before the call returns.
// Each output is computed from start to end by one of them, in an order that depends on the
// shape alone, so results have the same bits whatever the number of threads; they differ
// between paths and processor architectures. A batch of another size may use another scheme
// and be rounded differently. Functions may be called concurrently on disjoint outputs; a Conv
// serves one goroutine at a time. Programs that run several networks at the same time, one per
// processor, call each kernel inside Alone.
package kernel
