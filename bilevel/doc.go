// Package bilevel is where the neural and the symbolic half meet: it makes the
// optimal value of a hinge-loss Markov random field an ordinary gorgonia
// expression.
//
// One op carries everything the paper learns with. For P ground programs of
// one shape (slots), symbolic weights w, neural outputs g and, for the Moreau
// envelope, points y and a parameter ρ, it returns the vector of optimal
// values
//
//	V_i(w, g)       = min_{ŷ ∈ Ω(g_i)} E(ŷ, g_i; w) + ε-terms
//	M_i(y; w, g, ρ) = min_{ŷ ∈ Ω(g_i)} E(ŷ, g_i; w) + ε-terms + ‖ŷ − y_i‖²/(2ρ)
//
// and its derivative hands back, by Danskin's theorem and the sensitivity of a
// quadratic program to its right-hand side (paper, theorem 5.2),
//
//	∂V_i/∂w = Φ(ŷ*)    ∂V_i/∂g = Bᵀμ*    ∂M_i/∂y = (y − ŷ*)/ρ.
//
// The solve happens once, in the forward pass; the backward pass only weighs the stored
// derivatives with the incoming gradient. [Energy] and [StructuredPerceptron] are the paper's
// value-based losses as expressions over the op.
//
// Where outputs are not sharp yet, V may be taken at several random draws of g, and a
// sample's value be their mean or their soft minimum (Options.DrawTemperature, ours);
// the gradient is then the sum of Bᵀμ* over the draws, weighed by their shares. The answer
// of a model is its MAP state, by whichever loss it learned. Package chain has a loss that
// needs no solver, and is not the paper's.
//
// # Learning
//
// An [Objective] is a loss over a set of training samples with everything it
// remembers about them. Behind it is a [Loss], of a [Kind] that says what it needs; a new one
// is a file and its entry in the registry, or from outside one that calls [Register]. The
// kinds of this package are the energy loss and the structured perceptron, built with the very
// functions Energy and StructuredPerceptron; LossAnswer (ours), the cross entropy of the MAP
// state, whose gradient is the difference of the gradients of two optimal values (answer.go);
// LossKBest (ours), the cross entropy of the outputs with the whole-number states
// that the labels allow (kbest.go); and, for
// the bilevel losses LossMSE and LossBCE, the paper's bound-constrained augmented Lagrangian
// (appendix on the extended learning framework): one constraint M_i(y_i) − V_i ≤ ι a sample,
//
//	L_A = Σ_i ( d(y_i, t_i) + a·V_{z*_i} ) + (μ/2) Σ_i (c_i + s_i)² + Σ_i λ_i (c_i + s_i)
//	c_i = M_i − V_i − ι,  s_i ≥ 0,  y_i ∈ [0,1]ⁿ,
//
// minimised by first-order steps over w_sy, w_nn and y until the stationarity δ
// is within ω; then either λ ← λ + μ(c + s), or μ grows, or, when the problem
// is solved within σ* and ω*, ι is halved. All of it happens in batches, with
// the points, slacks, multipliers and solver states of every sample kept. The constraints
// need two more inferences each and cost most, so they may be evaluated for a part of each
// batch only (Lagrangian.ConstraintSamples).
// The loop over all of it, with networks or without, is train.Run.
//
// Three kinds of numbers are called multipliers in the literature; here they have different
// names: the duals μ* of the rows of an inference (Result.Dual); the multiplier λ_i of a
// constraint of learning; and the penalty, the paper's μ without a star, which moves λ_i.
//
// Where the paper leaves a choice: the test of the constraints uses Σ|c_i + s_i|,
// where the listing has the sum, in which terms of both signs cancel; slacks are
// put at their exact minimum; ω and σ do not shrink below ω* and σ*. [Lagrangian]
// names the alternatives, and what the reference engine does instead.
//
// A relaxation ι larger than the scale of the energy allows any y, also with an
// energy that is flat: a run learns from its constraints only as far as ι gets
// below M − V of wrong answers, which ε and the Moreau term bound.
//
// What can fail: an infeasible program (hard rules that contradict a label or a
// neural output) and numbers that are not finite make the forward pass return
// an error that names the sample. A solve that stops before its tolerance is
// counted in Stats and, with Options.Check, is an error if it is off by more than
// CheckTolerance. NewObjective returns an error for settings out of range, except
// for those of the solver, which the first forward pass reads; SetState returns one
// for saved states of another shape.
//
// Concurrency: the slots of one op are solved in parallel, with results that do
// not depend on the number of goroutines. One ValueFunction serves one graph on
// one machine at a time.
package bilevel
