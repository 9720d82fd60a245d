package lcqp_test

import (
	"math"
	"testing"

	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// The layout of A, b, D and c for a tiny program with rows of every kind.
func TestExplicitLayout(t *testing.T) {
	in := instance(t, compile(t, program()), 0.1)
	if err := in.SetDeep([]float64{0.5, 0.25}); err != nil {
		t.Fatal(err)
	}
	e := lcqptest.NewExplicit(in)
	want := [][]float64{
		//s_S, s_L, y
		{0, 0, 0, 0, 0, 1, 1, 0, 0},   // b + c = 1
		{0, 0, 0, 0, 0, 0, 0, 1, 2},   // d + 2e ≤ 2
		{-1, 0, 0, 0, 0, -1, 0, 0, 0}, // square
		{0, -1, 0, 0, 0, 0, 0, 0, 0},  // square without targets
		{0, 0, -1, 0, 1, -1, 0, 0, 0}, // linear
		{0, 0, 0, -1, 0, 0, 0, -1, 0}, // linear
		{0, 0, -1, 0, 0, 0, 0, 0, 0},  // s_L ≥ 0
		{0, 0, 0, -1, 0, 0, 0, 0, 0},
		{0, 0, 0, 0, -1, 0, 0, 0, 0}, // y ≥ 0
		{0, 0, 0, 0, 0, -1, 0, 0, 0},
		{0, 0, 0, 0, 0, 0, -1, 0, 0},
		{0, 0, 0, 0, 0, 0, 0, -1, 0},
		{0, 0, 0, 0, 0, 0, 0, 0, -1},
		{0, 0, 0, 0, 1, 0, 0, 0, 0}, // y ≤ 1
		{0, 0, 0, 0, 0, 1, 0, 0, 0},
		{0, 0, 0, 0, 0, 0, 1, 0, 0},
		{0, 0, 0, 0, 0, 0, 0, 1, 0},
		{0, 0, 0, 0, 0, 0, 0, 0, 1},
	}
	b := []float64{-1, -2, 1.5, -0.25, 0.75, 0.75, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1}
	if len(e.D) != len(want[0]) || len(e.B) != len(want) {
		t.Fatalf("A is %d×%d, want %d×%d", len(e.B), len(e.D), len(want), len(want[0]))
	}
	for row, w := range want {
		dense := make([]float64, len(e.D))
		for j := e.Ptr[row]; j < e.Ptr[row+1]; j++ {
			dense[e.Col[j]] = e.Val[j]
		}
		for col := range w {
			if dense[col] != w[col] {
				t.Errorf("A[%d][%d] = %v, want %v", row, col, dense[col], w[col])
			}
		}
		if e.B[row] != b[row] || e.Equality[row] != (row == 0) {
			t.Errorf("row %d: b = %v, equality %v, want %v", row, e.B[row], e.Equality[row], b[row])
		}
	}
	for col, d := range []float64{3, 3, 0, 0, 0, 0, 0, 0, 0} {
		if e.D[col] != d {
			t.Errorf("D[%d] = %v, want %v", col, e.D[col], d)
		}
	}
	for col, c := range []float64{0, 0, 2, 2, 0, 0, 0, 0, 0} {
		if e.C[col] != c {
			t.Errorf("c[%d] = %v, want %v", col, e.C[col], c)
		}
	}
}

// On known optima the explicit form must agree with the implicit one in every
// respect: values, KKT conditions, and the paper's map from dual to primal.
func TestExplicitAgrees(t *testing.T) {
	for seed := range uint64(300) {
		k := random(seed)
		e := lcqptest.NewExplicit(k.Instance)
		nu, mu := e.Primal(&k.Solution), e.Dual(&k.Solution)
		if v := e.Objective(nu); !near(v, k.Value, 1e-10) {
			t.Errorf("seed %d: objective %v, want %v", seed, v, k.Value)
		}
		r := lcqp.Residuals(k.Instance, &k.Solution)
		if d := e.DualObjective(mu); !near(d, r.DualValue, 1e-9) {
			t.Errorf("seed %d: dual objective %v, want %v", seed, d, r.DualValue)
		}
		for row, a := range e.Activity(nu) {
			if a > 1e-9 || e.Equality[row] && a < -1e-9 || math.Abs(a*mu[row]) > 1e-9 || !e.Equality[row] && mu[row] < 0 {
				t.Errorf("seed %d: row %d has activity %v and multiplier %v", seed, row, a, mu[row])
			}
		}
		for j, x := range e.FromDual(mu) {
			if math.Abs(x-nu[j]) > 1e-7 {
				t.Errorf("seed %d: ν[%d] = %v from the dual, want %v", seed, j, x, nu[j])
			}
		}
	}
}
