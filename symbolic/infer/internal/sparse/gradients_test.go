package sparse

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Conjugate gradients come near the solution that the factor gives, for couplings of all
// orders of magnitude, with entries of both signs, and for rows that nothing couples.
func TestGradients(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct {
		name  string
		n     int
		pairs [][2]int32
		both  bool // signs
		most  int  // iterations
	}{
		{"nothing", 5, nil, false, 1}, {"path", 500, pathPairs(rng, 500), false, 220},
		{"grid", 900, gridPairs(30), false, 150}, {"signs", 900, gridPairs(30), true, 200},
	} {
		var exact, s LDL
		var slots []int32
		for _, x := range []*LDL{&exact, &s} {
			x.Reset(c.n)
			slots = slots[:0]
			for _, e := range c.pairs {
				slots = append(slots, x.Edge(e[0], e[1]))
			}
		}
		require.True(t, exact.Analyse(Limits{}))
		s.Approximate()
		for i := range c.n {
			exact.Sign[i], exact.Diag[i] = 1, 0.1+rng.Float64()
		}
		for k, e := range c.pairs {
			v := math.Pow(10, 6*rng.Float64()-1)
			exact.Diag[e[0]] += v
			exact.Diag[e[1]] += v
			if !c.both || rng.IntN(2) == 0 {
				v = -v
			}
			exact.Val[slots[k]] = v
		}
		copy(s.Diag, exact.Diag)
		copy(s.Val, exact.Val)
		exact.Factor()
		s.Factor()
		want := make([]float64, c.n)
		for i := range want {
			want[i] = rng.NormFloat64()
		}
		got := append([]float64(nil), want...)
		exact.Solve(want)
		s.Solve(got)
		d := make([]float64, c.n)
		for i := range d {
			d[i] = got[i] - want[i]
		}
		norm := func(x []float64) (sum float64) {
			for i, v := range x {
				sum += exact.Diag[i] * v * v
			}
			for k, e := range c.pairs {
				sum += 2 * exact.Val[slots[k]] * x[e[0]] * x[e[1]]
			}
			return sum
		}
		if energy, off := norm(want), norm(d); !(off <= 1e-3*energy) {
			t.Errorf("%s: off by %v of %v", c.name, off, energy)
		}
		if n := s.Iterations; n > c.most {
			t.Errorf("%s: %d iterations", c.name, n)
		}
	}
}
