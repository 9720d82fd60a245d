package lcqp

import (
	"math"
	"sync"
)

// pulls keeps scratch for Value and SetDeep, which may be called by many goroutines.
var pulls = sync.Pool{New: func() any { return new([]float64) }}

// Value returns the regularised primal value at (sol.Y, sol.Slack) and the
// regularised dual value at sol.Dual. At an optimum both are V, or M with a
// proximal term; the dual value never exceeds the optimum, whatever the
// multipliers, as long as their signs are right. The dual is evaluated with
// box and slack bounds eliminated: for given μ the Lagrangian is minimised over
// Lower ≤ y ≤ Upper and s in closed form.
func (in *Instance) Value(sol *Solution) (primal, dual float64) {
	eps := in.Epsilon
	for i, y := range sol.Y {
		d := y - in.Center[i]
		primal += eps*y*y + in.Prox[i]*d*d
	}
	for k, s := range sol.Slack {
		weight, curv := in.RowCost(in.Constraints + k)
		primal += (weight + curv*s) * s
	}
	scratch := pulls.Get().(*[]float64)
	defer pulls.Put(scratch)
	pull := resize(*scratch, in.Targets) // Aᵀμ
	*scratch = pull
	clear(pull)
	for row, mu := range sol.Dual {
		for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
			pull[in.Col[j]] += in.Val[j] * mu
		}
	}
	for i, m := range pull {
		quad := eps + in.Prox[i]
		lin := m - 2*in.Prox[i]*in.Center[i]
		y := min(max(-lin/(2*quad), in.Lower[i]), in.Upper[i])
		dual += (quad*y+lin)*y + in.Prox[i]*in.Center[i]*in.Center[i]
	}
	for row, mu := range sol.Dual {
		dual += mu * in.B[row]
		if in.Kinds[row] <= HardEQ {
			continue
		}
		weight, curv := in.RowCost(row)
		if over := mu - weight; over > 0 || mu != 0 && in.Kinds[row] == Square {
			dual -= over * over / (4 * curv)
		}
	}
	return primal, dual
}

// Energy returns the raw energy w·Φ at the slacks of sol: no ε, no proximal
// term.
func (in *Instance) Energy(sol *Solution) float64 {
	e := 0.0
	for k, s := range sol.Slack {
		row := in.Constraints + k
		if in.Kinds[row] == Square {
			s *= s
		}
		e += in.Weights[in.RuleOf[row]] * s
	}
	return e
}

// Incompatibility writes Φ(y*), the sum of the unweighted potentials of each
// rule, into phi (length Rules). It is ∂V/∂w (paper, theorem 5.2), and at the
// solution of the augmented problem ∂M/∂w.
func (in *Instance) Incompatibility(sol *Solution, phi []float64) {
	clear(phi)
	for k := nextNonzero(sol.Slack, 0); k < len(sol.Slack); k = nextNonzero(sol.Slack, k+1) {
		row, s := in.Constraints+k, sol.Slack[k]
		if in.Kinds[row] == Square {
			s *= s
		}
		phi[in.RuleOf[row]] += s
	}
}

// nextNonzero returns the first i ≥ from with x_i ≠ 0, or len(x). Most rows are
// inactive, so it looks at eight numbers at once.
func nextNonzero(x []float64, from int) int {
	i := from
	for ; i+8 <= len(x); i += 8 {
		b := x[i : i+8 : i+8]
		bits := math.Float64bits(b[0]) | math.Float64bits(b[1]) | math.Float64bits(b[2]) | math.Float64bits(b[3]) |
			math.Float64bits(b[4]) | math.Float64bits(b[5]) | math.Float64bits(b[6]) | math.Float64bits(b[7])
		if bits<<1 != 0 { // except for the sign of zero
			break
		}
	}
	for i < len(x) && x[i] == 0 {
		i++
	}
	return i
}

// DeepGradient writes ∂V/∂g = Bᵀμ* into dg (length Deep): as b is affine in g,
// the multiplier of each row, also of a hard constraint, passes through its coefficients on
// the neural outputs (paper, theorem 5.2).
func (in *Instance) DeepGradient(sol *Solution, dg []float64) {
	if clear(dg); len(in.DeepCol) == 0 {
		return
	}
	for row := nextNonzero(sol.Dual, 0); row < len(sol.Dual); row = nextNonzero(sol.Dual, row+1) {
		mu := sol.Dual[row]
		for j := in.DeepPtr[row]; j < in.DeepPtr[row+1]; j++ {
			dg[in.DeepCol[j]] += in.DeepVal[j] * mu
		}
	}
}

// ProxGradient writes ∂M/∂ŷ = 2r(ŷ − y*) = (ŷ − y*)/ρ into d (length Targets).
func (in *Instance) ProxGradient(sol *Solution, d []float64) {
	for i, y := range sol.Y {
		d[i] = 2 * in.Prox[i] * (in.Center[i] - y)
	}
}
