package primal

import (
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

const (
	// relaxation is ω of successive over-relaxation, below 2. The best value depends
	// on how strongly the targets are coupled: this one is near the best for weights
	// of links and outputs that are alike.
	relaxation = 1.35
	// patience is the number of sweeps after which a component is handed to the other
	// solver, from the point reached: where weights differ by many orders of
	// magnitude, coordinate steps are too short.
	patience = 1000
	// slack is how far below 0 a row may come and count as active: presolve drops its
	// mirror image up to there. The square is then wrong by the square of this.
	slack = 1e-8
)

// Solver is the state for one component.
type Solver struct {
	other  problem.Solver // of components that are not quadratic
	quadr  bool           // this one is
	model  model
	y      []float64
	moved  bool // direction of the last sweep: forwards
	sweeps int
	lambda []float64 // by block: the multiplier of the last sweep
	// scratch of a block and of Point
	c, inverse []float64
}

// New returns working state. other solves the components that are not quadratic, and
// those that take too many sweeps.
func New(other problem.Solver) *Solver { return &Solver{other: other} }

// Init reads the component and starts at p.Y, made feasible.
func (s *Solver) Init(p *problem.Problem) {
	if s.quadr = s.model.build(p); !s.quadr {
		s.other.Init(p)
		return
	}
	s.y = append(s.y[:0], p.Y...)
	s.c, s.inverse = append(s.c[:0], s.y...), problem.Resize(s.inverse, p.Targets)
	s.moved, s.sweeps = false, 0
	s.lambda = problem.Resize(s.lambda, len(s.model.blocks))
	clear(s.lambda)
	// The nearest feasible point of each block.
	for i := range s.inverse {
		s.inverse[i] = 1
	}
	for n := range s.model.blocks {
		s.model.blocks[n].solve(p, s.y, s.c, s.inverse, 0)
	}
}

// Iterate makes one sweep over the blocks, forwards and backwards in turn.
func (s *Solver) Iterate(p *problem.Problem) problem.Progress {
	if s.quadr && s.sweeps == patience {
		s.Point(p)
		s.other.Init(p)
		s.quadr = false
	}
	if !s.quadr {
		return s.other.Iterate(p)
	}
	s.sweeps++
	m := &s.model
	largest := 0.0
	s.moved = !s.moved
	for n := range m.blocks {
		if !s.moved {
			n = len(m.blocks) - 1 - n
		}
		b := &m.blocks[n]
		for _, i := range b.targets {
			c := -m.f[i]
			val := m.val[m.ptr[i]:m.ptr[i+1]]
			for k, j := range m.col[m.ptr[i]:m.ptr[i+1]] {
				c -= val[k] * s.y[j]
			}
			// Over-relaxation: aim beyond the minimiser without the block's
			// constraints.
			s.c[i] = relaxation*c + (1-relaxation)*m.diag[i]*s.y[i]
		}
		change, lambda := b.solve(p, s.y, s.c, m.inverse, s.lambda[n])
		largest, s.lambda[n] = max(largest, change), lambda
	}
	p.Stats.BlockUpdates += len(m.blocks)
	if largest < 1e-15 {
		return problem.Settled
	}
	return problem.Moving
}

// Point writes y and the best multipliers for it: the multiplier of a potential follows from
// its slack, the multiplier of an equality maximises the dual given the others.
func (s *Solver) Point(p *problem.Problem) {
	if !s.quadr {
		s.other.Point(p)
		return
	}
	copy(p.Y, s.y)
	clear(p.Dual)
	for f := range len(p.SidePtr) - 1 {
		z := p.Side(f, s.y)
		for k := p.SidePtr[f]; k < p.SidePtr[f+1]; k++ {
			if p.Kind[k] == lcqp.Square {
				p.Dual[k] = max(2*p.Curv[k]*(p.Coef[k]*z+p.B[k]), 0)
			}
		}
	}
	// λ maximises the dual given the pull −c of all other rows.
	p.Pull(p.Dual, s.c)
	for i, pull := range s.c {
		s.c[i], s.inverse[i] = -pull, 1/(2*p.Quad[i])
	}
	for n := range s.model.blocks {
		if b := &s.model.blocks[n]; b.row >= 0 {
			p.Dual[b.row] = b.root(p, s.c, s.inverse, s.lambda[n]) / p.Coef[b.row]
		}
	}
}
