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

	// A·H^½ by free position, without the targets that do not move, and H^½·Aᵀ·d.
	ptr, col []int32
	val      []float64
	flow     []float64

	inexact            bool // conjugate gradients gave up early
	cgR, cgP, cgQ, cgZ []float64
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

// restrict lays out the rows of M at the free positions of W.
func (s *system) restrict(free []int32) {
	s.ptr, s.col, s.val = append(s.ptr[:0], 0), s.col[:0], s.val[:0]
	for _, r := range free {
		g, k := s.g, s.active[r]
		for j := g.Ptr[k]; j < g.Ptr[k+1]; j++ {
			if rate := s.rate[g.Col[j]]; rate > 0 {
				s.col, s.val = append(s.col, g.Col[j]), append(s.val, g.Val[j]*math.Sqrt(rate))
			}
		}
		s.ptr = append(s.ptr, int32(len(s.col)))
	}
}

// times writes M_free,free·d to out and returns d·M·d.
func (s *system) times(free []int32, d, out []float64) (curvature float64) {
	clear(s.flow)
	for a, v := range d {
		from, to := s.ptr[a], s.ptr[a+1]
		val := s.val[from:to]
		for j, c := range s.col[from:to] {
			s.flow[c] += val[j] * v
		}
	}
	for a, r := range free {
		from, to := s.ptr[a], s.ptr[a+1]
		val, v := s.val[from:to], s.diag[r]*d[a]
		for j, c := range s.col[from:to] {
			v += val[j] * s.flow[c]
		}
		out[a] = v
		curvature += d[a] * v
	}
	return curvature
}

// solve overwrites rhs, given over the free positions of W, by the solution of
// M_free,free · e = rhs: by conjugate gradients with a diagonal preconditioner, to an
// accuracy that follows the size of the right-hand side, as inexact Newton methods do.
func (s *system) solve(p *problem.Problem, free []int32, rhs []float64) {
	s.restrict(free)
	problem.ResizeAll(len(free), &s.cgR, &s.cgP, &s.cgQ, &s.cgZ)
	x, res, dir, q, z := rhs, s.cgR, s.cgP, s.cgQ, s.cgZ
	norm, rho, largest := 0.0, 0.0, 0.0
	for a, r := range free {
		res[a] = rhs[a]
		z[a] = res[a] / s.pivot[r]
		dir[a] = z[a]
		norm += res[a] * res[a]
		rho += res[a] * z[a]
		largest = max(largest, math.Abs(res[a]))
	}
	clear(x)
	goal := norm * min(1e-4, max(largest*largest, 1e-20))
	for range 5*int(math.Sqrt(float64(len(s.active)))) + 200 {
		if norm <= goal || rho == 0 {
			break
		}
		curvature := s.times(free, dir, q)
		if !(curvature > 0) {
			break
		}
		step, next := rho/curvature, 0.0
		norm = 0
		for a, r := range free {
			x[a] += step * dir[a]
			res[a] -= step * q[a]
			z[a] = res[a] / s.pivot[r]
			norm += res[a] * res[a]
			next += res[a] * z[a]
		}
		for a, v := range z {
			dir[a] = v + next/rho*dir[a]
		}
		rho = next
		p.Stats.Krylov++
	}
	s.inexact = norm > goal
}
