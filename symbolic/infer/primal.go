package infer

import (
	"hinge/symbolic/infer/internal/primal"
	"hinge/symbolic/infer/internal/problem"
)

// Primal is block descent on the primal of every quadratic component, small ones too, on which
// Auto is exact where Primal stops at the gap: the recorded runs of citation networks are its. It is
// Auto on other components, and on quadratic ones that take more than a thousand sweeps.
type Primal struct{}

// Name returns "primal".
func (Primal) Name() string { return "primal" }

// Capabilities says that multipliers are found together with the point.
func (Primal) Capabilities() Capabilities {
	return Capabilities{MaxIterations: 100000 / primal.Sweeps, CheckEvery: 1, ProvesGap: true}
}

// NewSolver returns working state.
func (Primal) NewSolver() Solver { return &primalDescent{other: Auto{}.NewSolver()} }

// primalDescent is the state of Primal for one component.
type primalDescent struct {
	primal.Descent
	other     Solver
	quadratic bool
	passes    int
}

// Init begins at p.Y.
func (d *primalDescent) Init(p *problem.Problem) {
	if d.quadratic, d.passes = d.Reads(p), 0; d.quadratic {
		d.Descent.Init(p)
	} else {
		d.other.Init(p)
	}
}

// Iterate makes a pass, or an iteration of the other method.
func (d *primalDescent) Iterate(p *problem.Problem) problem.Progress {
	if d.quadratic && d.passes == 1000/primal.Sweeps {
		d.Descent.Point(p)
		d.other.Init(p)
		d.quadratic = false
	}
	if !d.quadratic {
		return d.other.Iterate(p)
	}
	if d.passes++; d.Pass(p) < primal.Rounding {
		return problem.Settled
	}
	return problem.Moving
}

// Point writes the point and its multipliers.
func (d *primalDescent) Point(p *problem.Problem) {
	if d.quadratic {
		d.Descent.Point(p)
	} else {
		d.other.Point(p)
	}
}
