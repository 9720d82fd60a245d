package train

// Observer watches a run. Its methods are called from the goroutine of Run and
// must not change anything the run uses.
type Observer interface {
	// Start is called once, with what is about to happen.
	Start(p Plan)
	// Step is called after every gradient step and Valid after every
	// validation; step counts completed steps.
	Step(step int, m Metric)
	Valid(step int, m Metric, best bool)
	// Note reports something worth a line: a checkpoint, a skipped damaged one.
	Note(text string)
	// Done is called once, also after an error.
	Done()
}

// nobody is the Observer of a run nobody watches.
type nobody struct{}

func (nobody) Start(Plan)              {}
func (nobody) Step(int, Metric)        {}
func (nobody) Valid(int, Metric, bool) {}
func (nobody) Note(string)             {}
func (nobody) Done()                   {}
