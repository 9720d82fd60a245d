package infer

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// Warm solves of moved problems end where solves from zero do, whatever the method.
func TestParametricAgainstCold(t *testing.T) {
	for _, m := range []Method{Auto{}, InteriorPoint{}} {
		rng := rand.New(rand.NewPCG(4, 4))
		warmed, all := 0, 0
		for seed := range uint64(150) {
			in := infertest.Known(seed).Instance
			var w Warm
			res := solve(t, in, nil, Settings{Method: m})
			if res.Status != Solved {
				continue
			}
			res.SaveWarm(&w)
			for k := in.Constraints; k < in.Rows(); k++ {
				in.B[k] += 0.02 * (2*rng.Float64() - 1)
			}
			weights := append([]float64(nil), in.Weights...)
			for r := range weights {
				weights[r] *= 0.98 + 0.04*rng.Float64()
			}
			require.NoError(t, in.SetWeights(weights))
			warm, cold := solve(t, in, &w, Settings{Method: m}), solve(t, in, nil, Settings{Method: InteriorPoint{}})
			if cold.Status != Solved {
				continue
			}
			mustBeSolved(t, in, warm)
			if !infertest.Near(warm.PrimalValue, cold.PrimalValue, 1e-7) {
				t.Errorf("%s, seed %d: value %v warm, %v cold", m.Name(), seed, warm.PrimalValue, cold.PrimalValue)
			}
			all++
			if warm.Stats.Iterations == 0 {
				warmed++
			}
		}
		if all < 140 || 10*warmed < 9*all {
			t.Errorf("%s: %d of %d warm solves needed no more than the way", m.Name(), warmed, all)
		}
	}
}

// tied returns a chain of targets with rows that are parallel, repeated, dependent
// and active at the same points.
func tied(t testing.TB, rng *rand.Rand, n int) *lcqp.Instance {
	b := infertest.New(n)
	row := func(i, j int, a float64) []float64 {
		r := make([]float64, n)
		r[i], r[j] = a, -a
		return r
	}
	quarter := func() float64 { return 0.25 * float64(rng.IntN(5)) }
	sum := make([]float64, n)
	for i := range n {
		sum[i] = 1
		one := make([]float64, n)
		one[i] = -1
		// Pulls to multiples of 1/4, up and down, two of the same weight.
		b.Linear(1, quarter(), one...)
		b.Linear(1, quarter(), one...)
		one[i] = 1
		b.Linear(0.5*float64(1+rng.IntN(3)), -quarter(), one...)
	}
	for i := range n - 1 {
		b.Linear(1, 0, row(i, i+1, 1)...)
		b.Linear(1, 0, row(i, i+1, -1)...)
		b.Linear(2, 0, row(i, i+1, 1)...)
		if rng.IntN(2) == 0 {
			b.LE(0, row(i, i+1, 1)...)
			b.LE(0, row(i, i+1, 2)...)
			if i > 0 {
				b.LE(0, row(i-1, i+1, 1)...) // follows where the one before is there too
			}
		}
	}
	b.LE(-float64(n)/2, sum...)
	for i := range sum {
		sum[i] = 2
	}
	b.LE(-float64(n), sum...)
	return b.Instance(t, 1e-3)
}

// Ties do not lead astray: the way goes on or is given up, and the answer is that of
// a solve from zero.
func TestParametricTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 3))
	gone, given := 0, 0
	for n := range 120 {
		in := tied(t, rng, 3+n%8)
		var w Warm
		first := solve(t, in, nil, Settings{Method: InteriorPoint{}})
		first.SaveWarm(&w)
		for k := in.Constraints; k < in.Rows(); k++ {
			in.B[k] += 0.25 * float64(rng.IntN(3)-1)
		}
		warm, cold := solve(t, in, &w, Settings{}), solve(t, in, nil, Settings{Method: InteriorPoint{}})
		mustBeSolved(t, in, warm)
		if !infertest.Near(warm.PrimalValue, cold.PrimalValue, 1e-7) {
			t.Errorf("%d: value %v warm, %v cold", n, warm.PrimalValue, cold.PrimalValue)
		}
		if warm.Stats.Iterations == 0 {
			gone++
		} else {
			given++
		}
	}
	t.Logf("%d gone, %d given up", gone, given)
	if gone < 80 || given > gone/5 {
		t.Errorf("%d gone, %d given up", gone, given)
	}
}

// In MNIST-Addition, after a step of 1e-2 in the outputs, soft or nearly one-hot, the
// way needs few breakpoints, and the method is hardly ever called, but by auto where
// it takes less time than the way of small additions with sharp outputs.
func TestParametricAdditions(t *testing.T) {
	for _, c := range []struct {
		name   string
		make   func(float64) *lcqptest.Addition
		n      int
		margin float64
		most   int // breakpoints an addition
	}{
		{"add1-soft", lcqptest.Add1, 40, 3, 2}, {"add1-sharp", lcqptest.Add1, 40, 12, 30},
		{"add2-soft", lcqptest.Add2, 10, 3, 2}, {"add2-sharp", lcqptest.Add2, 10, 12, 40},
	} {
		for _, m := range []Method{Auto{}, InteriorPoint{}} {
			s := Settings{Method: m, GapAbsolute: 1e-6, FeasibilityTolerance: 1e-6, StationarityTolerance: 1e-6}
			ins := infertest.Additions(t, c.make, c.n, c.margin, false)
			res, warms := results(len(ins)), make([]*Warm, len(ins))
			require.NoError(t, SolveAll(ins, nil, s, res))
			for i, r := range res {
				warms[i] = new(Warm)
				r.SaveWarm(warms[i])
			}
			moveOutputs(t, ins)
			require.NoError(t, SolveAll(ins, warms, s, res))
			var sum Stats
			called := 0
			for i, r := range res {
				mustBeSolved(t, ins[i], r)
				sum.Add(&r.Stats)
				if r.Stats.Iterations > 0 {
					called++
				}
				if cold := solve(t, ins[i], nil, Settings{}); !infertest.Near(r.PrimalValue, cold.PrimalValue, 2e-6) {
					t.Errorf("%s, %s, %d: value %v warm, %v cold", c.name, m.Name(), i, r.PrimalValue, cold.PrimalValue)
				}
			}
			t.Logf("%s, %s: %+v", c.name, m.Name(), sum)
			over := c.name == "add1-sharp" && m == Method(Auto{})
			if (10*called > c.n) != over || sum.Breakpoints > c.most*c.n {
				t.Errorf("%s, %s: the method was called %d times, %d breakpoints", c.name, m.Name(), called, sum.Breakpoints)
			}
		}
	}
}
