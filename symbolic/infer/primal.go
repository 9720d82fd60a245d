package infer

import "hinge/symbolic/infer/internal/primal"

// Primal is block coordinate descent on the primal of quadratic components, such as
// those of citation networks, and Auto on others and on those that take too many
// sweeps.
type Primal struct{}

// Name returns "primal".
func (Primal) Name() string { return "primal" }

// Defaults returns 100,000 sweeps, tested after each twelfth.
func (Primal) Defaults() (int, int) { return 100000, 12 }

// NewSolver returns working state.
func (Primal) NewSolver() Solver { return primal.New(Auto{}.NewSolver()) }
