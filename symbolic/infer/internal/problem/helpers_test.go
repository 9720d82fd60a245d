package problem

import (
	"math/rand/v2"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
)

// Each calls f with the presolved components of random problems.
func Each(t *testing.T, seeds uint64, full bool, f func(t *testing.T, seed uint64, p *Problem)) {
	t.Helper()
	pre, level := Presolve{Tol: NeverActive}, ReduceFixed
	if full {
		level = ReduceMerged
	}
	for seed := range seeds {
		k := infertest.Known(seed)
		for c := range k.Instance.Components {
			p := new(Problem)
			if !pre.Run(k.Instance, c, level, p) {
				t.Fatalf("seed %d: feasible problem called infeasible", seed)
			}
			if p.Targets == 0 {
				continue
			}
			pre.Start(p, nil, nil)
			p.Expand()
			f(t, seed, p)
		}
	}
}

// Equalities makes a random program with many hard equalities of one and two
// targets: chains, trees of merged targets, and rings, all of which a point y⁰
// satisfies.
func Equalities(t *testing.T, rng *rand.Rand, targets int) *lcqp.Instance {
	t.Helper()
	b := infertest.New(targets)
	y := make([]float64, targets)
	for i := range y {
		y[i] = 0.3 + 0.4*rng.Float64()
	}
	row := func(n int) (a []float64, at float64) {
		a = make([]float64, targets)
		for range n {
			i := rng.IntN(targets)
			a[i] = 0.5 + rng.Float64()
			if rng.IntN(2) == 0 {
				a[i] = -a[i]
			}
		}
		for i, v := range a {
			at += v * y[i]
		}
		return a, at
	}
	for range targets / 2 {
		a, at := row(2)
		b.EQ(-at, a...)
	}
	if rng.IntN(2) == 0 {
		a, at := row(1)
		b.EQ(-at, a...)
	}
	for range targets {
		a, at := row(3)
		b.Square(1+rng.Float64(), -at+0.5*rng.NormFloat64(), a...)
		a, at = row(2)
		b.Linear(1+rng.Float64(), -at+0.5*rng.NormFloat64(), a...)
		a, at = row(3)
		b.LE(-at-0.1*rng.Float64(), a...)
	}
	return b.Instance(t, 0.1)
}
