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
// Components are searched one after the other, but the root of each first. A node of a tree has some integer targets
// fixed. What its hard rows then fix is found first (propagate.go). The relaxation, with
// the others in [0, 1], is solved from the multipliers of the node above. It ends the node
// where it is infeasible, or where its dual value is not below the best value known;
// else two nodes follow, in which one fractional target is 0 and 1. The nearer one is
// searched at once and the other kept; where a dive ends, the search goes on from the
// node with the lowest bound. At the root, and then now and then, rounding finds points:
// the surest targets are fixed first, with what follows from them.
//
// # What the answer is worth
//
// Value belongs to a point which lcqp.Residuals finds feasible, with the integer targets
// exactly 0 or 1. Bound is the least of the dual values of all leaves, each of
// which holds for any multipliers of the right sign (weak duality), so that it does not
// hang on how exactly a relaxation was solved. No point is below Bound. Optimal is a
// gap of at most 1e-6·(1 + |Value|). With Settings.Proof the leaves are kept, and
// Check verifies them against the instance: they cover {0, 1}^I, and the bound of each
// holds.
//
// # Several points
//
// List finds all values of some integer targets with which the hard rows can hold, by
// propagation alone where nothing else has to be solved: a Listing has them in independent parts, of which
// the number of points is the product. Best finds the k points with the lowest
// values, and Outputs the classes of neural outputs with which labels break no rule.
//
// # Learning
//
// Result.Solution is the solution of the last relaxation: the program with the integer targets
// fixed at the answer. Its multipliers give Instance.DeepGradient and the others the
// gradient of the value with these targets held, which is the gradient of the integer
// value function wherever its minimiser is the only one; between two minimisers it
// jumps.
//
// # What can fail
//
// The search may take a time exponential in the number of integer targets.
// Settings.MaxTime, MaxNodes and the context end it early with the best point so far
// and its gap. One goroutine searches; calls on different instances may run at once.
package integer
