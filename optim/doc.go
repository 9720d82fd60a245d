// Package optim has the first-order methods that train a neural-symbolic model
// (paper, section 5, algorithm 1) on plain slices:
//
//   - the network's parameters w_nn: [Adam] (with an L2 penalty, or decoupled as
//     AdamW), scaled by [ClipFactor] to bound the global gradient norm, with a
//     step size from a schedule, such as [Cosine], and [EMA] of the weights;
//   - the symbolic weights w_sy on the unit simplex: [WeightStep], by mirror descent
//     or projected gradient, with a [Regularizer] that keeps them off the vertices;
//   - the points y ∈ [0,1]ⁿ of the bilevel losses: [BoxStep].
//
// Networks are float32, with float32 moments; everything symbolic is float64.
//
// # State
//
// What a method carries from step to step is an exported plain value
// ([AdamState], [EMAState]): State points to it, to be saved in a checkpoint or
// overwritten by a saved one. A run restored that way goes on bit for bit. Schedules, mirror descent and projected gradient keep no
// state besides their arguments.
//
// # What can fail
//
// A gradient that is not finite leaves symbolic weights as they were and is
// returned as an error. For networks [GradNorm] reports it as a
// norm that is not finite; callers decide whether to skip the step. Slices of
// the wrong length are mistakes of the program and panic, except in restored
// state, where they are an error.
//
// # Concurrency and reproducibility
//
// A value must not be used by two goroutines at once; separate values share
// nothing. Sums are taken in a fixed order, so equal inputs give equal bits.
package optim
