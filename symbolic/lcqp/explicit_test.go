package lcqp_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// explicit is an instance with everything written out, as in the paper's appendix on smooth
// inference: one dense matrix A over ν = (s_S, s_L, y), bound rows included.
//
// With squared potentials S, linear potentials L, q constraints and n targets:
//
//	columns  s_S (|S|), s_L (|L|), y (n)
//	rows     constraints (q), potentials of S, of L,
//	         −s_L ≤ 0 (|L|), Lower − y ≤ 0 (n), y − Upper ≤ 0 (n)
//	value    νᵀ(D + εI)ν + cᵀν + constant  s.t.  Aν + b ≤ 0
//
// Beyond the paper: equality constraints are one row with a multiplier of either sign instead
// of two inequalities, bounds may be other than 0 and 1 (fixed labels), and a proximal term
// adds r to D, −2rŷ to c and Σ rŷ² to the constant.
type explicit struct {
	potentials []int // rows of the template, those of S before those of L
	squares    int   // how many are in S
	a          *mat.Dense
	b          []float64
	equality   []bool
	d, c       []float64 // the diagonal of D + εI, and c
	constant   float64

	constraints int
}

// writeOut writes out an instance.
func writeOut(in *lcqp.Instance) *explicit {
	e := &explicit{constraints: in.Constraints}
	for _, kind := range []lcqp.Kind{lcqp.Square, lcqp.Linear} {
		for row := in.Constraints; row < in.Rows(); row++ {
			if in.Kinds[row] != kind {
				continue
			}
			e.potentials = append(e.potentials, row)
			w, d := in.Weights[in.RuleOf[row]], in.Epsilon
			if w == 0 {
				d = 0
			}
			if kind == lcqp.Square {
				e.squares++
				w, d = 0, w+d
			}
			e.d, e.c = append(e.d, d), append(e.c, w)
		}
	}
	slacks := len(e.d)
	for i, r := range in.Prox {
		e.d, e.c = append(e.d, r+in.Epsilon), append(e.c, 0-2*r*in.Center[i])
		e.constant += r * in.Center[i] * in.Center[i]
	}
	n := slacks - e.squares + in.Rows() + 2*in.Targets
	e.a, e.equality = mat.NewDense(n, len(e.d), nil), make([]bool, n)
	targets := func(row int) {
		for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
			e.a.Set(len(e.b), slacks+int(in.Col[j]), in.Val[j])
		}
		e.b = append(e.b, in.B[row])
	}
	bound := func(column int, sign, b float64) {
		e.a.Set(len(e.b), column, sign)
		e.b = append(e.b, b)
	}
	for row := range in.Constraints {
		e.equality[row] = in.Kinds[row] == lcqp.HardEQ
		targets(row)
	}
	for s, row := range e.potentials {
		e.a.Set(len(e.b), s, -1)
		targets(row)
	}
	for s := e.squares; s < slacks; s++ {
		bound(s, -1, 0)
	}
	for i, lower := range in.Lower {
		bound(slacks+i, -1, lower)
	}
	for i, upper := range in.Upper {
		bound(slacks+i, 1, -upper)
	}
	return e
}

// primal returns ν of a solution of the instance.
func (e *explicit) primal(sol *lcqp.Solution) []float64 {
	var nu []float64
	for _, row := range e.potentials {
		nu = append(nu, sol.Slack[row-e.constraints])
	}
	return append(nu, sol.Y...)
}

// dual returns the multipliers of all rows of A.
func (e *explicit) dual(sol *lcqp.Solution) []float64 {
	mu := append([]float64(nil), sol.Dual[:e.constraints]...)
	for _, row := range e.potentials {
		mu = append(mu, sol.Dual[row])
	}
	for _, row := range e.potentials[e.squares:] {
		mu = append(mu, sol.SlackDual[row-e.constraints])
	}
	mu = append(mu, sol.LowerDual...)
	return append(mu, sol.UpperDual...)
}

// activity returns Aν + b.
func (e *explicit) activity(nu []float64) []float64 {
	var a mat.VecDense
	a.MulVec(e.a, mat.NewVecDense(len(nu), nu))
	a.AddVec(&a, mat.NewVecDense(len(e.b), e.b))
	return a.RawVector().Data
}

// objective returns νᵀ(D + εI)ν + cᵀν + constant.
func (e *explicit) objective(nu []float64) float64 {
	v := e.constant
	for j, x := range nu {
		v += (e.d[j]*x + e.c[j]) * x
	}
	return v
}

// pull returns Aᵀμ + c.
func (e *explicit) pull(mu []float64) []float64 {
	var v mat.VecDense
	v.MulVec(e.a.T(), mat.NewVecDense(len(mu), mu))
	v.AddVec(&v, mat.NewVecDense(len(e.c), e.c))
	return v.RawVector().Data
}

// dualObjective returns the Lagrange dual function
//
//	−¼ μᵀA(D + εI)⁻¹Aᵀμ − ½ (A(D + εI)⁻¹c − 2b)ᵀμ − ¼ cᵀ(D + εI)⁻¹c + constant,
//
// the paper's −h(μ) with the terms that do not depend on μ.
func (e *explicit) dualObjective(mu []float64) float64 {
	v := e.constant
	for row, m := range mu {
		v += m * e.b[row]
	}
	for j, x := range e.pull(mu) {
		if x != 0 { // a slack of a rule of weight 0 has no cost that could make up for it
			v -= x * x / (4 * e.d[j])
		}
	}
	return v
}

// fromDual returns ν = −½ (D + εI)⁻¹(Aᵀμ + c), the paper's translation from dual to primal
// variables.
func (e *explicit) fromDual(mu []float64) []float64 {
	nu := e.pull(mu)
	for j := range nu {
		if e.d[j] == 0 {
			nu[j] = math.NaN() // a slack of a rule of weight 0: free
			continue
		}
		nu[j] /= -2 * e.d[j]
	}
	return nu
}

// TestPapersProgram takes random problems with a known optimum and checks, with dense matrices
// and nothing but the formulas of the paper (section 5.1): feasibility Aν + b ≤ 0,
// complementarity, both objectives, and the map from dual to primal.
func TestPapersProgram(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for trial := range 300 {
		known := lcqptest.Random(rng, lcqptest.Shape{Targets: 8, Rows: 15})
		e := writeOut(known.Instance)
		nu, mu := e.primal(&known.Solution), e.dual(&known.Solution)
		for row, v := range e.activity(nu) {
			if e.equality[row] && math.Abs(v) > 1e-9 || v > 1e-9 {
				t.Fatalf("trial %d: (Aν + b)[%d] = %v", trial, row, v)
			}
			if m := mu[row]; !e.equality[row] && m < -1e-12 || math.Abs(m*v) > 1e-8 {
				t.Fatalf("trial %d: row %d has multiplier %v at %v", trial, row, m, v)
			}
		}
		for j, v := range e.fromDual(mu) {
			if e.d[j] > 0 && !near(nu[j], v, 1e-7) {
				t.Fatalf("trial %d: ν[%d] is %v, from the dual %v", trial, j, nu[j], v)
			}
		}
		for name, v := range map[string]float64{"primal": e.objective(nu), "dual": e.dualObjective(mu)} {
			if !near(known.Value, v, 1e-9) {
				t.Fatalf("trial %d: %s value %v, optimum %v", trial, name, v, known.Value)
			}
		}
	}
}
