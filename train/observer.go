package train

import (
	"hinge/train/record"
)

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
