// Package modelfile trains model files (package symbolic/model) whose predicates are
// backed by networks, with no line of Go: the task "model" of cmd/train.
//
//	go run ./cmd/train -model examples/neural-graph/model.json -loss sp -out RUN
//	go run ./cmd/infer -model examples/neural-graph/model.json -weights RUN
//
// # What is learned
//
// A partition of the data is grounded to one program, whose neural outputs g are the
// outputs of all networks for the entities that their predicates' targets name. The
// partition learn trains, validation chooses the weights to keep, infer tests. Where
// validation has no true values, learn also validates. The loss is
//
//	L = rules-weight · L(V(w, g), V_{z*}(w, g), …) + label-weight · Σ CE(g, t)
//
// with one of the losses of package bilevel for the true values of the targets, and the
// cross entropy for the true values of the networks' own predicates. So networks learn
// from labels of their own, from true values of other predicates, or from both. Targets
// without a true value in learn are latent. The derivatives Bᵀμ* of the loss by the outputs
// are propagated into the networks, the derivatives by w move the rule weights.
//
// A step is a pass over the whole partition, or, with a batch of more than one example,
// over some of the components of its program (components.go): examples that have programs
// of their own. All networks are in one graph (pass.go), with draws of their outputs where
// these are asked for, and a Model is a neupsl.NeuPSL with several networks.
//
// # Inputs of a user's own
//
// A Predictor answers inputs that are not in the data: with the networks alone, or, for
// entities of the partition infer, by MAP inference with these inputs in place of the
// features of the files. cmd/train -predict and package app/serve use it.
//
// # Settings
//
// Options is the section [options] of a configuration. The other settings are the ones of
// every task (config.Config), except settings that belong into the description of a network,
// shards, noise in the test and contrastive pre-training. Validation and test report the
// figure of the primary evaluation, else of the first evaluation of a predicate that is
// inferred; larger is better, errors are negated. All other figures of the test are in
// result.json under "more".
//
// # Failures
//
// Faults of the model file and its rules are a config.UsageError with their place, of
// the data a learning.DataError. A Model is used by one goroutine and parallelises inside.
package modelfile
