package lcqp

import (
	"math"

	"hinge/symbolic/hlmrf"
)

// Residual tells how far a claimed solution is from optimal, in the original
// scaling. Every field but the values is ≥ 0 and 0 at an exact optimum. NaN
// anywhere in the solution shows as NaN or +Inf here, never as a small number.
type Residual struct {
	// Primal is the largest violation of a hard constraint, a bound or
	// a·y + b − s ≤ 0.
	Primal float64
	// DualSign is the largest amount by which a multiplier that must be ≥ 0
	// is negative.
	DualSign float64
	// Stationarity is the largest entry of |2(D + εI)ν + c + Aᵀμ|.
	Stationarity float64
	// Complementarity is the largest |μ_j (Aν + b)_j| over all rows, bound rows
	// included.
	Complementarity float64
	// PrimalValue is the objective at ν, DualValue the Lagrange dual function
	// at the full multipliers, minimised over all ν (paper, appendix on smooth inference), and
	// Gap = |PrimalValue − DualValue|.
	PrimalValue, DualValue, Gap float64
}

// Max returns the largest of the residuals, with the gap taken relative to
// 1 + |PrimalValue|.
func (r Residual) Max() float64 {
	return worst(r.Primal, worst(r.DualSign, worst(r.Stationarity,
		worst(r.Complementarity, r.Gap/(1+math.Abs(r.PrimalValue))))))
}

// Residuals judges sol. It reads the ground program behind the template and
// the instance's b, weights, bounds and proximal term; it uses nothing a solver
// has computed but the numbers under judgement.
func Residuals(in *Instance, sol *Solution) Residual {
	r, _ := (*Share)(nil).Residuals(in, sol) // alone, nothing can fail
	return r
}

// Share describes an instance that is a part of a program whose rows are divided among several
// instances. Instances may share targets; each shared target counts in one of them. A nil
// Share means that the instance is the whole program.
type Share struct {
	// Own reports of each target whether it counts here: its ε, proximal term and bounds.
	Own []bool
	// Complete adds to the entries of shared targets the sums of the other instances. All
	// instances call it together.
	Complete func(pull []float64) error
}

// Residuals judges this instance's part of a solution. The largest residuals of the parts, the
// sums of their values, and the difference of these sums as the gap are the numbers that
// Residuals returns for the whole program. The error comes from Complete.
func (s *Share) Residuals(in *Instance, sol *Solution) (Residual, error) {
	t := in.Template
	p := t.program
	var r Residual
	// pull is the gradient of the Lagrangian with respect to y without the
	// quadratic terms: Aᵀμ − α + β − 2rŷ.
	pull := make([]float64, t.Targets)
	for i := range pull {
		if !s.owns(i) {
			continue
		}
		lo, up := sol.LowerDual[i], sol.UpperDual[i]
		y, lower, upper := sol.Y[i], in.Lower[i], in.Upper[i]
		rho, c := in.Prox[i], in.Center[i]
		r.bound(lower-y, lo)
		r.bound(y-upper, up)
		pull[i] = up - lo - 2*rho*c
		r.PrimalValue += in.Epsilon*y*y + rho*(y-c)*(y-c)
		r.DualValue += lo*lower - up*upper + rho*c*c
	}
	for i := range t.Constraints {
		v := affine(&p.Constraints, i, sol.Y, in.B[i], sol.Dual[i], pull)
		mu := sol.Dual[i]
		r.DualValue += mu * in.B[i]
		if p.Relations[i] == hlmrf.Equal {
			r.Primal = worst(r.Primal, math.Abs(v))
			r.Complementarity = worst(r.Complementarity, math.Abs(mu*v))
		} else {
			r.bound(v, mu)
		}
	}
	for k := range t.Potentials {
		row := t.Constraints + k
		s, mu, sigma := sol.Slack[k], sol.Dual[row], sol.SlackDual[k]
		r.bound(affine(&p.Potentials, k, sol.Y, in.B[row], mu, pull)-s, mu)
		r.bound(-s, sigma)
		rule := p.PotentialRule[k]
		w := in.Weights[rule]
		// The slack's own terms: quad·s² + lin·s with all multipliers.
		quad, lin := in.Epsilon, w-mu-sigma
		if w == 0 {
			quad = 0
		}
		value := w*s + quad*s*s
		if p.Rules[rule].Squared {
			quad, lin = w+quad, -mu-sigma
			value = quad * s * s
		}
		r.Stationarity = worst(r.Stationarity, math.Abs(2*quad*s+lin))
		r.PrimalValue += value
		r.DualValue += mu * in.B[row]
		if lin != 0 { // without a cost it would be −∞
			r.DualValue -= lin * lin / (4 * quad)
		}
	}
	if s != nil {
		if err := s.Complete(pull); err != nil {
			return r, err
		}
	}
	for i, y := range sol.Y {
		if !s.owns(i) {
			continue
		}
		quad := in.Epsilon + in.Prox[i]
		r.Stationarity = worst(r.Stationarity, math.Abs(2*quad*y+pull[i]))
		r.DualValue -= pull[i] * pull[i] / (4 * quad)
	}
	r.Gap = math.Abs(r.PrimalValue - r.DualValue)
	return r, nil
}

// owns reports whether target i counts here.
func (s *Share) owns(i int) bool { return s == nil || s.Own[i] }

// bound records the inequality v ≤ 0 with multiplier mu ≥ 0.
func (r *Residual) bound(v, mu float64) {
	r.Primal = worst(r.Primal, v)
	r.DualSign = worst(r.DualSign, -mu)
	r.Complementarity = worst(r.Complementarity, math.Abs(mu*v))
}

// affine returns a_k·y + b and adds μ·a_k to pull.
func affine(rows *hlmrf.Rows, k int, y []float64, b, mu float64, pull []float64) float64 {
	col, val := rows.Row(k)
	for j, c := range col {
		b += val[j] * y[c]
		pull[c] += val[j] * mu
	}
	return b
}

// worst is max(a, b) that lets NaN through from either side.
func worst(a, b float64) float64 {
	if math.IsNaN(b) || b > a {
		return b
	}
	return a
}
