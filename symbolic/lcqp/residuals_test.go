package lcqp_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/lcqp"
)

// Each way of spoiling an optimum must show in the residual that is made for
// it.
func TestResidualsNotice(t *testing.T) {
	const by = 1e-3
	checks := []struct {
		name  string
		spoil func(in *lcqp.Instance, s *lcqp.Solution) bool // false: not possible here
		see   func(r lcqp.Residual) float64
	}{
		{"target leaves the box", func(in *lcqp.Instance, s *lcqp.Solution) bool {
			s.Y[0] = in.Upper[0] + by
			return true
		}, func(r lcqp.Residual) float64 { return r.Primal }},
		{"hard row violated", func(in *lcqp.Instance, s *lcqp.Solution) bool {
			for row := range in.Constraints {
				if in.Kinds[row] == lcqp.HardEQ {
					in.B[row] += by
					return true
				}
			}
			return false
		}, func(r lcqp.Residual) float64 { return r.Primal }},
		{"slack too small", func(in *lcqp.Instance, s *lcqp.Solution) bool {
			for k, v := range s.Slack {
				if v > by {
					s.Slack[k] -= by
					return true
				}
			}
			return false
		}, func(r lcqp.Residual) float64 { return r.Primal }},
		{"negative multiplier", func(in *lcqp.Instance, s *lcqp.Solution) bool {
			for row, kind := range in.Kinds {
				if kind != lcqp.HardEQ {
					s.Dual[row] = -by
					return true
				}
			}
			return false
		}, func(r lcqp.Residual) float64 { return r.DualSign }},
		{"multiplier off", func(in *lcqp.Instance, s *lcqp.Solution) bool {
			s.LowerDual[0] += by
			return true
		}, func(r lcqp.Residual) float64 { return r.Stationarity }},
		{"multiplier of an inactive bound", func(in *lcqp.Instance, s *lcqp.Solution) bool {
			for i, y := range s.Y {
				if y == 0 && in.Upper[i] == 1 { // both up and down: stationary still
					s.UpperDual[i] += by
					s.LowerDual[i] += by
					return true
				}
			}
			return false
		}, func(r lcqp.Residual) float64 { return r.Complementarity }},
		{"NaN", func(in *lcqp.Instance, s *lcqp.Solution) bool {
			s.Y[0] = math.NaN()
			return true
		}, func(r lcqp.Residual) float64 {
			if math.IsNaN(r.Max()) {
				return 1
			}
			return 0
		}},
	}
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			tried := 0
			for seed := range uint64(60) {
				k := random(seed)
				if r := lcqp.Residuals(k.Instance, &k.Solution); r.Max() > 1e-9 {
					t.Fatalf("seed %d: %+v before", seed, r)
				}
				if !c.spoil(k.Instance, &k.Solution) {
					continue
				}
				tried++
				if got := c.see(lcqp.Residuals(k.Instance, &k.Solution)); !(got >= 0.99*by) {
					t.Errorf("seed %d: residual %v", seed, got)
				}
			}
			if tried < 5 {
				t.Errorf("only %d problems could be spoiled", tried)
			}
		})
	}
}

// Away from an optimum every residual is what the explicit form of the program
// gives by definition, the gap included.
func TestResidualsByDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for seed := range uint64(200) {
		k := random(seed)
		s := &k.Solution
		for _, x := range [][]float64{s.Y, s.Slack, s.Dual, s.SlackDual, s.LowerDual, s.UpperDual} {
			for i := range x {
				x[i] += 0.3 * rng.NormFloat64()
			}
		}
		e := writeOut(k.Instance)
		for _, row := range e.potentials[:e.squares] { // s ≥ 0 has no row there: it follows
			i := row - k.Instance.Constraints
			s.Slack[i], s.SlackDual[i] = math.Abs(s.Slack[i]), 0
		}
		nu, mu := e.primal(s), e.dual(s)
		want := lcqp.Residual{PrimalValue: e.objective(nu), DualValue: e.dualObjective(mu)}
		want.Gap = math.Abs(want.PrimalValue - want.DualValue)
		for row, v := range e.activity(nu) {
			want.Complementarity = max(want.Complementarity, math.Abs(mu[row]*v))
			if e.equality[row] {
				v = math.Abs(v)
			} else {
				want.DualSign = max(want.DualSign, -mu[row])
			}
			want.Primal = max(want.Primal, v)
		}
		for j, x := range e.fromDual(mu) { // 2(D + εI)ν + c + Aᵀμ is 2(D + εI)(ν − x)
			want.Stationarity = max(want.Stationarity, math.Abs(2*e.d[j]*(nu[j]-x)))
		}
		r := lcqp.Residuals(k.Instance, s)
		for name, v := range map[string][2]float64{
			"primal": {r.Primal, want.Primal}, "dual sign": {r.DualSign, want.DualSign},
			"stationarity": {r.Stationarity, want.Stationarity}, "complementarity": {r.Complementarity, want.Complementarity},
			"primal value": {r.PrimalValue, want.PrimalValue}, "dual value": {r.DualValue, want.DualValue},
			"gap": {r.Gap, want.Gap},
		} {
			if !near(v[0], v[1], 1e-9) || v[1] == 0 {
				t.Errorf("seed %d: %s %v, by definition %v", seed, name, v[0], v[1])
			}
		}
		if worst := r.Max(); !(worst >= r.Gap/(1+math.Abs(r.PrimalValue)) && worst >= r.Primal && worst >= r.Stationarity) {
			t.Errorf("seed %d: the largest of %+v is not %v", seed, r, worst)
		}
	}
}
