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

// solve sets y to the minimiser over the block of Σ (½ d_i y_i² − c_i y_i) and returns
// the largest change of a target and the multiplier λ of the equality. near is where to
// look for λ first, NaN if nothing is known; c and d are indexed by target.
func (b *block) solve(p *problem.Problem, y, c, d []float64, near float64) (largest, lambda float64) {
	if b.row >= 0 && len(b.targets) <= small && !math.IsNaN(near) {
		if largest, lambda, ok := b.solveNear(p, y, c, d, near); ok {
			return largest, lambda
		}
	}
	if b.row >= 0 {
		lambda = b.root(p, c, d)
	}
	for j, i := range b.targets {
		x, _ := b.at(p, j, c, d, lambda)
		largest = max(largest, math.Abs(x-y[i]))
		y[i] = x
	}
	return largest, lambda
}

// solveNear is solve by Newton's method from a near multiplier: between sweeps it
// changes little, so that two steps do as a rule. It gives up, with ok false and
// y as it was, where Newton's method without safeguards might fail.
func (b *block) solveNear(p *problem.Problem, y, c, d []float64, near float64) (largest, lambda float64, ok bool) {
	var u, r, x [small]float64 // the target is u − λr before it is clipped
	n := len(b.targets)
	for j, i := range b.targets {
		u[j], r[j] = c[i]/d[i], b.a[j]/d[i]
	}
	lo, hi := math.Inf(-1), math.Inf(1)
	lambda = near
	for range 8 {
		sum, slope := -b.b, 0.0
		for j, i := range b.targets {
			v := u[j] - lambda*r[j]
			switch l, h := p.Lower[i], p.Upper[i]; {
			case v <= l:
				v = l
			case v >= h:
				v = h
			default:
				slope += b.a[j] * r[j]
			}
			x[j] = v
			sum += b.a[j] * v
		}
		next := lambda + sum/slope
		if math.Abs(sum) <= 1e-15*(1+math.Abs(b.b)) || next == lambda {
			for j, i := range b.targets[:n] {
				largest = max(largest, math.Abs(x[j]-y[i]))
				y[i] = x[j]
			}
			return largest, lambda, true
		}
		if sum > 0 {
			lo = lambda
		} else {
			hi = lambda
		}
		if slope == 0 || !(next > lo && next < hi) {
			return 0, 0, false
		}
		lambda = next
	}
	return 0, 0, false
}

// at returns target j of the block at the multiplier λ, and whether it is
// strictly inside its bounds.
func (b *block) at(p *problem.Problem, j int, c, d []float64, lambda float64) (x float64, free bool) {
	i := b.targets[j]
	x = c[i]
	if b.row >= 0 {
		x -= lambda * b.a[j]
	}
	x /= d[i]
	lo, hi := p.Lower[i], p.Upper[i]
	return min(max(x, lo), hi), lo < x && x < hi
}

// root returns a λ with Σ a_j y_j(λ) = b. The left-hand side falls with λ and is
// piecewise linear: Newton's method, kept inside a bracket, ends after as many
// steps as pieces are crossed.
func (b *block) root(p *problem.Problem, c, d []float64) float64 {
	lo, hi := math.Inf(-1), math.Inf(1)
	lambda := 0.0
	for step := range 100 {
		sum, slope := -b.b, 0.0
		for j, i := range b.targets {
			x, free := b.at(p, j, c, d, lambda)
			sum += b.a[j] * x
			if free {
				slope += b.a[j] * b.a[j] / d[i]
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
			next = b.breakpoint(p, c, d, lo, hi)
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
func (b *block) breakpoint(p *problem.Problem, c, d []float64, lo, hi float64) float64 {
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
			at := (c[i] - bound*d[i]) / b.a[j]
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
