// Package circuit computes exact weighted model counts by arithmetic circuits,
// the inference of DeepProbLog (Manhaeve et al., 2018): the probability that a
// program over independent categorical variables has an outcome, with the
// derivative of its logarithm by the logarithm of every input probability.
//
// A Program reads its variables in order and keeps a finite state. A world is a value for
// every variable; the state after the last variable decides whether the outcome holds in it.
// Compile turns the program into a circuit of sums over products of an input and an earlier
// sum: one node for each state that can still reach the outcome, with equal subprograms in one
// node. The count
//
//	Z(w) = Σ_{worlds with the outcome} Π_variables w[variable, value]
//
// is then one upward pass over the edges and ∂log Z/∂log w one downward pass: for d-digit
// additions about 300·d multiplications, where the worlds are 100^d.
//
//	sum, err := circuit.Addition(2)                             // 1 to 300 digits
//	logP, err := sum.Posterior(z, []int{7, 3, 1}, prior, post)  // log P(137), and the digits' probabilities
//	best, exact, err := sum.Answer(ctx, prior, 0)               // argmax_s P(s)
//
// An addition has the digits of both numbers and of their sum as variables, and
// is one circuit for all sums: one-hot weights of the sum's digits ask for one
// of them, weights of one for all. MostProbable is an exact best-first search.
//
// Weights are float64 and need not be normalised. Posterior takes logits and is right where
// probabilities are below all float64, too; two worlds are told apart by as much of their logits'
// sums as a float64 holds.
// Compile fails for programs without worlds, Posterior for sums that cannot be. A
// Circuit and a Sum belong to one goroutine.
package circuit
