package infer

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// saveAll solves and returns the states to go on from.
func saveAll(t testing.TB, ins []*lcqp.Instance) []*Warm {
	t.Helper()
	res, warms := results(len(ins)), make([]*Warm, len(ins))
	if err := SolveAll(ins, nil, Settings{}, res); err != nil {
		t.Fatal(err)
	}
	for n, r := range res {
		warms[n] = new(Warm)
		r.SaveWarm(warms[n])
	}
	return warms
}

func total(t testing.TB, ins []*lcqp.Instance, warms []*Warm) (Stats, []*Result) {
	t.Helper()
	res := results(len(ins))
	if err := SolveAll(ins, warms, Settings{}, res); err != nil {
		t.Fatal(err)
	}
	var s Stats
	for n, r := range res {
		mustBeSolved(t, ins[n], r)
		s.Add(&r.Stats)
	}
	return s, res
}

// After a change of the weights by 1 % a warm start must take at most half of
// the work, and arrive at the same optimum.
func TestWarmWeights(t *testing.T) {
	ins := infertest.Additions(t, lcqptest.Add1, 60, 8, false)
	warms := saveAll(t, ins)
	rng := rand.New(rand.NewPCG(5, 5))
	w := append([]float64(nil), ins[0].Weights...)
	for r := range w {
		w[r] *= 1 + 0.01*(2*rng.Float64()-1)
	}
	for _, in := range ins {
		if err := in.SetWeights(w); err != nil {
			t.Fatal(err)
		}
	}
	cold, a := total(t, ins, nil)
	warm, b := total(t, ins, warms)
	t.Logf("cold %+v, warm %+v", cold, warm)
	// A sweep before and one after the Newton steps is the least there is.
	if 2*warm.Newton > cold.Newton || 2*warm.Factorizations > cold.Factorizations || warm.Iterations > 2*len(ins) {
		t.Errorf("warm start took %+v, cold %+v", warm, cold)
	}
	for n := range ins {
		if !infertest.Near(a[n].PrimalValue, b[n].PrimalValue, 1e-8) {
			t.Errorf("%d: value %v cold, %v warm", n, a[n].PrimalValue, b[n].PrimalValue)
		}
	}
}

// After larger steps too many rows change state. Where few are left patches repair them, in a
// sweep or two; else the interior point method has at most four fifths of the steps to go.
func TestWarmFar(t *testing.T) {
	s := Settings{GapAbsolute: 1e-6, FeasibilityTolerance: 1e-6, StationarityTolerance: 1e-6}
	for _, c := range []struct {
		name     string
		terms    int
		step     float64
		repaired bool
	}{{"chain", 60000, 0.02, true}, {"grid", 20000, 0.1, false}} {
		in, m := infertest.FamilyModel(t, c.name, c.terms)
		var warm Warm
		solve(t, in, nil, s).SaveWarm(&warm)
		if err := in.SetDeep(m.Moved(rand.New(rand.NewPCG(1, 1)), c.step)); err != nil {
			t.Fatal(err)
		}
		a, b := solve(t, in, nil, s), solve(t, in, &warm, s)
		mustBeSolved(t, in, b)
		t.Logf("%s: %d iterations, cold %d", c.name, b.Stats.Iterations, a.Stats.Iterations)
		if n := b.Stats.Iterations; n == 0 || 5*n > 4*a.Stats.Iterations || c.repaired && n > 3 {
			t.Errorf("%s: %d iterations, cold %d", c.name, n, a.Stats.Iterations)
		}
		if !infertest.Near(a.PrimalValue, b.PrimalValue, 1e-7) {
			t.Errorf("%s: value %v cold, %v warm", c.name, a.PrimalValue, b.PrimalValue)
		}
	}
}

// Warm states are advice: nonsense in them must not change the answer.
func TestWarmNonsense(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for seed := range uint64(200) {
		k := infertest.Known(seed)
		w := &Warm{Dual: make([]float64, k.Instance.Rows()), Y: make([]float64, k.Instance.Targets)}
		for row := range w.Dual {
			w.Dual[row] = 10 * rng.NormFloat64()
		}
		for i := range w.Y {
			w.Y[i] = 3 * rng.NormFloat64()
		}
		for _, m := range []Method{Auto{}, InteriorPoint{}} {
			res := solve(t, k.Instance, w, Settings{Method: m})
			if res.Status == Solved {
				mustBeSolved(t, k.Instance, res)
			} else if seed < 150 {
				t.Errorf("seed %d, %s: %v", seed, m.Name(), res.Status)
			}
			if res.Status.OK() && !infertest.Near(res.PrimalValue, k.Value, 1e-6) {
				t.Errorf("seed %d, %s: value %v, want %v", seed, m.Name(), res.PrimalValue, k.Value)
			}
		}
	}
}

// A warm start that is nearly right is not taken for the answer: where the first point is
// feasible with a gap of up to 1e-3, after a change of weights or of the constants of hard
// rows, which leaves it stationary, the solve goes on until the tolerance is met. With
// multipliers alone, and with values beside them.
func TestWarmStale(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, m := range []Method{Auto{}, DualBCD{}, PaperBCD{}} {
		s, err := Settings{Method: m}.resolve()
		if err != nil {
			t.Fatal(err)
		}
		stale := 0
		for n := range uint64(60) {
			in := infertest.Known(n).Instance
			var w Warm
			solve(t, in, nil, Settings{}).SaveWarm(&w)
			change := []float64{1e-5, 1e-4, 1e-3}[n%3]
			if n%2 == 0 {
				weights := slices.Clone(in.Weights)
				for r := range weights {
					weights[r] *= 1 + change*(2*rng.Float64()-1)
				}
				if err := in.SetWeights(weights); err != nil {
					t.Fatal(err)
				}
			} else {
				for k := range in.Constraints {
					if in.Kinds[k] == lcqp.HardLE {
						in.B[k] -= change
					}
				}
			}
			for _, warm := range []*Warm{&w, {Dual: w.Dual}} {
				begun := map[int]bool{} // components
				s.Recorder = func(r Record) {
					if gap := math.Abs(r.Primal - r.Dual); !begun[r.Component] && r.Violation <= s.FeasibilityTolerance && gap > 1e-6 && gap < 1e-3 {
						stale++
					}
					begun[r.Component] = true
				}
				res := solve(t, in, warm, s)
				if most := allowed(in, res, s); res.Status == Solved && !(res.TotalGap <= most) {
					t.Errorf("program %d, %s, changed by %v: solved with a gap of %v, allowed is %v", n, m.Name(), change, res.TotalGap, most)
				}
			}
		}
		t.Logf("%s: %d starts had a gap of 1e-6 to 1e-3", m.Name(), stale)
		if stale < 5 {
			t.Errorf("%s: %d starts with a gap of 1e-6 to 1e-3 say too little", m.Name(), stale)
		}
	}
}

// A warm state survives serialisation bit for bit.
func TestWarmJSON(t *testing.T) {
	in := infertest.Known(4).Instance
	w := saveAll(t, []*lcqp.Instance{in})[0]
	data, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	var back Warm
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(w.Dual, back.Dual) || !slices.Equal(w.Y, back.Y) {
		t.Error("warm state changed on the way")
	}
	mustBeEqual(t, solve(t, in, w, Settings{}), solve(t, in, &back, Settings{}), "restored state")
	mustBeEqual(t, solve(t, in, nil, Settings{}), solve(t, in, new(Warm), Settings{}), "zero state")
}

// After a step of 0.01 in the outputs a warm start of a large component takes a few Newton
// steps on the active rows, at most half of the factorisations, and nothing else.
func TestWarmLarge(t *testing.T) {
	s := Settings{GapAbsolute: 1e-6, FeasibilityTolerance: 1e-6, StationarityTolerance: 1e-6}
	for _, name := range []string{"chain", "grid", "picture", "knn-regression", "knn-labels"} {
		in, m := infertest.FamilyModel(t, name, 20000)
		var warm Warm
		solve(t, in, nil, s).SaveWarm(&warm)
		if err := in.SetDeep(m.Moved(rand.New(rand.NewPCG(1, 1)), 0.01)); err != nil {
			t.Fatal(err)
		}
		a, b := solve(t, in, nil, s), solve(t, in, &warm, s)
		mustBeSolved(t, in, b)
		t.Logf("%s: %d steps, cold %d", name, b.Stats.Newton, a.Stats.Factorizations)
		if b.Stats.Iterations > 0 || 2*b.Stats.Factorizations > a.Stats.Factorizations {
			t.Errorf("%s: %+v, cold %+v", name, b.Stats, a.Stats)
		}
		if !infertest.Near(a.PrimalValue, b.PrimalValue, 1e-7) {
			t.Errorf("%s: value %v cold, %v warm", name, a.PrimalValue, b.PrimalValue)
		}
	}
}
