package integer_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/integer"
	"hinge/symbolic/lcqp"
)

// instance compiles the rows of a program.
func instance(s *lcqp.Sparse, epsilon float64) *lcqp.Instance {
	in, err := s.NewInstance(epsilon)
	if err != nil {
		panic(err)
	}
	return in
}

// all are the numbers of all targets.
func all(in *lcqp.Instance) (targets []int) {
	for i := range in.Targets {
		targets = append(targets, i)
	}
	return targets
}

// random returns a program of up to eight targets, some or all of them integer, with
// hinges and hard rows that are feasible for about half of the integer values.
func random(rng *rand.Rand) (*lcqp.Instance, []int) {
	n := 1 + rng.IntN(8)
	s := &lcqp.Sparse{Targets: n}
	whole := rng.IntN(2) == 0 // coefficients and right-hand sides as of rules
	row := func(kind lcqp.Kind) {
		var col []int32
		var val []float64
		b := 0.0
		for i := range n {
			if rng.IntN(n) > 2 {
				continue
			}
			a := float64(1 + rng.IntN(2))
			if !whole {
				a = 0.2 + 2*rng.Float64()
			}
			if rng.IntN(2) == 0 {
				a = -a
			}
			col, val = append(col, int32(i)), append(val, a)
			b -= a * float64(rng.IntN(2))
		}
		if kind != lcqp.HardEQ {
			b += 0.5 * rng.NormFloat64()
			if whole {
				b = math.Round(b)
			}
		}
		s.Append(kind, col, val, b)
	}
	for range rng.IntN(4) {
		row(lcqp.Kind(rng.IntN(2)))
	}
	for range rng.IntN(12) {
		row(lcqp.Linear + lcqp.Kind(rng.IntN(2)))
		s.Weights = append(s.Weights, []float64{0, 0.1, 1, 5}[rng.IntN(4)])
	}
	in := instance(s, []float64{1e-8, 1e-3, 0.1}[rng.IntN(3)])
	var targets []int
	every := rng.IntN(3) == 0
	for i := range n {
		if every || rng.IntN(3) > 0 {
			targets = append(targets, i)
		}
		if rng.IntN(12) == 0 {
			if err := in.Fix(i, float64(rng.IntN(2))); err != nil {
				panic(err)
			}
		}
	}
	if rng.IntN(3) == 0 {
		r, c := make([]float64, n), make([]float64, n)
		for i := range r {
			r[i], c[i] = rng.Float64(), rng.Float64()
		}
		if err := in.SetProx(r, c); err != nil {
			panic(err)
		}
	}
	return in, targets
}

// enumerate returns the least value over all values of the integer targets, +Inf where
// none is feasible, or NaN where the solver fails.
func enumerate(in *lcqp.Instance, targets []int) float64 {
	best := math.Inf(1)
	for _, p := range points(in, targets) {
		best = min(best, p.value) // NaN stays
	}
	return best
}

// against compares searches with enumeration, and has their proofs checked.
func against(t *testing.T, seeds uint64) {
	feasible := 0
	for seed := range seeds {
		in, targets := random(rand.New(rand.NewPCG(seed, 7)))
		want := enumerate(in, targets)
		var res integer.Result
		if err := integer.Solve(context.Background(), in, targets, integer.Settings{Proof: true}, &res); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		tolerance := 2e-6 * (1 + math.Abs(want))
		switch {
		case math.IsNaN(want):
			continue
		case math.IsInf(want, 1):
			if res.Search != integer.Infeasible || res.Err() == nil {
				t.Errorf("seed %d: %v, value %v; nothing is feasible", seed, res.Search, res.Value)
			}
		case res.Search != integer.Optimal || math.Abs(res.Value-want) > tolerance || res.Bound > want+tolerance:
			t.Errorf("seed %d: %v, value %v, bound %v; want %v", seed, res.Search, res.Value, res.Bound, want)
		default:
			feasible++
			judge(t, seed, in, targets, &res)
		}
		for c, leaves := range res.Proof {
			if leaves == nil {
				continue
			}
			if _, err := integer.Check(in, targets, c, leaves); err != nil {
				t.Errorf("seed %d, component %d: %v", seed, c, err)
			}
		}
	}
	if uint64(feasible) < seeds/3 {
		t.Errorf("only %d of %d feasible", feasible, seeds)
	}
}

// judge asks lcqp.Residuals about the answer.
func judge(t *testing.T, seed uint64, in *lcqp.Instance, targets []int, res *integer.Result) {
	t.Helper()
	box := *in
	box.Lower, box.Upper = append([]float64(nil), in.Lower...), append([]float64(nil), in.Upper...)
	for _, i := range targets {
		y := res.Y[i]
		if y != 0 && y != 1 {
			t.Errorf("seed %d: target %d is %v", seed, i, y)
		}
		box.Lower[i], box.Upper[i] = y, y
	}
	if r := lcqp.Residuals(&box, &res.Solution); r.Max() > 1e-5 || math.Abs(r.PrimalValue-res.Value) > 1e-6*(1+math.Abs(res.Value)) {
		t.Errorf("seed %d: value %v, judged %+v", seed, res.Value, r)
	}
}

func TestAgainstEnumeration(t *testing.T) { against(t, 400) }
