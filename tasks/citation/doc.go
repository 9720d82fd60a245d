// Package citation is the task of the paper's citation networks: learn the topics
// of papers from the labels of a few, their words and their citations.
//
// A network says for each paper how likely it has each topic. Those beliefs are
// the neural outputs of a hinge-loss Markov random field over the topics of all
// papers, whose rules are the files rules/*.psl: linked papers agree, with a
// weight for each topic. The labels of the training papers, 5 % of all, are the
// labels of the loss; everything else is latent.
//
// The recipe "best" (ours) has two forms. With the loss answer, its default, the network
// sees the words of a paper and nothing else; citations are in the rules alone, and it
// learns from what inference answers. With energy or sp the network propagates its outputs
// along citations, labels are completed by inference every few steps, and the likelihood of
// the known ones is added: left alone, the energy of latent papers is least where all
// outputs are blunt and alike (TestCollapse).
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
// Faults of the rules are train.UsageError with file:line:col, faults of the data
// train.DataError. A Model is used by one goroutine and parallelises inside.
package citation
