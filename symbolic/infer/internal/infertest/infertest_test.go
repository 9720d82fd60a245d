package infertest

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The naive oracles against answers known by hand.
func TestNaive(t *testing.T) {
	if Near(1, 1.1, 1e-3) || !Near(1e6, 1e6+1, 1e-3) {
		t.Error("Near is not relative to 1 + |b|")
	}
	rng := rand.New(rand.NewPCG(5, 5))
	const n = 5
	m := make([]float64, n*n)
	for i := range m {
		m[i] = rng.NormFloat64()
	}
	free, want, rhs := []int32{0, 2, 3}, []float64{1, -2, 0.5}, make([]float64, 3)
	for i, r := range free {
		for j, c := range free {
			rhs[i] += m[int(r)*n+int(c)] * want[j]
		}
	}
	for i, v := range Gauss(t, m, n, free, rhs) {
		if math.Abs(v-want[i]) > 1e-9 {
			t.Errorf("entry %d is %v, want %v", i, v, want[i])
		}
	}
}

// A built program has the rows it was asked for.
func TestBuild(t *testing.T) {
	in := New(2).EQ(-1, 1, 1).LE(-0.5, 1, 0).Linear(2, 0.25, -1, 0).Square(3, 0, 0, 1).Instance(t, 0.1)
	if in.Targets != 2 || in.Constraints != 2 || in.Potentials != 2 || in.Rules != 2 || in.Epsilon != 0.1 {
		t.Errorf("%d targets, %d constraints, %d potentials, %d rules, ε %v", in.Targets, in.Constraints, in.Potentials, in.Rules, in.Epsilon)
	}
	if in.B0[0] != -1 || in.B0[1] != -0.5 || in.B0[2] != 0.25 || in.B0[3] != 0 || in.Weights[0] != 2 || in.Weights[1] != 3 {
		t.Errorf("constants %v, weights %v", in.B0, in.Weights)
	}
}
