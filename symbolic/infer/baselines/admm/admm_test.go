package admm

import (
	"math"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/lcqp"
)

// The closed form must minimise ψ(c − κt) + κ/2 t² (the local problem along a_k
// in its only free direction) against every other t.
func TestADMMLocalIsMinimal(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	cost := func(kind lcqp.Kind, weight, curv, a float64) float64 {
		switch {
		case kind == lcqp.HardEQ:
			return 1e9 * math.Abs(a)
		case kind == lcqp.HardLE:
			return 1e9 * max(a, 0)
		case a <= 0:
			return 0
		case kind == lcqp.Linear:
			return (weight + curv*a) * a
		}
		return curv * a * a
	}
	for range 5000 {
		kind := []lcqp.Kind{lcqp.HardLE, lcqp.HardEQ, lcqp.Linear, lcqp.Square}[rng.IntN(4)]
		weight, curv := float64(rng.IntN(3)), math.Exp(3*rng.NormFloat64())
		c, kappa := 2*rng.NormFloat64(), math.Exp(rng.NormFloat64())
		at := func(mu float64) float64 {
			return cost(kind, weight, curv, c-kappa*mu) + kappa/2*mu*mu
		}
		mu := localDual(kind, weight, curv, c, kappa)
		if kind != lcqp.HardEQ && mu < 0 {
			t.Fatalf("multiplier %v", mu)
		}
		best := at(mu)
		for _, d := range []float64{1e-3, 0.1, 1, 10} {
			for _, other := range []float64{mu + d, mu - d} {
				if v := at(other); v < best-1e-5*(1+math.Abs(best)) {
					t.Fatalf("kind %v, w %v, curv %v, c %v, κ %v: %v at μ = %v, %v at %v", kind, weight, curv, c, kappa, best, mu, v, other)
				}
			}
		}
	}
}
