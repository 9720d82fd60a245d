package paper

import (
	"math"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// paperBlock is one block of the paper's dual BCD, copied out of the shared
// arrays: the multiplier μ of a row, σ of its slack's bound (linear hinges
// only) and, for every target of the row, α of its lower and β of its upper
// bound. It is what the sequential and the lock-free variant have in common;
// they differ in how they read and write the arrays.
type paperBlock struct {
	mu, sigma   float64
	dMu, dSigma float64
	entries     []entry
}

// entry is one target of a block: its coefficient a, its constants, the
// state (m, α, β), the direction (dα, dβ) and f = (Aᵀd)_i.
type entry struct {
	a, quad, lower, upper float64
	m, alpha, beta        float64
	dAlpha, dBeta         float64
	f                     float64
}

// load copies what does not change during a solve.
func (b *paperBlock) load(p *problem.Problem, k int) {
	from, to := p.Ptr[k], p.Ptr[k+1]
	b.entries = problem.Resize(b.entries, int(to-from))
	for n := range b.entries {
		e := &b.entries[n]
		i := p.Col[from+int32(n)]
		e.a, e.quad, e.lower, e.upper = p.Val[from+int32(n)], p.Quad[i], p.Lower[i], p.Upper[i]
	}
}

// direction computes d = ∇h on the block and f = Aᵀd on its targets from m, μ,
// σ, α and β. Components that are within rounding of 0, or would push a
// multiplier out through the bound it lies on, are set to 0; without the
// latter, the first such multiplier would keep the step at 0 for ever. It
// returns false when nothing is left.
func (b *paperBlock) direction(p *problem.Problem, k int) bool {
	d := -2 * p.B[k]
	scale := math.Abs(d)
	for n := range b.entries {
		e := &b.entries[n]
		v := e.a * e.m / e.quad
		d += v
		scale += math.Abs(v)
	}
	free := p.Kind[k] == lcqp.HardEQ
	b.dSigma = 0
	switch p.Kind[k] {
	case lcqp.Linear:
		v := (b.mu + b.sigma - p.Weight[k]) / p.Curv[k]
		d += v
		size := (b.mu + b.sigma + p.Weight[k]) / p.Curv[k]
		scale += size
		b.dSigma = keep(v, size, b.sigma, false)
	case lcqp.Square:
		v := b.mu / p.Curv[k]
		d += v
		scale += v
	}
	b.dMu = keep(d, scale, b.mu, free)
	moves := b.dMu != 0 || b.dSigma != 0
	for n := range b.entries {
		e := &b.entries[n]
		v := e.m / e.quad
		size := math.Abs(v)
		e.dAlpha = keep(-v-2*e.lower, size+2*math.Abs(e.lower), e.alpha, false)
		e.dBeta = keep(v+2*e.upper, size+2*math.Abs(e.upper), e.beta, false)
		e.f = e.a*b.dMu - e.dAlpha + e.dBeta
		moves = moves || e.dAlpha != 0 || e.dBeta != 0
	}
	return moves
}

// keep returns the partial derivative d, whose terms have the size given, or 0
// when the multiplier is not to move.
func keep(d, size, multiplier float64, free bool) float64 {
	if math.Abs(d) <= 4e-16*size || d > 0 && !free && multiplier == 0 {
		return 0
	}
	return d
}

// step returns α_l = min{dᵀd / fᵀD̃f, min_{j: d_j > 0} μ_j/d_j}.
func (b *paperBlock) step(p *problem.Problem, k int) float64 {
	num := b.dMu*b.dMu + b.dSigma*b.dSigma
	den := 0.0
	limit := math.Inf(1)
	if b.dMu > 0 && p.Kind[k] != lcqp.HardEQ {
		limit = b.mu / b.dMu
	}
	if b.dSigma > 0 {
		limit = min(limit, b.sigma/b.dSigma)
	}
	for n := range b.entries {
		e := &b.entries[n]
		num += e.dAlpha*e.dAlpha + e.dBeta*e.dBeta
		den += e.f * e.f / e.quad
		if e.dAlpha > 0 {
			limit = min(limit, e.alpha/e.dAlpha)
		}
		if e.dBeta > 0 {
			limit = min(limit, e.beta/e.dBeta)
		}
	}
	if p.Kind[k] > lcqp.HardEQ {
		f := b.dMu + b.dSigma
		den += f * f / p.Curv[k]
	}
	// Below the threshold f is what rounding leaves where μ and the bounds of a
	// hard row cancel: the curvature is null.
	if den > 1e-24*num {
		return min(num/den, limit)
	}
	if math.IsInf(limit, 1) {
		return 0
	}
	return limit
}

// after returns the multiplier after a step, exactly 0 if it is the one that
// cut the step.
func after(multiplier, step, d float64) float64 {
	move := float64(step * d) // rounded here, so that all platforms agree
	if d > 0 && multiplier <= move {
		return 0
	}
	return multiplier - move
}

// afterMu is after for the row's multiplier, which is free on equalities.
func (b *paperBlock) afterMu(p *problem.Problem, k int, step float64) float64 {
	if p.Kind[k] == lcqp.HardEQ {
		return b.mu - step*b.dMu
	}
	return after(b.mu, step, b.dMu)
}

// paperStart returns the multipliers of the bounds that are best for given
// row multipliers: m = Lin + Aᵀμ − α + β with clip(−m/(2 Quad)) = −m/(2 Quad).
func paperStart(p *problem.Problem, i int, pull float64) (m, alpha, beta float64) {
	alpha = max(pull+2*p.Quad[i]*p.Lower[i], 0)
	beta = max(-pull-2*p.Quad[i]*p.Upper[i], 0)
	return pull - alpha + beta, alpha, beta
}

// slackStart is the same for the slack of a linear hinge.
func slackStart(p *problem.Problem, k int, mu float64) float64 {
	if p.Kind[k] != lcqp.Linear {
		return 0
	}
	return max(p.Weight[k]-mu, 0)
}
