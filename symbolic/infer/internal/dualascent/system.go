package dualascent

import (
	"math"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/sparse"
)

// system is the matrix M = A_W H A_Wᵀ + diag of a Newton step, kept as its
// factors. It is applied through them, and solved with in one of three ways:
// small ones by a dense Cholesky factorisation; larger ones by a sparse
// factorisation of
//
//	| H⁻¹   −A_Wᵀ |
//	| −A_W  −diag |
//
// in which long rows, such as the sum of all digits, do not make everything
// dense; and those whose factor would be big by conjugate gradients.
type system struct {
	g      *problem.Forms
	active []int32
	at     []int32
	rate   []float64 // H by target
	diag   []float64 // K and damping over W
	pivot  []float64 // M_rr
	flow   []float64 // H·A_Wᵀ·d by target

	dense []float64

	sparse   bool // a sparse factorisation may be tried
	analysed bool
	kkt      sparse.LDL
	slots    []int32
	place    []int32 // row of each target in kkt, −1 without one
	targets  int
	sol, res []float64

	inexact                 bool // conjugate gradients gave up early
	cgX, cgR, cgP, cgQ, cgZ []float64
}

// assemble takes the rates of the present pieces.
func (s *system) assemble(x *Ascent, p *problem.Problem, active, at []int32, damping float64) {
	g := x.groups
	s.g, s.active, s.at = g, active, at
	s.inexact, s.analysed = false, false
	s.rate, s.flow = problem.Resize(s.rate, p.Targets), problem.Resize(s.flow, p.Targets)
	for i, u := range x.u {
		s.rate[i] = x.targets.softRate(i, -u, x.state[i], nearEdge*(x.uScale[i]+p.Quad[i]))
	}
	n := len(active)
	s.diag, s.pivot = problem.Resize(s.diag, n), problem.Resize(s.pivot, n)
	for r, k := range active {
		rate := x.rows.softRate(int(k), x.lambda[k], x.rowState[k], nearEdge*math.Abs(x.lambda[k]))
		own := 0.0
		for j := g.Ptr[k]; j < g.Ptr[k+1]; j++ {
			i, square := g.Col[j], g.Val[j]*g.Val[j]
			rate += damping * square / (2 * p.Quad[i])
			own += s.rate[i] * square
		}
		s.diag[r], s.pivot[r] = rate, rate+own
	}
}

// spread computes flow = H·A_Wᵀ·d.
func (s *system) spread(d []float64) {
	clear(s.flow)
	for r, v := range d {
		if v != 0 {
			s.add(r, v)
		}
	}
}

// add adds step times row r to the d behind flow.
func (s *system) add(r int, step float64) {
	g, k := s.g, s.active[r]
	for j := g.Ptr[k]; j < g.Ptr[k+1]; j++ {
		i := g.Col[j]
		s.flow[i] += s.rate[i] * g.Val[j] * step
	}
}

// row returns (M·d)_r for the d behind flow, of which d_r is given.
func (s *system) row(r int, d float64) float64 {
	g, k := s.g, s.active[r]
	v := s.diag[r] * d
	for j := g.Ptr[k]; j < g.Ptr[k+1]; j++ {
		v += g.Val[j] * s.flow[g.Col[j]]
	}
	return v
}

// solve overwrites rhs, given over the free positions of W, by the solution of
// M_free,free · e = rhs.
func (s *system) solve(p *problem.Problem, free []int32, rhs []float64) {
	switch {
	case len(free) == 0:
	case len(free) <= denseLimit:
		s.solveDense(p, free, rhs)
	case s.trySparse(p):
		s.solveSparse(p, free, rhs)
	default:
		s.solveConjugate(p, free, rhs)
	}
}

// solveDense assembles M over the free positions and factors it.
func (s *system) solveDense(p *problem.Problem, free []int32, rhs []float64) {
	g, n := s.g, len(free)
	s.dense = problem.Resize(s.dense, n*n)
	clear(s.dense)
	s.place = problem.Resize(s.place, len(s.active))
	for r := range s.place {
		s.place[r] = -1
	}
	for a, r := range free {
		s.place[r] = int32(a)
		s.dense[a*n+a] = s.diag[r]
	}
	position := func(j int32) int32 {
		if r := s.at[g.ColRow[j]]; r >= 0 {
			return s.place[r]
		}
		return -1
	}
	for i, rate := range s.rate {
		if rate == 0 {
			continue
		}
		from, to := g.ColPtr[i], g.ColPtr[i+1]
		for a := from; a < to; a++ {
			r := position(a)
			if r < 0 {
				continue
			}
			row, v := s.dense[int(r)*n:int(r)*n+n], rate*g.ColVal[a]
			for b := from; b <= a; b++ {
				if q := position(b); q >= 0 {
					row[q] += v * g.ColVal[b]
				}
			}
		}
	}
	sparse.Cholesky(s.dense, n)
	sparse.CholeskySolve(s.dense, n, rhs)
	p.Stats.Factorizations++
}
