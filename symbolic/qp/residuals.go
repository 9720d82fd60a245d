package qp

import "math"

// Solution is a primal–dual pair. The gradient of the Lagrangian at it is
// H·x + Q + Aᵀ·y, which Bound has to cancel.
type Solution struct {
	// X is the point.
	X []float64
	// Row are the multipliers of the rows: ≥ 0 at High, ≤ 0 at Low. Bound are those of
	// the bounds on variables, likewise.
	Row, Bound []float64
}

// Residual tells how far a Solution is from optimal, in the units of the problem and
// absolutely. Its sums are as accurate as if they had twice the digits, so that a gap of
// 1e-6 is told from none where values are 10¹¹. NaN in the solution is never a small
// number here.
type Residual struct {
	// Primal is the largest violation of a row or bound.
	Primal float64
	// Dual is the largest entry of |H·x + Q + Aᵀ·y + Bound|, or a multiplier of a side
	// that is infinite.
	Dual float64
	// Value is the cost at X, DualValue that of the multipliers, and
	// Gap = |Value − DualValue|, which is more accurate than the difference of the two.
	Value, DualValue, Gap float64
}

// Max returns the largest of Primal, Dual and Gap.
func (r Residual) Max() float64 { return worst(r.Primal, worst(r.Dual, r.Gap)) }

// Residuals judges a solution from the problem alone. The gap is added up as
//
//	x·gradient + Σ multiplier·(its side − what it holds),
//
// which equals Value − DualValue and has no large terms near an optimum.
func Residuals(p *Problem, sol *Solution) Residual {
	r, _ := p.residuals(sol)
	return r
}

// residuals also returns the gap with its sign.
func (p *Problem) residuals(sol *Solution) (r Residual, signed float64) {
	var value, gap exact
	side := func(a exact, low, high, mu float64) {
		below, above := a.short(low), a.short(high)
		r.Primal = worst(r.Primal, worst(below, -above))
		left := above
		if mu < 0 {
			left = below
		}
		switch {
		case mu == 0:
		case math.IsInf(left, 0):
			r.Dual = worst(r.Dual, math.Abs(mu))
			gap.mul(mu, a.short(0)) // the dual value has no such side
		default:
			gap.mul(mu, left)
		}
	}
	value.add(p.R)
	for i, x := range sol.X {
		value.mul(p.Q[i], x)
		value.mul(0.5*p.P[i]*x, x)
		col, val := p.offDiagonal(i)
		for j, c := range col {
			value.mul(val[j]*sol.X[c], x)
		}
		lower, upper := p.bounds(i)
		side(exact{high: x}, lower, upper, sol.Bound[i])
	}
	for k := range p.Low {
		side(p.activity(k, sol.X), p.Low[k], p.High[k], sol.Row[k])
	}
	gradient := p.gradient(sol)
	for i, g := range gradient {
		g.add(sol.Bound[i])
		r.Dual = worst(r.Dual, math.Abs(g.value()))
		gap.mul(sol.X[i], g.value())
	}
	r.Value = value.value()
	signed = gap.value()
	r.DualValue, r.Gap = r.Value-signed, math.Abs(signed)
	return r, signed
}

// activity returns A·x of row k.
func (p *Problem) activity(k int, x []float64) (a exact) {
	col, val := p.row(k)
	for j, c := range col {
		a.mul(val[j], x[c])
	}
	return a
}

// gradient returns H·x + Q + Aᵀ·y: what the bounds on variables have to cancel.
func (p *Problem) gradient(sol *Solution) []exact {
	g := make([]exact, len(p.P))
	for i, x := range sol.X {
		g[i].add(p.Q[i])
		g[i].mul(p.P[i], x)
		col, val := p.offDiagonal(i)
		for j, c := range col {
			g[i].mul(val[j], sol.X[c])
			g[c].mul(val[j], x)
		}
	}
	for k, mu := range sol.Row {
		if mu == 0 {
			continue
		}
		col, val := p.row(k)
		for j, c := range col {
			g[c].mul(val[j], mu)
		}
	}
	return g
}

// worst is max(a, b) that lets NaN through from either side.
func worst(a, b float64) float64 {
	if math.IsNaN(b) || b > a {
		return b
	}
	return a
}
