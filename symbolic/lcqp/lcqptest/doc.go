// Package lcqptest makes LCQPs for tests and benchmarks: random problems built
// backwards from a known optimum (Random), and the MNIST-Addition models of the paper for one addition (Add1, Add2).
//
// Everything is deterministic in the generator passed in.
package lcqptest
