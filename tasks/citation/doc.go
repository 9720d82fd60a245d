// Package citation is the task of the paper's citation networks: learn the topics
// of papers from the labels of a few, their words and their citations.
//
// A network gives for each paper the probability of each topic. These beliefs are the neural
// outputs of a hinge-loss Markov random field over the topics of all papers, whose rules are
// the files rules/*.psl: linked papers agree, with a weight for each topic. The labels of the
// training papers, 5 % of all, are the labels of the loss; everything else is latent.
//
// The recipe "best" (ours) has two forms. With the loss answer, its default, the network sees
// the words of one paper; only the rules see citations, and the network learns from the
// answers of inference. With energy or sp the network propagates its outputs along citations,
// inference completes labels every few steps, and the likelihood of the known labels is added.
// Without this, the energy of latent papers would be least if all outputs are equal and unsure
// (TestCollapse).
//
// What inference may observe depends on the phase, as in the reference
// experiments: nothing but the loss's own labels in learning, the training labels
// in validation, and in the test those that Options.Labels names.
//
// All papers are one example of the loop, so a step is one pass over the graph.
// The network is pre-trained on the labels alone before the first step.
//
//	model, err := citation.Open(config, "")
//	result, err := train.Run(ctx, config, model, train.Options{Dir: dir})
//
// Faults of the rules are config.UsageError with file:line:col, faults of the data
// learning.DataError. A Model is used by one goroutine and parallelises inside.
package citation
