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
	// Sweeps is the number of sweeps of a pass. The test of the stop rule after it costs as
	// much as several sweeps.
	Sweeps = 12
	// slack is how far below 0 a row may come and count as active: presolve drops its
	// mirror image up to there. The square is then wrong by the square of this.
	slack = 1e-8
)

// Descent is the state for one component.
type Descent struct {
	model    model
	y        []float64
	backward bool      // direction of the next sweep
	lambda   []float64 // by block: the multiplier of the last sweep
	// scratch of a block and of Point
	c, inverse []float64
}

// Reads reads the component and reports whether it is quadratic. Only then may the other
// methods be called.
func (s *Descent) Reads(p *problem.Problem) bool { return s.model.build(p) }

// Init starts at p.Y, made feasible, once Reads has read p.
func (s *Descent) Init(p *problem.Problem) {
	s.y = append(s.y[:0], p.Y...)
	s.c, s.inverse = append(s.c[:0], s.y...), problem.Resize(s.inverse, p.Targets)
	s.backward = false
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

// Work is the number of multiplications of a sweep, about: the targets and the entries of H.
func (s *Descent) Work() int { return len(s.model.diag) + len(s.model.val) }

// Pass makes Sweeps sweeps and returns the largest change of a target in the last one.
// Where that is rounding, it makes no more.
func (s *Descent) Pass(p *problem.Problem) (largest float64) {
	for range Sweeps {
		if largest = s.sweep(p); largest < Rounding {
			break
		}
	}
	return largest
}

// Rounding is a change of a target that is none.
const Rounding = 1e-15

// sweep minimises over one block after the other, forwards and backwards in turn, and returns
// the largest change of a target.
func (s *Descent) sweep(p *problem.Problem) (largest float64) {
	m := &s.model
	for n := range m.blocks {
		if s.backward {
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
	s.backward = !s.backward
	p.Stats.BlockUpdates += len(m.blocks)
	return largest
}

// Point writes y and the best multipliers for it: the multiplier of a potential follows from
// its slack, the multiplier of an equality maximises the dual given the others.
func (s *Descent) Point(p *problem.Problem) {
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
