// Package lcqptest makes LCQPs for tests and benchmarks: random problems built
// backwards from a known optimum (Random), contradictory ones (Infeasible),
// the MNIST-Addition models of the paper for one addition (Add1, Add2), and an
// instance with its matrices written out (WriteOut).
//
// Everything is deterministic in the generator passed in.
package lcqptest
