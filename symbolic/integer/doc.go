// Package integer finds MAP states in which some targets are 0 or 1: branch and bound
// over the continuous solver of package infer. It is ours; the paper's targets are
// continuous. With I the integer targets and V the program of package lcqp,
//
//	min  Σ (w s + ε s²) + Σ (w + ε) s² + Σ (ε y² + r (y − ŷ)²)
//	s.t. a·y + b ≤ s, a·y + b ≤ 0 or = 0, Lower ≤ y ≤ Upper, y_i ∈ {0, 1} for i ∈ I.
//
// # Use
//
//	var res integer.Result
//	err := integer.Solve(ctx, in, targets, integer.Settings{}, &res) // bad arguments
//	err = res.Err()                                                  // no feasible point found
//	res.Y, res.Value, res.Bound, res.Gap()
//
// # How
//
// The root of every component is solved first; then the components are searched one by one. A
// node of a tree has some integer targets fixed. First propagation finds what its hard rows
// then fix (propagate.go). Then the relaxation, with the other integer targets in [0, 1], is
// solved from the multipliers of the parent node. The node ends if the relaxation is
// infeasible, or if its dual value is not below the best value known. Otherwise it gets two
// children, in which one fractional target is 0 and 1. The nearer child is searched at once
// and the other kept; when a dive ends, the search goes on from the node with the lowest
// bound. At the root, and then now and then, rounding finds points: the targets nearest to 0
// or 1 are fixed first, with what follows from them.
//
// # What the answer is worth
//
// Value belongs to a point that lcqp.Residuals finds feasible, with the integer targets
// exactly 0 or 1. Bound is the least of the dual values of all leaves. Each dual value is
// valid for any multipliers of the right sign (weak duality), so Bound does not depend on how
// exactly a relaxation was solved. No point has a value below Bound. Optimal means a gap of at
// most 1e-6·(1 + |Value|). With Settings.Proof the leaves are kept, and Check verifies them
// against the instance: they cover {0, 1}^I, and the bound of each holds.
//
// # Several points
//
// List finds all values of some integer targets for which the hard rows can hold, by
// propagation alone if nothing else has to be solved. A Listing has them in independent parts;
// the number of points is the product over the parts. Outputs finds the classes of neural outputs for
// which labels break no rule.
//
// # Learning
//
// Result.Solution is the solution of the last relaxation: the program with the integer targets
// fixed at the answer. From its multipliers Instance.DeepGradient and the other gradients
// compute the gradient of the value with these targets held. This is the gradient of the
// integer value function wherever its minimiser is unique; between two minimisers it jumps.
//
// # What can fail
//
// The search may take a time exponential in the number of integer targets.
// Settings.MaxTime and the context end it early with the best point so far
// and its gap. One goroutine searches; calls on different instances may run at once.
package integer
