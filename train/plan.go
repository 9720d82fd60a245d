package train

import (
	"fmt"

	"hinge/optim"
	"hinge/symbolic/psl"
	"hinge/train/learning"
	"hinge/train/record"
)

// Plan describes what a sitting will do: the first line of a log.
type Plan struct {
	Task string
	// System is the system that learns, Loss its loss; systems other than neupsl have a fixed
	// loss, and Loss is empty.
	System, Loss string
	// Examples are learned from, Batch of them a step; Steps is the budget of the run,
	// Done how many of them are behind it, PerEpoch how many pass over the examples once.
	Examples, Batch, Steps, Done, PerEpoch int
	// Parameters counts the numbers of the network that are learned, Rules the weights of
	// rules; Frozen reports whether these stay as they are.
	Parameters, Rules int
	Frozen            bool
	// Solver and Draws belong to inference while learning; Solver is empty for a loss that
	// solves nothing.
	Solver string
	Draws  int
}

// plan sums the run up.
func (r *run) plan() Plan {
	c := r.cfg
	p := Plan{
		Task: c.Task, System: c.System, Examples: r.model.Examples(learning.TrainPart) - r.model.Empty(), Batch: c.Training.Batch,
		Steps: r.total, Done: r.state.Step, PerEpoch: r.perEpoch, Rules: len(r.model.Loss().Weights()),
	}
	if c.Training.FixedBatches {
		p.Examples = min(p.Examples, r.perEpoch*p.Batch) // the others are in no batch
	}
	_, p.Parameters = learned(r.model.Neural().Params())
	if c.NeuPSL() {
		p.Loss, p.Frozen, p.Draws = c.Loss, c.Symbolic.FreezeRules, max(c.Neural.Samples, 1)
	}
	if c.LossKind().Solves {
		p.Solver = c.Symbolic.Solver
	}
	return p
}

// learned counts the arrays that are learned, and the numbers in them.
func learned(params []optim.Param) (arrays, numbers int) {
	for _, q := range params {
		for i, live := range q.Ranges() {
			numbers += live.Len()
			if i == 0 {
				arrays++
			}
		}
	}
	return arrays, numbers
}

// String describes the run in one paragraph: the task, the size of the network, the number of
// examples, the loss, and which parts of a step the reported seconds cover.
func (p Plan) String() string {
	s := fmt.Sprintf("%s: a network of %s learned numbers", p.Task, short(p.Parameters))
	weights := psl.Count(p.Rules, "rule weight")
	switch {
	case p.Parameters == 0:
		s = p.Task + ": " + weights
	case p.Rules > 0 && p.Frozen:
		s += " (frozen: " + weights + ")"
	case p.Rules > 0:
		s += " and " + weights
	}
	s += " on " + psl.Count(p.Examples, "example")
	if p.Examples > 1 {
		s += fmt.Sprintf(", %d a step", p.Batch)
	}
	s += ", " + psl.Count(p.Steps, "step")
	if p.Done > 0 {
		s += fmt.Sprintf(", %d of them done", p.Done)
	}
	if p.Loss == "" {
		return s + fmt.Sprintf(", by the loss of %s. Seconds are of the network and its loss.", p.System)
	}
	s += ", by loss " + p.Loss + ". Seconds: neural are the network's, forward and backward; symbolic are "
	if p.Solver == "" {
		return s + "the loss's, and those of inference in validations and tests."
	}
	s += "those of inference"
	if p.Draws > 1 {
		s += fmt.Sprintf(" at %d draws of its outputs", p.Draws)
	}
	return s + fmt.Sprintf(" (solver %s).", p.Solver)
}

// short writes a large number for people.
func short(n int) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.1f million", float64(n)/1e6)
	case n >= 1e4:
		return fmt.Sprintf("%.0f thousand", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}

// Observer watches a run. Its methods are called from the goroutine of Run and
// must not change anything the run uses.
type Observer interface {
	// Start is called once, before the run begins.
	Start(p Plan)
	// Step is called after every gradient step and Valid after every
	// validation; step counts completed steps.
	Step(step int, m record.Metric)
	Valid(step int, m record.Metric, fate Fate)
	// Note reports something worth a line: a checkpoint, a skipped damaged one.
	Note(text string)
	// Done is called once, also after an error.
	Done()
}

// Fate is the consequence of a validation for the weights that it measured.
type Fate int

const (
	// Passed means that earlier weights were better and stay kept.
	Passed Fate = iota
	// Kept means that these are kept to be tested: the best so far, or the newest
	// where the last weights are tested.
	Kept
	// Looked means that the validation only shows how the run goes and that its
	// weights were never a choice, however good they are (Options.LookEvery).
	Looked
)

// Nobody is the Observer of a run that nobody watches. Observers that heed a few events embed it.
type Nobody struct{}

func (Nobody) Start(Plan)                     {}
func (Nobody) Step(int, record.Metric)        {}
func (Nobody) Valid(int, record.Metric, Fate) {}
func (Nobody) Note(string)                    {}
func (Nobody) Done()                          {}
