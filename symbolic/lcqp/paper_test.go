package lcqp_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"hinge/symbolic/lcqp/lcqptest"
)

// TestPapersProgram takes random problems with a known optimum and checks, with
// dense matrices and nothing but the formulas of the paper (section 5.1):
// feasibility Aν + b ≤ 0, complementarity, both objectives, and the map from
// dual to primal ν = −½(D + εI)⁻¹(Aᵀμ + c).
func TestPapersProgram(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for trial := range 300 {
		known := lcqptest.Random(rng, lcqptest.Shape{Targets: 8, Rows: 15})
		e := lcqptest.NewExplicit(known.Instance)
		nu := mat.NewVecDense(len(e.D), e.Primal(&known.Solution))
		mu := mat.NewVecDense(len(e.B), e.Dual(&known.Solution))
		a, b := dense(e), mat.NewVecDense(len(e.B), e.B)

		var activity mat.VecDense
		activity.MulVec(a, nu)
		activity.AddVec(&activity, b)
		for row := range e.B {
			v, m := activity.AtVec(row), mu.AtVec(row)
			if e.Equality[row] && math.Abs(v) > 1e-9 || v > 1e-9 {
				t.Fatalf("trial %d: (Aν + b)[%d] = %v", trial, row, v)
			}
			if !e.Equality[row] && m < -1e-12 || math.Abs(m*v) > 1e-8 {
				t.Fatalf("trial %d: row %d has multiplier %v at %v", trial, row, m, v)
			}
		}

		primal, dual := e.Const, e.Const+mat.Dot(b, mu)
		var pull mat.VecDense
		pull.MulVec(a.T(), mu)
		for j, d := range e.D {
			v, curvature, lin := nu.AtVec(j), d+e.Epsilon, pull.AtVec(j)+e.C[j]
			primal += curvature*v*v + e.C[j]*v
			dual -= lin * lin / (4 * curvature)
			if got := -lin / (2 * curvature); math.Abs(got-v) > 1e-7*(1+math.Abs(got)) {
				t.Fatalf("trial %d: ν[%d] is %v, from the dual %v", trial, j, v, got)
			}
		}
		for name, v := range map[string]float64{"primal": primal, "dual": dual} {
			if math.Abs(v-known.Value) > 1e-9*(1+math.Abs(v)) {
				t.Fatalf("trial %d: %s value %v, optimum %v", trial, name, v, known.Value)
			}
		}
	}
}

// dense writes A out.
func dense(e *lcqptest.Explicit) *mat.Dense {
	a := mat.NewDense(len(e.B), len(e.D), nil)
	for row := range e.B {
		for j := e.Ptr[row]; j < e.Ptr[row+1]; j++ {
			a.Set(row, e.Col[j], e.Val[j])
		}
	}
	return a
}
