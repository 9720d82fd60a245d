// Package weights learns the symbolic weights w_sy of a hinge-loss Markov random
// field that has no network: the paper's HL-MRF learning (section 5.4, and the
// appendix on prediction performance).
//
//	r, err := weights.Learn(ctx, weights.Problem{Template: t, Labels: labels}, weights.Config{Loss: bilevel.LossBCE}, nil)
//	r.Weights // on the unit simplex, one per rule
//
// # What is minimised
//
// With V the value of inference, V_z* that with the labels t fixed, M(y) the
// Moreau envelope at y, and R(w) = −r·Σ log w the regulariser,
//
//	energy  V_z*(w) + R(w)
//	sp      V_z*(w) − V(w) + R(w)
//	mse     Σ (y − t)² + a·V_z*(w) + R(w)                      s.t. M(y, w) − V(w) ≤ ι
//	bce     Σ −t·log y − (1−t)·log(1−y) + a·V_z*(w) + R(w)     s.t. M(y, w) − V(w) ≤ ι
//
// over w on the unit simplex, and for the last two over y in [0,1]ⁿ, by the
// bound-constrained augmented Lagrangian algorithm with ι → 0 (package bilevel).
// An epoch is one gradient step on w, by mirror descent unless Config.Method says
// otherwise, and one on y. The whole ground program is one sample.
//
// # Inference with learned weights
//
// Weights sum to 1, and ε is relative to them: infer with the same ε and without
// scaling the weights.
//
// # When it ends
//
// After Config.Epochs epochs; when Problem.Score has not risen for Config.Patience
// epochs (the score is that of the data learned from: there is no validation set);
// for mse and bce when M − V falls below Config.ConstraintTolerance; when the context
// ends, with its error and what was learned until then. Result.Stopped says which.
//
// # What can fail
//
// Settings out of range, labels that are not in [0, 1] or contradict the hard
// rules, and inference that finds no feasible point are errors. Inference that
// stops before its tolerance is counted in Result.Unsolved.
//
// # Concurrency and determinism
//
// Learn uses several goroutines in inference; calls share nothing. Equal
// arguments give equal bits unless the method is bcd-lockfree.
package weights
