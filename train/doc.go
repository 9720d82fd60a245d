// Package train runs a learning task from configuration to result: it owns the
// loop, the stop rules, the run folder and the checkpoints, and knows no task.
//
// It stands on rooms of its own, each of which knows those after it alone: record (the files of a
// run), neupsl (models), half (the halves of a model), learning (what a Task and a Model are),
// mapstate (answers and why) and config (the settings). A Task has a name, settings and a Model;
// docs/TUTORIAL.md builds one, and package app/train makes a program of tasks.
//
// A Model computes the gradient of its loss and its accuracy; Run does the rest:
//
//	before the first step:  Pretrainer.Pretrain, without labels or by labels alone
//	every step:             gradient → clip → Adam on w_nn, mirror descent on w_sy
//	every epoch:            LossHalf.EndEpoch, where multipliers and relaxation of the
//	                        bilevel losses change
//	every ValidEvery steps: accuracy on validation data; the best weights are kept, with
//	                        Training.LastWeights the last
//	at the end:             the kept weights → accuracy on test data → result.json
//
// The run folder receives config.toml (resolved), metrics.jsonl (one object a
// line), result.json, shown.json where the model is a Reporter, the page that Options.Report
// makes, and the checkpoints. A run that is stopped by a signal, a crash or a full disk can
// be resumed from its newest good checkpoint, and then computes bit for bit what it would
// have computed without the stop: order of data, noise, moments, averages, duals and stop
// rules are all functions of the seed, the step and the checkpoint.
//
// After a run, LoadTested puts the weights that were tested into a Model, Export writes them
// for other programs, and Predict applies them to examples from outside the data. Package
// app/serve serves an Answerer, and models from model files (package modelfile).
//
// # Shards
//
// With Training.Shards a step consists of several passes, one over each part of the batch,
// whose gradients are added in the order of the parts. With Options.Comm the ranks of a job
// (package collective) share the passes. The bits of the result depend on the number of
// shards alone: R ranks compute what one process computes, and a run can be resumed with any
// number of ranks that divides the number of shards.
//
// Batch normalisation uses the statistics of a pass, and its running statistics are the mean
// over the shards. With Neural.SyncBatchNorm it uses the statistics of all shards together,
//
//	m = Σ m_s/S,  v = Σ (v_s + (m_s − m)²)/S,
//
// and in the backward pass the sums of the gradients over all shards, in their order. The
// shards then run at the same time, each as a rank with a model of its own, even within one
// process. Points, slacks, multipliers and solver states of an example are kept on the rank
// that has the example, and are sent to rank 0 for a checkpoint.
//
// # Optional interfaces
//
// What a task can leave out is a field of Setup, of Uses or of a method's Capabilities. Type
// assertions, here and in package symbolic/infer, look for these interfaces only; each has
// several implementers:
//
//	train/config.Section                            the task's own settings: what it uses, and a check of them
//	train/learning.Pretrainer                       a model with a phase before the first step
//	train/learning.Reporter                         a model with figures and pictures of its last test
//	train/learning.Predictor                        a model that answers files: cmd/train -predict
//	train/learning.Answerer                         a model that answers again and again: cmd/serve
//	symbolic/infer/internal/problem.Validator       a method whose parameters have ranges
//	symbolic/infer/internal/problem.ActiveSetSolver a solver that starts warm and polishes answers
//	symbolic/infer/internal/problem.Decomposer      a solver that takes large components apart
//
// Errors are typed: UsageError for settings, DataError for data, ErrInterrupted
// after a signal; cmd/train maps them to exit codes.
//
// One Run uses one Model from one goroutine; the model parallelises inside. Shards side
// by side use a Model each, from a goroutine each.
package train
