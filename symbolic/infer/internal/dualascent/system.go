package dualascent

import (
	"math"

	"hinge/symbolic/infer/internal/problem"
)

// system is the matrix M = A_W H A_Wᵀ + diag of a Newton step, kept as its
// factors, applied through them, and solved with by conjugate gradients: those whose
// factor is worth making are left to the interior point method.
type system struct {
	g      *problem.Forms
	active []int32
	rate   []float64 // H by target
	diag   []float64 // K and damping over W
	pivot  []float64 // M_rr
	flow   []float64 // H·A_Wᵀ·d by target

	inexact                 bool // conjugate gradients gave up early
	cgX, cgR, cgP, cgQ, cgZ []float64
}

// assemble takes the rates of the present pieces.
func (s *system) assemble(x *Ascent, p *problem.Problem, active []int32, damping float64) {
	g := x.groups
	s.g, s.active = g, active
	s.inexact = false
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
		if v == 0 {
			continue
		}
		g, k := s.g, s.active[r]
		for j := g.Ptr[k]; j < g.Ptr[k+1]; j++ {
			i := g.Col[j]
			s.flow[i] += s.rate[i] * g.Val[j] * v
		}
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
// M_free,free · e = rhs: by conjugate gradients with a diagonal preconditioner, to an
// accuracy that follows the size of the right-hand side, as inexact Newton methods do.
func (s *system) solve(p *problem.Problem, free []int32, rhs []float64) {
	n := len(s.active)
	for _, v := range []*[]float64{&s.cgX, &s.cgR, &s.cgP, &s.cgQ, &s.cgZ} {
		*v = problem.Resize(*v, n)
		clear(*v)
	}
	x, res, dir, q, z := s.cgX, s.cgR, s.cgP, s.cgQ, s.cgZ
	norm, rho, largest := 0.0, 0.0, 0.0
	for a, r := range free {
		res[r] = rhs[a]
		z[r] = res[r] / s.pivot[r]
		dir[r] = z[r]
		norm += res[r] * res[r]
		rho += res[r] * z[r]
		largest = max(largest, math.Abs(res[r]))
	}
	goal := norm * min(1e-4, max(largest*largest, 1e-20))
	for range 5*int(math.Sqrt(float64(n))) + 200 {
		if norm <= goal || rho == 0 {
			break
		}
		s.spread(dir)
		curvature := 0.0
		for _, r := range free {
			q[r] = s.row(int(r), dir[r])
			curvature += dir[r] * q[r]
		}
		if !(curvature > 0) {
			break
		}
		step, next := rho/curvature, 0.0
		norm = 0
		for _, r := range free {
			x[r] += step * dir[r]
			res[r] -= step * q[r]
			z[r] = res[r] / s.pivot[r]
			norm += res[r] * res[r]
			next += res[r] * z[r]
		}
		for _, r := range free {
			dir[r] = z[r] + next/rho*dir[r]
		}
		rho = next
		p.Stats.Krylov++
	}
	s.inexact = norm > goal
	for a, r := range free {
		rhs[a] = x[r]
	}
}
