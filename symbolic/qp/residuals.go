package qp

import "math"

// Solution is a primal–dual pair. The gradient of the Lagrangian at it is
// P·x + Q + Aᵀ·y, which Bound has to cancel.
type Solution struct {
	// X is the point.
	X []float64
	// Row are the multipliers of the rows: ≥ 0 at High, ≤ 0 at Low. Bound are those of
	// the bounds on variables, likewise.
	Row, Bound []float64
}

// Residual tells how far a Solution is from optimal, in the units of the problem and
// absolutely. NaN in the solution is never a small number here.
type Residual struct {
	// Primal is the largest violation of a row or bound.
	Primal float64
	// Dual is the largest entry of |P·x + Q + Aᵀ·y + Bound|, or a multiplier of a side
	// that is infinite.
	Dual float64
	// Value is the cost at X, DualValue that of the multipliers, and
	// Gap = |Value − DualValue|.
	Value, DualValue, Gap float64
}

// Max returns the largest of Primal, Dual and Gap.
func (r Residual) Max() float64 { return worst(r.Primal, worst(r.Dual, r.Gap)) }

// Residuals judges a solution from the problem alone.
func Residuals(p *Problem, sol *Solution) Residual {
	r := Residual{Value: p.R, DualValue: p.R}
	gradient := make([]float64, len(p.P))
	for i, x := range sol.X {
		gradient[i] = p.P[i]*x + p.Q[i] + sol.Bound[i]
		r.Value += (0.5*p.P[i]*x + p.Q[i]) * x
		r.DualValue -= 0.5 * p.P[i] * x * x
		lower, upper := p.bounds(i)
		r.side(x, lower, upper, sol.Bound[i])
	}
	for k := range p.Low {
		a := 0.0
		col, val := p.row(k)
		for j, c := range col {
			a += val[j] * sol.X[c]
			gradient[c] += val[j] * sol.Row[k]
		}
		r.side(a, p.Low[k], p.High[k], sol.Row[k])
	}
	for _, g := range gradient {
		r.Dual = worst(r.Dual, math.Abs(g))
	}
	r.Gap = math.Abs(r.Value - r.DualValue)
	return r
}

// side adds low ≤ a ≤ high with multiplier mu.
func (r *Residual) side(a, low, high, mu float64) {
	r.Primal = worst(r.Primal, worst(low-a, a-high))
	at := high
	if mu < 0 {
		at = low
	}
	switch {
	case mu == 0:
	case math.IsInf(at, 0):
		r.Dual = worst(r.Dual, math.Abs(mu))
	default:
		r.DualValue -= mu * at
	}
}

// worst is max(a, b) that lets NaN through from either side.
func worst(a, b float64) float64 {
	if math.IsNaN(b) || b > a {
		return b
	}
	return a
}
