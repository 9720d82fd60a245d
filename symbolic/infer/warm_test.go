package infer

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer/baselines/paper"
	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
)

func total(t testing.TB, ins []*lcqp.Instance, warms []*Warm) (Stats, []*Result) {
	t.Helper()
	res := results(len(ins))
	require.NoError(t, SolveAll(ins, warms, Settings{}, res))
	var s Stats
	for n, r := range res {
		mustBeSolved(t, ins[n], r)
		s.Add(&r.Stats)
	}
	return s, res
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
	}{{"chain", 60000, 0.02, true}, {"picture", 20000, 0.05, false}} {
		in, m := infertest.FamilyModel(t, c.name, c.terms)
		var warm Warm
		solve(t, in, nil, s).SaveWarm(&warm)
		require.NoError(t, in.SetDeep(m.Moved(rand.New(rand.NewPCG(1, 1)), c.step)))
		a, b := solve(t, in, nil, s), solve(t, in, &warm, s)
		mustBeSolved(t, in, b)
		t.Logf("%s: %d iterations, cold %d", c.name, b.Stats.Iterations, a.Stats.Iterations)
		if n := b.Stats.Iterations; n == 0 || !c.repaired && 5*n > 4*a.Stats.Iterations || c.repaired && n > 3 {
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
	for _, m := range []Method{Auto{}, DualBCD{}, paper.PaperBCD{}} {
		s, err := Settings{Method: m}.resolve()
		require.NoError(t, err)
		stale := 0
		for n := range uint64(24) {
			in := infertest.Known(n).Instance
			var w Warm
			solve(t, in, nil, Settings{}).SaveWarm(&w)
			change := []float64{1e-5, 1e-4, 1e-3}[n%3]
			if n%2 == 0 {
				weights := slices.Clone(in.Weights)
				for r := range weights {
					weights[r] *= 1 + change*(2*rng.Float64()-1)
				}
				require.NoError(t, in.SetWeights(weights))
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
		if stale < 3 {
			t.Errorf("%s: %d starts with a gap of 1e-6 to 1e-3 say too little", m.Name(), stale)
		}
	}
}

// After a step of 0.01 in the outputs a warm start of a large component takes a few Newton
// steps on the active rows, at most half of the factorisations, and nothing else.
func TestWarmLarge(t *testing.T) {
	s := Settings{GapAbsolute: 1e-6, FeasibilityTolerance: 1e-6, StationarityTolerance: 1e-6}
	for _, name := range []string{"chain", "grid", "picture", "knn-regression", "knn-labels"} {
		in, m := infertest.FamilyModel(t, name, 20000)
		var warm Warm
		solve(t, in, nil, s).SaveWarm(&warm)
		require.NoError(t, in.SetDeep(m.Moved(rand.New(rand.NewPCG(1, 1)), 0.01)))
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
