package dualascent

import (
	"math"

	"hinge/symbolic/infer/internal/problem"
)

// solveConjugate solves by conjugate gradients with a diagonal preconditioner,
// to an accuracy that follows the size of the right-hand side, as inexact
// Newton methods do.
func (s *system) solveConjugate(p *problem.Problem, free []int32, rhs []float64) {
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
