package infer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// advance takes the point of p to the optimum.
func (h *homotopy) advance(p *Problem) bool {
	return h.fits(p) && (h.straight(p) || h.follow(p))
}

// mustBeOptimal checks the point of p to nearly the last digit.
func mustBeOptimal(t *testing.T, name string, p *Problem) {
	t.Helper()
	v := p.evaluate(make([]float64, p.Targets))
	if !(v.violation <= 1e-9) || !(math.Abs(v.primal-v.dual) <= 1e-9*(1+math.Abs(v.dual))) || !(v.stationarity <= 1e-8) {
		t.Fatalf("%s: %+v after the way was gone", name, v)
	}
}

// From an optimum, from nothing and from nonsense the way leads to the optimum of
// the problem with other constants; where it is given up the start is as it was.
func TestHomotopyRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	gone, given, kinks, breakpoints := 0, 0, 0, 0
	var h homotopy
	problems(t, 400, true, func(t *testing.T, seed uint64, p *Problem) {
		by := math.Pow(10, -4*rng.Float64()) / 3
		for round := range 4 {
			switch round {
			case 1: // from the optimum, if round 0 has found it
				for k := range p.B {
					if p.Kind[k] > lcqp.HardEQ {
						p.B[k] += by * (2*rng.Float64() - 1)
					}
				}
			case 2:
				for k := range p.Weight {
					if p.Kind[k] == lcqp.Linear {
						p.Weight[k] *= 0.5 + rng.Float64()
					}
				}
			case 3:
				for k := range p.Dual {
					p.Dual[k] = 3 * max(rng.NormFloat64(), 0)
				}
				for i := range p.Y {
					p.Y[i] = p.Lower[i] + rng.Float64()*(p.Upper[i]-p.Lower[i])
				}
			}
			if !kinked(p) {
				continue
			}
			kinks++
			before := p.Stats.Breakpoints
			y, dual := append([]float64(nil), p.Y...), append([]float64(nil), p.Dual...)
			ok := h.advance(p)
			n := p.Stats.Breakpoints - before
			breakpoints += n
			if n > mostBreakpoints(p) || n > 50+p.Targets/2 {
				t.Errorf("seed %d: %d breakpoints with %d targets", seed, n, p.Targets)
			}
			if ok {
				gone++
				mustBeOptimal(t, fmt.Sprintf("seed %d, round %d", seed, round), p)
				continue
			}
			given++
			mustStay(t, seed, p, y, dual)
		}
	})
	t.Logf("%d ways gone with %d breakpoints, %d given up", gone, breakpoints, given)
	if gone < 700 || 20*given > kinks || breakpoints < gone {
		t.Errorf("%d of %d given up, %d breakpoints", given, kinks, breakpoints)
	}
}

// Warm solves of moved problems end where solves from zero do, whatever the method.
func TestHomotopyAgainstCold(t *testing.T) {
	for _, m := range []Method{DualBCD{}, InteriorPoint{}} {
		rng := rand.New(rand.NewPCG(4, 4))
		warmed, all := 0, 0
		for seed := range uint64(150) {
			in := known(seed).Instance
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
			if err := in.SetWeights(weights); err != nil {
				t.Fatal(err)
			}
			warm, cold := solve(t, in, &w, Settings{Method: m}), solve(t, in, nil, Settings{Method: InteriorPoint{}})
			if cold.Status != Solved {
				continue
			}
			mustBeSolved(t, in, warm)
			if !near(warm.PrimalValue, cold.PrimalValue, 1e-7) {
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
	b := newBuild(n)
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
		b.linear(1, quarter(), one...)
		b.linear(1, quarter(), one...)
		one[i] = 1
		b.linear(0.5*float64(1+rng.IntN(3)), -quarter(), one...)
	}
	for i := range n - 1 {
		b.linear(1, 0, row(i, i+1, 1)...)
		b.linear(1, 0, row(i, i+1, -1)...)
		b.linear(2, 0, row(i, i+1, 1)...)
		if rng.IntN(2) == 0 {
			b.le(0, row(i, i+1, 1)...)
			b.le(0, row(i, i+1, 2)...)
			if i > 0 {
				b.le(0, row(i-1, i+1, 1)...) // follows where the one before is there too
			}
		}
	}
	b.le(-float64(n)/2, sum...)
	for i := range sum {
		sum[i] = 2
	}
	b.le(-float64(n), sum...)
	return b.instance(t, 1e-3)
}

// Ties do not lead astray: the way goes on or is given up, and the answer is that of
// a solve from zero.
func TestHomotopyTies(t *testing.T) {
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
		if !near(warm.PrimalValue, cold.PrimalValue, 1e-7) {
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
// way needs few breakpoints, and the method is hardly ever called.
func TestHomotopyAdditions(t *testing.T) {
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
		for _, m := range []Method{DualBCD{}, InteriorPoint{}} {
			s := Settings{Method: m, GapAbsolute: 1e-6, FeasibilityTolerance: 1e-6, StationarityTolerance: 1e-6}
			ins := additions(t, c.make, c.n, c.margin, false)
			res, warms := results(len(ins)), make([]*Warm, len(ins))
			if err := SolveAll(ins, nil, s, res); err != nil {
				t.Fatal(err)
			}
			for i, r := range res {
				warms[i] = new(Warm)
				r.SaveWarm(warms[i])
			}
			moveOutputs(t, ins)
			if err := SolveAll(ins, warms, s, res); err != nil {
				t.Fatal(err)
			}
			var sum Stats
			called := 0
			for i, r := range res {
				mustBeSolved(t, ins[i], r)
				sum.add(&r.Stats)
				if r.Stats.Iterations > 0 {
					called++
				}
				if cold := solve(t, ins[i], nil, Settings{}); !near(r.PrimalValue, cold.PrimalValue, 2e-6) {
					t.Errorf("%s, %s, %d: value %v warm, %v cold", c.name, m.Name(), i, r.PrimalValue, cold.PrimalValue)
				}
			}
			t.Logf("%s, %s: %+v", c.name, m.Name(), sum)
			if 10*called > c.n || sum.Breakpoints > c.most*c.n {
				t.Errorf("%s, %s: the method was called %d times, %d breakpoints", c.name, m.Name(), called, sum.Breakpoints)
			}
		}
	}
}

// Same problem, same start: same bits, whatever the storage has seen before.
func TestHomotopyDeterministic(t *testing.T) {
	var used homotopy
	problems(t, 60, true, func(t *testing.T, seed uint64, p *Problem) {
		y, dual := append([]float64(nil), p.Y...), append([]float64(nil), p.Dual...)
		a := used.advance(p)
		y1, dual1 := append([]float64(nil), p.Y...), append([]float64(nil), p.Dual...)
		copy(p.Y, y)
		copy(p.Dual, dual)
		if b := new(homotopy).advance(p); a != b {
			t.Fatalf("seed %d: %v and %v", seed, a, b)
		}
		for i, v := range p.Y {
			if v != y1[i] {
				t.Fatalf("seed %d: target %d is %v and %v", seed, i, y1[i], v)
			}
		}
		for k, v := range p.Dual {
			if v != dual1[k] {
				t.Fatalf("seed %d: multiplier %d is %v and %v", seed, k, dual1[k], v)
			}
		}
	})
}
