package primal

// What tests with the driver look at.

// Quadratic tells whether the component was taken as quadratic.
func (s *Solver) Quadratic() bool { return s.quadr }
