// Package mnistadd is the MNIST-Addition task: learn to read digits from sums
// alone (paper, section 6 and the appendix on data sets).
//
// A network looks at 2d images and gives for each the probability of each digit. These beliefs
// are the neural outputs of a hinge-loss Markov random field over the sum, its places and its
// carries, whose rules are the files rules/add1.psl and rules/add2.psl. Training sees the sum
// and its places, never a digit; the answer at test is MAP inference of the sum.
//
// The losses are the paper's: the value function V, with the labels fixed and the carries
// inferred, is solved at one or more Gumbel samples of the outputs. The recipe "best" learns
// from its soft minimum over many samples (ours). The loss "chain" is ours and solves nothing:
// the free energy of columns that carries join (package chain).
//
// The systems that NeuPSL is compared with (Baseline: DeepProbLog, LTN and a network that
// classifies sums) see the same images through the same backbone, and differ in the loss and
// in the way they answer.
//
// All additions have one structure. NewSymbolic grounds one addition and
// compiles it to a template; a batch is that template with other neural
// outputs and labels, so nothing is grounded twice.
//
//	model, err := mnistadd.Open(config, 1, "")
//	result, err := train.Run(ctx, config, model, train.Options{Dir: dir})
//
// Summands have 1 to 500 digits. One and two digits follow the reference experiments' rules.
// Longer numbers (rules/addn.psl) have the same rules for every column and no atom a sum.
// Beyond twenty digits the loss "chain" begins with their leading columns (Lead), and beyond a
// hundred it learns from windows of them (WindowColumns), if windows of one length make up the
// number. The other losses learn from windows of one column, through V. The full task has as many additions as all 60,000 images make; it
// is tested on MNIST's test part, which is the fresh test of all smaller tasks.
//
// Training images are distorted as configured; test images too if outputs are averaged over
// views.
//
// Faults of the rules are config.UsageError with file:line:col, faults of the
// images learning.DataError. A Model is used by one goroutine and parallelises
// inside.
package mnistadd
