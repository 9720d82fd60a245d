package primal

import (
	"math"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/infer/internal/problem"
)

// TestKnapsack compares random blocks with bisection on the multiplier.
func TestKnapsack(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 2))
		n := 1 + rng.IntN(8)
		p := &problem.Problem{}
		b := block{}
		var c, d, y []float64
		lowest, highest := 0.0, 0.0
		for i := range n {
			lo, hi := rng.Float64()-0.5, 0.6+rng.Float64()
			a := rng.NormFloat64()
			if seed%2 == 0 {
				lo, hi, a = 0, 1, 1
			}
			p.Lower, p.Upper = append(p.Lower, lo), append(p.Upper, hi)
			b.targets, b.a = append(b.targets, int32(i)), append(b.a, a)
			c, d, y = append(c, 3*rng.NormFloat64()), append(d, 0.01+rng.Float64()), append(y, 0)
			lowest, highest = lowest+min(a*lo, a*hi), highest+max(a*lo, a*hi)
		}
		// From an end of what the bounds allow to the other.
		b.b = lowest + (highest-lowest)*float64(rng.IntN(11))/10
		inverse := make([]float64, n)
		for i, v := range d {
			inverse[i] = 1 / v
		}
		b.solve(p, y, c, inverse, rng.NormFloat64())
		sum := 0.0
		for i, v := range y {
			if v < p.Lower[i] || v > p.Upper[i] {
				t.Fatalf("seed %d: target %d = %v is out of bounds", seed, i, v)
			}
			sum += b.a[i] * v
		}
		if math.Abs(sum-b.b) > 1e-9 {
			t.Errorf("seed %d: the sum is %v, want %v", seed, sum, b.b)
		}
		value := func(y []float64) float64 {
			f := 0.0
			for i, v := range y {
				f += 0.5*d[i]*v*v - c[i]*v
			}
			return f
		}
		want := make([]float64, n)
		lo, hi := -1e6, 1e6
		for range 200 {
			mid := (lo + hi) / 2
			s := 0.0
			for i := range want {
				want[i] = min(max((c[i]-mid*b.a[i])/d[i], p.Lower[i]), p.Upper[i])
				s += b.a[i] * want[i]
			}
			if s > b.b {
				lo = mid
			} else {
				hi = mid
			}
		}
		if got, w := value(y), value(want); math.Abs(got-w) > 1e-6*(1+math.Abs(w)) {
			t.Errorf("seed %d: value %v, bisection finds %v", seed, got, w)
		}
	}
}
