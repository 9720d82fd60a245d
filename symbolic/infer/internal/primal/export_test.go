package primal

// What tests with the driver look at.

// Quadratic reports whether the component was taken as quadratic.
func (s *Solver) Quadratic() bool { return s.quadr }
