// Package learning says what a task gives to a run: a Task opens a Model, which computes the
// gradient of its loss,
//
//	min_{w_nn, w_sy} Σ_i L_i(g(x_i; w_nn), w_sy),
//
// and its accuracy on a Part of the data. A Model has three parts: the network (NeuralHalf), the
// loss with the rule weights (LossHalf) and the rules as a person wrote them (Rulebook). Package
// half has them ready-made, package neupsl whole models. What a model may implement besides, such
// as Pretrainer, Reporter and Answerer, is here too, with the values that it returns.
//
// Errors are a config.UsageError for settings and a DataError for data. A Model is used by one
// goroutine at a time.
package learning

import (
	"context"
	"encoding/binary"
	"io"
	"math"
	"slices"

	"hinge/bilevel"
	"hinge/optim"
	"hinge/optim/collective"
	"hinge/symbolic/shortcut"
	"hinge/train/checkpoint"
	"hinge/train/config"
)

// Part names a part of the data.
type Part string

// The parts every task has.
const (
	TrainPart Part = "train"
	ValidPart Part = "valid"
	TestPart  Part = "test"
)

// FinalValidPart is the validation part once more, for the best weights at the end of a run
// whose test takes more effort than its validations (see Neural.Views): its examples are
// answered as the test's are.
const FinalValidPart Part = "valid-final"

// MoreTestPart is a larger test that a task may have, of further examples which the
// published protocol does not use: the accuracy on them has a smaller sampling error and is
// reported in addition to the accuracy on TestPart. MoreValidPart are the same examples where they serve to
// choose settings (Training.NoTest).
const (
	MoreTestPart  Part = "test-more"
	MoreValidPart Part = "valid-more"
)

// FreshTestPart is a test that a task may have on examples that no choice of settings has
// seen: they come from another source than the other parts and are kept for the last
// judgement.
const FreshTestPart Part = "test-fresh"

// Final reports whether a part is looked at once, by the final weights.
func (p Part) Final() bool {
	return p != TrainPart && p != ValidPart
}

// Data is the part whose examples a part has.
func (p Part) Data() Part {
	switch p {
	case FinalValidPart:
		return ValidPart
	case MoreValidPart:
		return MoreTestPart
	}
	return p
}

// Model is a learning problem seen by the loop: a network and a symbolic model
// with a loss over training examples. Parameters are plain slices, so that the
// loop can clip, step, average and save them without knowing what they are.
type Model interface {
	// Examples returns the number of examples of a part, 0 where there are none.
	Examples(part Part) int
	// Empty returns how many of the training examples are empty ones, which fill the last batch.
	Empty() int
	// Gradient runs the loss on the examples, Training.Pass of them, and leaves its
	// gradients. The same step and examples give the same bits.
	Gradient(step Step, examples []int) (Work, error)
	// Evaluate measures the accuracy of the answers on a part of the data. A search that may be
	// long ends with the context, whose error Evaluate then returns.
	Evaluate(ctx context.Context, part Part) (Score, error)
	// Neural returns the network, Loss the loss with the rule weights, and Rulebook the rules
	// as a person wrote them. They are the same in every call.
	Neural() NeuralHalf
	Loss() LossHalf
	Rulebook() Rulebook
}

// NeuralHalf is the network of a Model.
type NeuralHalf interface {
	// Params are the learned arrays of the network, with the gradients that
	// Gradient leaves; Buffers are the arrays its forward pass maintains
	// (batch-norm statistics), without gradients. The slices are the model's
	// own storage: the loop writes into them.
	Params() []optim.Param
	Buffers() []optim.Param
	// SyncBatchNorm makes batch normalisation in training use all shards: gather returns the
	// sums of all shards, given its own. It is called once, before the first gradient, if
	// there are Buffers.
	SyncBatchNorm(gather func(own []float64) (all []float64, err error))
	// Export returns copies of the network's parameters and buffers in the
	// standard layout, and Import puts them back.
	Export() []checkpoint.Tensor
	Import(get func(name string) (checkpoint.Tensor, error)) error
	// ONNX returns what writes each network in the form of ONNX with the weights in place,
	// and a UsageError where there is no such form or a setting rules that out.
	ONNX() ([]ONNXFile, error)
	// StartFrom puts the tensors of safetensors files into the network and tells note what
	// was taken. init is Neural.Init, which may be ""; a model may name other files itself.
	StartFrom(init string, note func(line string)) error
}

// ONNXFile is a network in the form of ONNX.
type ONNXFile struct {
	// Name tells the network from others; "" is the only one's.
	Name string
	// Write writes it, or nothing and an error.
	Write func(w io.Writer) error
}

// LossHalf is the loss of a Model, with the rule weights and the loss's state.
type LossHalf interface {
	// Weights is w_sy and WeightGradient its gradient left by Gradient; both
	// are the model's own storage.
	Weights() []float64
	WeightGradient() []float64
	// Learned lists the rules whose weights move: of a rule without ground rules the examples say
	// nothing, and its weight, which cannot matter to them, takes nothing from the others.
	Learned() []int
	// Rules returns one entry per rule, as of the last step; nil before the first, and where
	// there are no rules. Validation records and the result hold the table.
	Rules() []Rule
	// DigestRules writes the texts of the rules and the weights that are written with them. Equal rules
	// write equal bytes.
	DigestRules(w io.Writer)
	// EndEpoch is called after the last step of every epoch, when the weights have been
	// updated: parameters of the loss may change. norm is the norm of that step's gradient
	// for the network. out.Done ends the run.
	EndEpoch(norm float64) (out bilevel.Outcome, err error)
	// Share is called once if batches are divided into parts, which the ranks of a job may
	// share (Training.Shards), before the first gradient and before SetWarm. Gradient is then
	// called for one shard of a batch at a time, with Training.Pass examples and Step.Shard.
	// Example e belongs to part e mod p.N(), and Gradient is called for this rank's parts
	// only, so the state of an example is kept on the rank that has the example.
	Share(p collective.Parts) error
	// Whole calls f while Warm on rank 0 returns the states of all ranks, and returns f's
	// error. All ranks must call it.
	Whole(f func() error) error
	// Warm returns the states from which the solvers start, under names that the model
	// chooses; SetWarm puts saved states back.
	Warm() []checkpoint.Tensor
	SetWarm(get func(name string) (checkpoint.Tensor, error)) error
}

// Rulebook is the rules of a Model as a person wrote them, and what can be found out about them
// without learning.
type Rulebook interface {
	// WriteRules writes the rules, in PSL's syntax, with the weights in place. It returns a
	// UsageError where they are nobody's file.
	WriteRules(w io.Writer) error
	// Sources returns the paths of the files that rules and networks are read from, nil where there are none.
	Sources() []string
	// Warnings returns the doubts about rules and data that a person should read before the
	// first step, each with its place; nil if there are none.
	Warnings() []string
	// Shortcuts returns the problem of counting the meanings that rules and labels allow
	// (package shortcut), or nil if they cannot be counted. Without examples it returns an
	// error that says why.
	Shortcuts() (*shortcut.Problem, error)
	// Digest writes what the parts are where they are in files of a person, which may change between
	// two sittings: ground programs, labels and the inputs of the network. Equal contents write equal bytes.
	Digest(w io.Writer, parts ...Part)
}

// OwnRules is the Rulebook of rules that belong to a task: they are nobody's file, so WriteRules is a
// UsageError, there are no doubts about them, and nothing is counted. A task embeds it to define some of its methods.
type OwnRules struct{}

func (OwnRules) WriteRules(io.Writer) error {
	return config.Usage("export", "only the rules of a model file (task model) are written as .psl; result.json has the weights")
}

func (OwnRules) Sources() []string { return nil }

func (OwnRules) Warnings() []string { return nil }

func (OwnRules) Shortcuts() (*shortcut.Problem, error) { return nil, nil }

func (OwnRules) Digest(io.Writer, ...Part) {}

// DigestInputs writes the inputs of the examples of parts, of which there are n(part).
func DigestInputs(w io.Writer, parts []Part, n func(Part) int, inputs func(part Part, examples []int) []float32) {
	for _, part := range parts {
		for examples := range slices.Chunk(All(n(part)), 64) {
			_ = binary.Write(w, binary.LittleEndian, inputs(part, examples)) // neither buffers nor sums fail
		}
	}
}

// Step tells a model where the run is.
type Step struct {
	// Number counts gradient steps from 0, Epoch passes over the data from 0.
	Number, Epoch int
	// Progress is the part of the budget that is done, 0 to 1.
	Progress float64
	// Temperature is the temperature of the Gumbel softmax.
	Temperature float64
	// Shard is the part of the batch that Gradient is given, from 0 (see LossHalf.Share).
	Shard int
}

// Stream numbers the random draws of a step and shard: no two share any.
func (s Step) Stream() uint64 { return uint64(s.Number) + uint64(s.Shard)<<40 }

// Work is the report of a gradient step or an evaluation.
type Work struct {
	// Loss is the mean loss of the batch, Terms its parts where it has several
	// (gradient steps only).
	Loss  float64
	Terms *bilevel.Terms
	// SolverSeconds and NeuralSeconds split the wall time; CommSeconds is the time in which
	// the ranks of a job add gradients, including the wait for the slowest.
	SolverSeconds, NeuralSeconds, CommSeconds float64
	// Solves counts solver calls, Unsolved the calls that did not reach the gap.
	Solves, Unsolved int
	// WorstGap and MeanGap are the largest and the mean primal–dual gap of the programs
	// (of each the largest of its components), WorstViolation the largest violation of
	// a hard rule.
	WorstGap, MeanGap, WorstViolation float64
	// DrawSpread is the standard deviation of V over the draws of an example, the mean over the
	// batch.
	DrawSpread float64
}

// SolverWork returns the work of value functions. seconds is the wall time of the step with
// everything else in it.
func SolverWork(s bilevel.Stats, seconds float64) Work {
	return Work{
		SolverSeconds: s.Seconds, NeuralSeconds: seconds - s.Seconds, Solves: s.Solves, Unsolved: s.Unsolved,
		WorstGap: Finite(s.WorstGap), MeanGap: Finite(s.GapSum / float64(max(s.Solves, 1))), WorstViolation: Finite(s.WorstViolation),
	}
}

// Finite replaces NaN and infinities, which JSON does not have.
func Finite(v float64) float64 {
	if v < math.MaxFloat64 {
		return v
	}
	return math.MaxFloat64
}

// Score is the result of an evaluation.
type Score struct {
	// Accuracy is the fraction of right answers among Examples, or the figure that Figure names,
	// such as auroc or negated_mse; larger is better.
	Accuracy float64
	Figure   string
	Examples int
	// Parts is the fraction of the parts of the examples, digits or papers, whose most
	// probable class by the network alone is right, where the task knows them; nil
	// elsewhere. Nothing is learned from it. Networks has the accuracy of each network alone, by
	// its predicate, where a model has several and the classes are known.
	Parts    *float64
	Networks map[string]float64
	// Entropy is the mean entropy of the network's outputs divided by the entropy of uniform
	// outputs: 1 means no belief; nil if it was not measured.
	Entropy *float64
	Work
}
