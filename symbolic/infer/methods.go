package infer

import (
	"hinge/symbolic/infer/internal/admm"
	"hinge/symbolic/infer/internal/dualascent"
	"hinge/symbolic/infer/internal/ipm"
	"hinge/symbolic/infer/internal/paper"
	"hinge/symbolic/infer/internal/primal"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/subgradient"
)

type (
	Problem     = problem.Problem
	Method      = problem.Method
	Solver      = problem.Solver
	Progress    = problem.Progress
	Stats       = problem.Stats
	Certificate = problem.Certificate

	DualBCD       = dualascent.DualBCD
	InteriorPoint = ipm.InteriorPoint
	PaperBCD      = paper.PaperBCD
	LockFreeBCD   = paper.LockFreeBCD
	ADMM          = admm.ADMM
	Subgradient   = subgradient.Subgradient
)

const (
	Moving  = problem.Moving
	Settled = problem.Settled
	Ready   = problem.Ready
	Refused = problem.Refused
)

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
