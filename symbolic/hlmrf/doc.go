// Package hlmrf holds ground deep hinge-loss Markov random fields as plain
// data (paper, section 5, Definition 5.1).
//
// A Program is what grounding produces and what package lcqp compiles: sparse
// affine rows over the target atoms y and the neural outputs g, grouped by the
// rule that owns their weight. The package evaluates, it does not solve:
// Energy is w·Φ(y, g), Incompatibility is Φ itself, Violation measures
// feasibility. Condition gives the smaller program that remains when some targets
// are known. Everything is float64.
//
// AddPotential, AddConstraint and SetRows build a Program; no other method changes
// it, and it may be shared between goroutines after it is built. Check finds
// malformed programs before they reach a solver.
package hlmrf
