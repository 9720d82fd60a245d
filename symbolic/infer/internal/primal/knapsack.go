package primal

import (
	"math"

	"hinge/symbolic/infer/internal/problem"
)

// block is a set of targets that one hard equality a·y = b ties, or a single
// target that none does (row −1).
type block struct {
	row     int
	targets []int32
	a       []float64
	b       float64
}

// solve sets y to the minimiser over the block of Σ (½ y_i²/inverse_i − c_i y_i) and
// returns the largest change of a target and the multiplier λ of the equality, near which
// it looks first. y, c and inverse are indexed by target.
func (b *block) solve(p *problem.Problem, y, c, inverse []float64, near float64) (largest, lambda float64) {
	if b.row >= 0 {
		lambda = b.root(p, c, inverse, near)
	}
	for j, i := range b.targets {
		x, _ := b.at(p, j, c, inverse, lambda)
		largest = max(largest, math.Abs(x-y[i]))
		y[i] = x
	}
	return largest, lambda
}

// at returns target j of the block at the multiplier λ, and whether it is
// strictly inside its bounds.
func (b *block) at(p *problem.Problem, j int, c, inverse []float64, lambda float64) (x float64, free bool) {
	i := b.targets[j]
	x = c[i]
	if b.row >= 0 {
		x -= lambda * b.a[j]
	}
	x *= inverse[i]
	lo, hi := p.Lower[i], p.Upper[i]
	return min(max(x, lo), hi), lo < x && x < hi
}

// root returns a λ with Σ a_j y_j(λ) = b. The left-hand side falls with λ and is
// piecewise linear: Newton's method, kept inside a bracket, ends after as many
// steps as pieces are crossed, two as a rule between sweeps.
func (b *block) root(p *problem.Problem, c, inverse []float64, near float64) float64 {
	lo, hi := math.Inf(-1), math.Inf(1)
	lambda := near
	for step := range 100 {
		sum, slope := -b.b, 0.0
		for j, i := range b.targets {
			x, free := b.at(p, j, c, inverse, lambda)
			sum += b.a[j] * x
			if free {
				slope += b.a[j] * b.a[j] * inverse[i]
			}
		}
		if sum > 0 {
			lo = lambda
		} else {
			hi = lambda
		}
		if math.Abs(sum) <= 1e-15*(1+math.Abs(b.b)) {
			return lambda
		}
		next := lambda + sum/slope
		// Without a free target, or with a step out of the bracket, take the
		// breakpoint nearest to the far end, or halve the bracket.
		if slope == 0 || !(next > lo && next < hi) || step > 40 {
			next = b.breakpoint(p, c, inverse, lo, hi)
		}
		if next == lambda {
			return lambda
		}
		lambda = next
	}
	return lambda
}

// breakpoint returns a point inside (lo, hi): the middle, or where an end is
// infinite the breakpoint next beyond the finite one.
func (b *block) breakpoint(p *problem.Problem, c, inverse []float64, lo, hi float64) float64 {
	if !math.IsInf(lo, 0) && !math.IsInf(hi, 0) {
		return lo + (hi-lo)/2
	}
	from, up := lo, true
	if math.IsInf(lo, 0) {
		from, up = hi, false
	}
	best := math.Inf(1)
	for j, i := range b.targets {
		for _, bound := range [2]float64{p.Lower[i], p.Upper[i]} {
			at := (c[i] - bound/inverse[i]) / b.a[j]
			if dist := at - from; up && dist > 0 {
				best = min(best, dist)
			} else if !up && dist < 0 {
				best = min(best, -dist)
			}
		}
	}
	if math.IsInf(best, 1) {
		return from // no breakpoint beyond: the equality cannot be met
	}
	// A little further, so that the target that moves there is free.
	best += 1e-12 * (1 + math.Abs(from) + best)
	if !up {
		best = -best
	}
	return from + best
}
