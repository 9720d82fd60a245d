package train

import (
	"math"

	"hinge/bilevel"
	"hinge/optim"
	"hinge/train/checkpoint"
)

// Part names a part of the data.
type Part string

// The parts every task has.
const (
	TrainPart Part = "train"
	ValidPart Part = "valid"
	TestPart  Part = "test"
)

// FinalValidPart is the validation part once more, for the best weights at the
// end of a run whose tests take more effort than its validations (see
// Neural.Views): its examples are answered as those of the test are.
const FinalValidPart Part = "valid-final"

// MoreTestPart is a larger test, which a task may have (see MoreTester), and
// MoreValidPart the same examples where they serve to choose settings
// (Training.NoTest).
const (
	MoreTestPart  Part = "test-more"
	MoreValidPart Part = "valid-more"
)

// MoreTester is implemented by models with further examples, which the
// published protocol does not use: the accuracy on them has a smaller sampling
// error and is reported beside that on TestPart.
type MoreTester interface {
	// MoreTest returns the number of examples of MoreTestPart, 0 for none.
	MoreTest() int
}

// FreshTestPart is a test on examples that no choice of settings has seen (see
// FreshTester).
const FreshTestPart Part = "test-fresh"

// FreshTester is implemented by models with test examples from another source than
// their other parts, kept for the last judgement.
type FreshTester interface {
	// FreshTest returns the number of examples of FreshTestPart, 0 for none.
	FreshTest() int
}

// final tells whether a part is looked at once, by the final weights.
func (p Part) final() bool {
	switch p {
	case FinalValidPart, TestPart, MoreTestPart, MoreValidPart, FreshTestPart:
		return true
	}
	return false
}

// data is the part whose examples a part has.
func (p Part) data() Part {
	switch p {
	case FinalValidPart:
		return ValidPart
	case MoreValidPart:
		return MoreTestPart
	}
	return p
}

// Reporter is implemented by models with further figures of the final weights on
// the test: accuracies by name.
type Reporter interface {
	Report() (map[string]float64, error)
}

// EpochEnder is implemented by models whose loss has parameters of its own that
// change between epochs, the bilevel losses.
type EpochEnder interface {
	// EndEpoch is called after the last step of every epoch, when the weights
	// have been updated. norm is the norm of that step's gradient for the
	// network. done ends the run.
	EndEpoch(norm float64) (out bilevel.Outcome, err error)
}

// Model is a learning problem seen by the loop: a network and a symbolic model
// with a loss over training examples. Parameters are plain slices, so that the
// loop can clip, step, average and save them without knowing what they are.
type Model interface {
	// Examples is the number of training examples.
	Examples() int
	// Params are the learned arrays of the network, with the gradients that
	// Gradient leaves; Buffers are the arrays its forward pass maintains
	// (batch-norm statistics), without gradients. The slices are the model's
	// own storage: the loop writes into them.
	Params() []optim.Param
	Buffers() []optim.Param
	// Weights is w_sy and WeightGradient its gradient left by Gradient; both
	// are the model's own storage.
	Weights() []float64
	WeightGradient() []float64
	// Gradient runs the loss on the examples, Training.Pass of them, and leaves its
	// gradients. The same step and examples give the same bits.
	Gradient(step Step, examples []int) (Work, error)
	// Evaluate measures the accuracy of the answers on a part of the data.
	Evaluate(part Part) (Score, error)
	// Export returns copies of the network's parameters and buffers in the
	// standard layout, and Import puts them back.
	Export() []checkpoint.Tensor
	Import(get func(name string) (checkpoint.Tensor, error)) error
	WarmState
}

// WarmState is what a model remembers beside its parameters.
type WarmState interface {
	// Warm returns the states the solvers start from, under names of the
	// model's choice, and SetWarm puts saved ones back.
	Warm() []checkpoint.Tensor
	SetWarm(get func(name string) (checkpoint.Tensor, error)) error
}

// Step tells a model where the run is.
type Step struct {
	// Number counts gradient steps from 0, Epoch passes over the data from 0.
	Number, Epoch int
	// Progress is the part of the budget that is done, 0 to 1.
	Progress float64
	// Temperature is that of the Gumbel softmax.
	Temperature float64
	// Shard is the part of the batch that Gradient is given, from 0 (see Sharder).
	Shard int
}

// Stream numbers the random draws of a step and shard: no two share any.
func (s Step) Stream() uint64 { return uint64(s.Number) + uint64(s.Shard)<<40 }

// Work is what a gradient step or an evaluation reports about itself.
type Work struct {
	// Loss is the mean loss of the batch, Terms its parts where it has several
	// (gradient steps only).
	Loss  float64
	Terms *bilevel.Terms
	// SolverSeconds and NeuralSeconds split the wall time; CommSeconds is what the ranks
	// of a job took to add gradients, the waiting for the slowest included.
	SolverSeconds, NeuralSeconds, CommSeconds float64
	// Solves counts solver calls, Unsolved those that did not reach the gap.
	Solves, Unsolved int
	// WorstGap and MeanGap are the largest and the mean primal–dual gap of the programs
	// (of each the largest of its components), WorstViolation the largest violation of
	// a hard rule.
	WorstGap, MeanGap, WorstViolation float64
}

// SolverWork is the work of value functions, in so many wall seconds with all else.
func SolverWork(s bilevel.Stats, seconds float64) Work {
	return Work{
		SolverSeconds: s.Seconds, NeuralSeconds: seconds - s.Seconds, Solves: s.Solves, Unsolved: s.Unsolved,
		WorstGap: finite(s.WorstGap), MeanGap: finite(s.GapSum / float64(max(s.Solves, 1))), WorstViolation: finite(s.WorstViolation),
	}
}

// finite keeps what is not a number, or too large for one, out of JSON.
func finite(v float64) float64 {
	if v < math.MaxFloat64 {
		return v
	}
	return math.MaxFloat64
}

// Score is what an evaluation reports.
type Score struct {
	// Accuracy is the fraction of right answers among Examples.
	Accuracy float64
	Examples int
	// Parts is the fraction of the parts of the examples, digits or papers, whose most
	// probable class by the network alone is right, where the task knows them; 0
	// elsewhere. Nothing is learned from it.
	Parts float64
	// Entropy is the mean entropy of the network's outputs over that of uniform ones, 1
	// for no belief at all; 0 where it is not measured.
	Entropy float64
	Work
}
