package infer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer/baselines/admm"
	"hinge/symbolic/infer/baselines/paper"
	"hinge/symbolic/infer/baselines/subgradient"
	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// firstOrder are the methods whose rate depends on the conditioning.
var firstOrder = []Method{paper.PaperBCD{}, paper.LockFreeBCD{}, admm.ADMM{}, subgradient.Subgradient{}}

// within returns settings with all tolerances equal.
func within(m Method, tol float64) Settings {
	return Settings{Method: m, GapTolerance: tol, FeasibilityTolerance: tol, StationarityTolerance: tol}
}

// allowed bounds the gap that the settings allow all components of a result
// together. The driver measures a gap against the dual value of what presolve
// has left, whose distance from the whole is at most the value of the fixed
// terms and Σ r ŷ².
func allowed(in *lcqp.Instance, res *Result, s Settings) float64 {
	fixed := math.Abs(res.PrimalValue)
	for i, r := range in.Prox {
		fixed += r * in.Center[i] * in.Center[i]
	}
	sum := 0.0
	for _, c := range res.Components {
		sum += max(s.GapAbsolute, s.GapTolerance*(in.Epsilon+math.Abs(c.Dual)+fixed))
	}
	return sum
}

// judge checks a claim against the independent judge. What the driver has
// tested is, with F = (1 + number of hard rows) · allowed gap: the Fenchel gaps
// of all terms add up to at most F (the violated hard rows may hide that much),
// and each bound's product is at most the stationarity tolerance. Each Fenchel
// gap is at least half its product, but for linear slacks that are too large by
// d: there the gap is εd² and the product 2εds, hence the square root. These
// bounds, and no luck, is what the residuals are held to.
func judge(t testing.TB, in *lcqp.Instance, res *Result, s Settings) {
	t.Helper()
	if res.Status != Solved {
		return
	}
	hard := float64(1+in.Constraints) * allowed(in, res, s)
	slacks := 0.0
	for k, v := range res.Slack {
		if in.Kinds[in.Constraints+k] == lcqp.Linear {
			slacks += v * v
		}
	}
	products := 2*hard + 2*math.Sqrt(in.Epsilon*hard*slacks)
	weight := 1.0
	for _, w := range in.Weights {
		weight = max(weight, w+in.Epsilon)
	}
	r := lcqp.Residuals(in, &res.Solution)
	rounding := 1e-9 * (1 + math.Abs(r.PrimalValue))
	for _, c := range []struct {
		name       string
		got, bound float64
	}{
		{"primal residual", r.Primal, s.FeasibilityTolerance + 1e-12},
		{"dual sign", r.DualSign, 0},
		{"stationarity", r.Stationarity, s.StationarityTolerance*weight + rounding},
		{"complementarity", r.Complementarity, max(products, s.StationarityTolerance) + rounding},
		{"gap", r.Gap, products + float64(in.Targets)*s.StationarityTolerance + rounding},
		{"reported primal value", math.Abs(r.PrimalValue - res.PrimalValue), rounding},
	} {
		if !(c.got <= c.bound) {
			t.Errorf("%s: claims to be solved, but %s is %g > %g", s.Method.Name(), c.name, c.got, c.bound)
		}
	}
}

// compare holds a solve against a known optimum. Weak duality bounds the dual
// value; where the point is called solved, the primal value lies within the gap
// and the price of the allowed violation, Σ|μ*|·tolerance, and strong convexity
// bounds the distance of the point.
func compare(t testing.TB, in *lcqp.Instance, res *Result, s Settings, value float64, sol *lcqp.Solution) {
	t.Helper()
	rounding := 1e-9 * (1 + math.Abs(value))
	if res.DualValue > value+rounding {
		t.Errorf("%s: dual value %v above the optimum %v", s.Method.Name(), res.DualValue, value)
	}
	if res.Status != Solved {
		return
	}
	price, gap := 0.0, res.TotalGap
	for k := range in.Constraints {
		price += s.FeasibilityTolerance * math.Abs(sol.Dual[k])
	}
	if most := allowed(in, res, s); gap > most+rounding {
		t.Errorf("%s: total gap %v, allowed %v", s.Method.Name(), gap, most)
	}
	if d := math.Abs(res.PrimalValue - value); d > gap+price+rounding {
		t.Errorf("%s: value %v, optimum %v", s.Method.Name(), res.PrimalValue, value)
	}
	far := 0.0
	for i, y := range res.Y {
		d := y - sol.Y[i]
		far += in.Epsilon * d * d
	}
	if far > gap+2*price+rounding {
		t.Errorf("%s: point is off by %v in the norm of ε, the gap allows %v", s.Method.Name(), far, gap+2*price)
	}
}

// testFirstOrder solves random problems; at least share of them must be solved.
func testFirstOrder(t *testing.T, m Method, seeds uint64, tol float64, iterations int, share float64) {
	t.Helper()
	s := within(m, tol)
	s.MaxIterations = iterations
	solved := 0
	for seed := range seeds {
		k := infertest.Known(seed)
		res := solve(t, k.Instance, nil, s)
		judge(t, k.Instance, res, s)
		compare(t, k.Instance, res, s, k.Value, &k.Solution)
		if res.Status == Solved {
			solved++
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Logf("%s solved %d of %d to %g in %d iterations", m.Name(), solved, seeds, tol, iterations)
	if float64(solved) < share*float64(seeds) {
		t.Errorf("solved %d of %d, want %v %%", solved, seeds, 100*share)
	}
}

// Equal bits whatever the number of goroutines of the driver, and on a second
// solve with used state.
func TestFirstOrderDeterminism(t *testing.T) {
	var in *lcqp.Instance
	for seed := uint64(0); in == nil || len(in.Components) < 8; seed++ {
		in = lcqptest.Random(rand.New(rand.NewPCG(seed, 1)), lcqptest.Shape{Targets: 80, Rows: 120, Separate: true}).Instance
	}
	for _, m := range []Method{paper.PaperBCD{}, paper.LockFreeBCD{Workers: 1}, admm.ADMM{}, subgradient.Subgradient{}} {
		s := Settings{Method: m, MaxIterations: 200, Workers: 1}
		one := solve(t, in, nil, s)
		s.Workers = 4
		for range 2 {
			if four := solve(t, in, nil, s); !slices.Equal(one.Y, four.Y) || !slices.Equal(one.Dual, four.Dual) {
				t.Errorf("%+v: results differ between 1 and 4 goroutines", m)
			}
		}
	}
}

// Solving again from the solution takes no iteration, and after a change of all
// constants by up to 1e-3 at most half of a cold start's.
func TestFirstOrderWarmStart(t *testing.T) {
	for name, in := range map[string]*lcqp.Instance{"chain": chain(t, 60, 0.05), "grid": infertest.Grid(t, 6, 0.05)} {
		constants := append([]float64(nil), in.B...)
		for _, m := range firstOrder {
			s := within(m, 1e-3)
			if m.Name() == "subgradient" {
				s = within(m, 1e-2)
			}
			s.CheckEvery = 1
			copy(in.B, constants)
			first := solve(t, in, nil, s)
			if first.Status != Solved {
				t.Fatalf("%s, %s: %v", name, m.Name(), first.Status)
			}
			var warm Warm
			first.SaveWarm(&warm)
			if again := solve(t, in, &warm, s); again.Stats.Iterations != 0 || again.Status != Solved {
				t.Errorf("%s, %s: %d iterations from the solution, %v", name, m.Name(), again.Stats.Iterations, again.Status)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			for k := in.Constraints; k < in.Rows(); k++ {
				in.B[k] += 1e-3 * (2*rng.Float64() - 1)
			}
			warmed := solve(t, in, &warm, s)
			cold := solve(t, in, nil, s)
			t.Logf("%s, %s: %d iterations warm, %d cold", name, m.Name(), warmed.Stats.Iterations, cold.Stats.Iterations)
			if warmed.Status != Solved || 2*warmed.Stats.Iterations > cold.Stats.Iterations {
				t.Errorf("%s, %s: %d iterations warm (%v), %d cold", name, m.Name(),
					warmed.Stats.Iterations, warmed.Status, cold.Stats.Iterations)
			}
		}
	}
}

// Problems with nothing in them, or nothing to do, or no freedom.
func TestFirstOrderDegenerate(t *testing.T) {
	pair := []int32{0, 1}
	cases := map[string]func(s *infertest.Build){
		"no rows": func(*infertest.Build) {},
		"zero weight": func(s *infertest.Build) {
			s.Soft(s.Rule(0, false), 0.5, pair, 1, -1)
			s.Soft(s.Rule(0, true), 0.5, pair, 1, 1)
		},
		"inactive": func(s *infertest.Build) { s.Soft(s.Rule(1, false), -9, pair, 1, 1) },
		"duplicates": func(s *infertest.Build) {
			r := s.Rule(1, true)
			for range 4 {
				s.Soft(r, -0.3, pair, 1, -1)
				s.Soft(r, 0.3, pair, -1, 1)
				s.Hard(hlmrf.Equal, -1, pair, 1, 1)
			}
		},
		"at a corner": func(s *infertest.Build) { s.Hard(hlmrf.Equal, -2, pair, 1, 1) },
		"one point":   func(s *infertest.Build) { s.Hard(hlmrf.Equal, 0, pair, 1, -1); s.Hard(hlmrf.Equal, -1, pair, 1, 1) },
		"constant":    func(s *infertest.Build) { s.Soft(s.Rule(2, true), 0.5, nil) },
	}
	for name, build := range cases {
		for _, m := range firstOrder {
			for _, raw := range []bool{false, true} {
				s := infertest.New(2)
				build(s)
				in := s.Instance(t, 0.1)
				settings := within(m, 1e-4)
				settings.NoPresolve = raw
				res := solve(t, in, nil, settings)
				if res.Status != Solved {
					t.Errorf("%s, %s: %v, gap %g, violation %g", name, m.Name(), res.Status, res.TotalGap, res.MaxViolation)
				}
				judge(t, in, res, settings)
				exact := solve(t, in, nil, Settings{})
				compare(t, in, res, settings, exact.PrimalValue, &exact.Solution)
			}
		}
	}
}

// No method may call a contradictory problem solved, nor say that it is
// contradictory without a proof.
func TestFirstOrderInfeasible(t *testing.T) {
	for _, m := range firstOrder {
		found := 0
		for seed := range uint64(40) {
			in := infeasible(t, rand.New(rand.NewPCG(seed, 9)), lcqptest.Shape{Targets: 12, Rows: 12}, 0.03)
			s := within(m, 1e-6)
			s.NoPresolve = seed%2 == 0
			s.MaxIterations = 3000
			res := solve(t, in, nil, s)
			switch {
			case res.Status.OK():
				t.Errorf("%s, seed %d: %v", m.Name(), seed, res.Status)
			case res.Status == Infeasible:
				found++
				if margin := res.Certificate.Margin(in); !(margin > 0) {
					t.Errorf("%s, seed %d: certificate with margin %v", m.Name(), seed, margin)
				}
			}
		}
		t.Logf("%s proved %d of 40 infeasible", m.Name(), found)
		if found < 30 {
			t.Errorf("%s proved %d of 40 infeasible", m.Name(), found)
		}
	}
}

func TestMethodOptions(t *testing.T) {
	nan := math.NaN()
	for _, m := range []interface {
		Method
		Validate() error
	}{paper.LockFreeBCD{Workers: -1}, paper.LockFreeBCD{RowsPerWorker: -1}, admm.ADMM{Step: -1}, admm.ADMM{Step: nan}, admm.ADMM{Step: math.Inf(1)},
		admm.ADMM{Relaxation: 2}, admm.ADMM{Relaxation: nan}, admm.ADMM{Relaxation: -1}, subgradient.Subgradient{Penalty: -1},
		subgradient.Subgradient{Penalty: nan}} {
		if m.Validate() == nil {
			t.Errorf("%#v is accepted", m)
		}
	}
	for _, m := range firstOrder {
		if v, ok := m.(interface{ Validate() error }); ok && v.Validate() != nil {
			t.Error(v.Validate())
		}
		if made, err := New(m.Name()); err != nil || fmt.Sprintf("%#v", made) != fmt.Sprintf("%#v", m) {
			t.Errorf("New(%q) = %#v, %v", m.Name(), made, err)
		}
	}
}

// Counting the components does not hide what a method can do: large components are
// still taken apart, warm starts followed.
func TestBegun(t *testing.T) {
	in := infertest.Family(t, "chain", 4*decomposeFrom+100)
	var begun atomic.Int64
	plain := solve(t, in, nil, Settings{})
	counted := solve(t, in, nil, Settings{Begun: &begun})
	mustBeEqual(t, plain, counted, "counted")
	if n := begun.Load(); n != int64(len(in.Components)) {
		t.Errorf("%d components of %d counted", n, len(in.Components))
	}
}
