package primal

// What tests with the driver look at.

const MaxKnown = maxKnown

// Quadratic tells whether the component was taken as quadratic.
func (s *Solver) Quadratic() bool { return s.quadr }

// Known is the number of structures remembered.
func (s *Solver) Known() int { return len(s.model.known) }
