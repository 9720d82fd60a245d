package infer

// Record is what a Recorder is told at each test of the stop rule.
type Record struct {
	// Instance is the index of the instance (0 for Solve), Component that of
	// the component in the template, Iteration the iterations done.
	Instance, Component, Iteration int
	// Primal, Dual and Violation are those of the component.
	Primal, Dual, Violation float64
	// Stats is the work done on the component so far.
	Stats Stats
}

// Recorder observes a solve. It must not change anything the solve uses.
type Recorder interface {
	Record(Record)
}

// RecorderFunc makes a Recorder of a function.
type RecorderFunc func(Record)

// Record calls f.
func (f RecorderFunc) Record(r Record) { f(r) }
