package lcqptest

import "hinge/symbolic/lcqp"

// Explicit is an instance with everything written out, as in the paper's
// appendix on smooth inference: one matrix A over ν = (s_S, s_L, y), bound rows included. It is
// for tests and their readers; solvers use the implicit form.
//
// With squared potentials S, linear potentials L, q constraints and n targets:
//
//	columns  s_S (|S|), s_L (|L|), y (n)
//	rows     constraints (q), potentials of S, of L,
//	         −s_L ≤ 0 (|L|), Lower − y ≤ 0 (n), y − Upper ≤ 0 (n)
//	value    νᵀ(D + εI)ν + cᵀν + Const  s.t.  Aν + b ≤ 0
//
// Beyond the paper: equality constraints are one row with a multiplier of
// either sign instead of two inequalities, bounds may be other than 0 and 1
// (fixed labels), and a proximal term adds r to D, −2rŷ to c and Σ rŷ² to
// Const.
type Explicit struct {
	// SquareRows and LinearRows are the template's rows of S and L.
	SquareRows, LinearRows []int
	// Ptr, Col, Val are A by row, B is b and Equality marks equality rows.
	Ptr, Col []int
	Val, B   []float64
	Equality []bool
	// D is the diagonal of D(w) without ε; C is c(w).
	D, C           []float64
	Epsilon, Const float64

	constraints int
}

// NewExplicit writes out an instance.
func NewExplicit(in *lcqp.Instance) *Explicit {
	e := &Explicit{Epsilon: in.Epsilon, Ptr: []int{0}, constraints: in.Constraints}
	for row := in.Constraints; row < in.Rows(); row++ {
		if in.Kinds[row] == lcqp.Square {
			e.SquareRows = append(e.SquareRows, row)
			e.D, e.C = append(e.D, in.Weights[in.RuleOf[row]]), append(e.C, 0)
		}
	}
	for row := in.Constraints; row < in.Rows(); row++ {
		if in.Kinds[row] == lcqp.Linear {
			e.LinearRows = append(e.LinearRows, row)
			e.D, e.C = append(e.D, 0), append(e.C, in.Weights[in.RuleOf[row]])
		}
	}
	slacks := len(e.D)
	for i, r := range in.Prox {
		e.D = append(e.D, r)
		e.C = append(e.C, 0-2*r*in.Center[i])
		e.Const += r * in.Center[i] * in.Center[i]
	}
	e.rows(in, slacks)
	return e
}

// rows fills A and b.
func (e *Explicit) rows(in *lcqp.Instance, slacks int) {
	end := func(b float64, equality bool) {
		e.Ptr = append(e.Ptr, len(e.Col))
		e.B = append(e.B, b)
		e.Equality = append(e.Equality, equality)
	}
	entry := func(col int, val float64) {
		e.Col = append(e.Col, col)
		e.Val = append(e.Val, val)
	}
	targets := func(row int) {
		for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
			entry(slacks+int(in.Col[j]), in.Val[j])
		}
	}
	for row := range in.Constraints {
		targets(row)
		end(in.B[row], in.Kinds[row] == lcqp.HardEQ)
	}
	for s, row := range e.potentials {
		entry(s, -1)
		targets(row)
		end(in.B[row], false)
	}
	for s := range e.LinearRows {
		entry(len(e.SquareRows)+s, -1)
		end(0, false)
	}
	for i, lower := range in.Lower {
		entry(slacks+i, -1)
		end(lower, false)
	}
	for i, upper := range in.Upper {
		entry(slacks+i, 1)
		end(-upper, false)
	}
}

// potentials yields each slack column with the template's row of its potential.
func (e *Explicit) potentials(yield func(int, int) bool) {
	for s, row := range e.SquareRows {
		if !yield(s, row) {
			return
		}
	}
	for s, row := range e.LinearRows {
		if !yield(len(e.SquareRows)+s, row) {
			return
		}
	}
}

// Primal returns ν of a solution of the instance.
func (e *Explicit) Primal(sol *lcqp.Solution) []float64 {
	var nu []float64
	for _, row := range e.potentials {
		nu = append(nu, sol.Slack[row-e.constraints])
	}
	return append(nu, sol.Y...)
}

// Dual returns the multipliers of all rows of A.
func (e *Explicit) Dual(sol *lcqp.Solution) []float64 {
	mu := append([]float64(nil), sol.Dual[:e.constraints]...)
	for _, row := range e.potentials {
		mu = append(mu, sol.Dual[row])
	}
	for _, row := range e.LinearRows {
		mu = append(mu, sol.SlackDual[row-e.constraints])
	}
	mu = append(mu, sol.LowerDual...)
	return append(mu, sol.UpperDual...)
}

// Activity returns Aν + b.
func (e *Explicit) Activity(nu []float64) []float64 {
	a := append([]float64(nil), e.B...)
	for row := range a {
		for j := e.Ptr[row]; j < e.Ptr[row+1]; j++ {
			a[row] += e.Val[j] * nu[e.Col[j]]
		}
	}
	return a
}

// Objective returns νᵀ(D + εI)ν + cᵀν + Const.
func (e *Explicit) Objective(nu []float64) float64 {
	v := e.Const
	for j, x := range nu {
		v += ((e.D[j]+e.Epsilon)*x + e.C[j]) * x
	}
	return v
}

// DualObjective returns the Lagrange dual function
//
//	−¼ μᵀA(D + εI)⁻¹Aᵀμ − ½ (A(D + εI)⁻¹c − 2b)ᵀμ − ¼ cᵀ(D + εI)⁻¹c + Const,
//
// the paper's −h(μ) with the terms that do not depend on μ.
func (e *Explicit) DualObjective(mu []float64) float64 {
	v := e.Const
	for row, m := range mu {
		v += m * e.B[row]
	}
	for j, x := range e.pull(mu) {
		v -= x * x / (4 * (e.D[j] + e.Epsilon))
	}
	return v
}

// FromDual returns ν = −½ (D + εI)⁻¹(Aᵀμ + c), the paper's translation from
// dual to primal variables.
func (e *Explicit) FromDual(mu []float64) []float64 {
	nu := e.pull(mu)
	for j := range nu {
		nu[j] /= -2 * (e.D[j] + e.Epsilon)
	}
	return nu
}

// pull returns Aᵀμ + c.
func (e *Explicit) pull(mu []float64) []float64 {
	v := append([]float64(nil), e.C...)
	for row, m := range mu {
		for j := e.Ptr[row]; j < e.Ptr[row+1]; j++ {
			v[e.Col[j]] += e.Val[j] * m
		}
	}
	return v
}
