// Package circuit computes exact weighted model counts by arithmetic circuits,
// the inference of DeepProbLog (Manhaeve et al., 2018): the probability that a
// program over independent categorical variables has an outcome, with its
// derivative by every input probability.
//
// A Program reads its variables in order and keeps a finite state. A world is a value for
// every variable; the state after the last variable decides whether the outcome holds in it.
// Compile turns the program into a circuit of sums over products of an input and an earlier
// sum: one node for each state that can still reach the outcome, with equal subprograms in one
// node. The count
//
//	Z(w) = Σ_{worlds with the outcome} Π_variables w[variable, value]
//
// is then one upward pass over the edges and ∂Z/∂w one downward pass: for d-digit
// additions about 300·d multiplications, where the worlds are 100^d.
//
//	sum, err := circuit.Addition(2)            // any number of digits
//	logP, err := sum.Posterior(w, 137, post)   // log P(137) and its derivative
//	best, exact, err := sum.Answer(ctx, w, 0)  // argmax_s P(s)
//
// An addition has the digits of both numbers and of their sum as variables, and
// is one circuit for all sums: one-hot weights of the sum's digits ask for one
// of them, weights of one for all. MostProbable is an exact best-first search.
//
// Weights are float64 and need not be normalised; a pass multiplies one for each
// variable, so counts of many tiny weights vanish (Posterior guards against it).
// Compile fails for programs without worlds, Posterior for sums that cannot be. A
// Circuit and a Sum belong to one goroutine.
package circuit
