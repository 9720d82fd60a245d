package lcqp_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
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

// The dual value of the judge is a lower bound, and equals the eliminated dual
// of Value at an optimum.
func TestResidualValues(t *testing.T) {
	for seed := range uint64(200) {
		k := random(seed)
		r := lcqp.Residuals(k.Instance, &k.Solution)
		p, d := k.Instance.Value(&k.Solution)
		if !near(r.PrimalValue, p, 1e-10) || !near(r.DualValue, d, 1e-8) || !near(r.Gap, 0, 1e-8) {
			t.Errorf("seed %d: judge %v and %v, Value %v and %v", seed, r.PrimalValue, r.DualValue, p, d)
		}
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
		e := lcqptest.NewExplicit(k.Instance)
		for _, row := range e.SquareRows { // s ≥ 0 has no row there: it follows
			i := row - k.Instance.Constraints
			s.Slack[i], s.SlackDual[i] = math.Abs(s.Slack[i]), 0
		}
		nu, mu := e.Primal(s), e.Dual(s)
		want := lcqp.Residual{PrimalValue: e.Objective(nu), DualValue: e.DualObjective(mu)}
		want.Gap = math.Abs(want.PrimalValue - want.DualValue)
		for row, v := range e.Activity(nu) {
			want.Complementarity = max(want.Complementarity, math.Abs(mu[row]*v))
			if e.Equality[row] {
				v = math.Abs(v)
			} else {
				want.DualSign = max(want.DualSign, -mu[row])
			}
			want.Primal = max(want.Primal, v)
		}
		for j, x := range e.FromDual(mu) { // 2(D + εI)ν + c + Aᵀμ is 2(D + εI)(ν − x)
			want.Stationarity = max(want.Stationarity, math.Abs(2*(e.D[j]+e.Epsilon)*(nu[j]-x)))
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

// One target and the potential 2·max(0, 1 − y), by hand with ε = 0.1.
func TestResidualGapByHand(t *testing.T) {
	p := &hlmrf.Program{Targets: []string{"y"}, Rules: []hlmrf.Rule{{Text: "2: Y", Weight: 2}}}
	p.Potentials.Append([]int32{0}, []float64{-1}, nil, nil, 1)
	p.PotentialRule = []int32{0}
	in := instance(t, compile(t, p), 0.1)
	var sol lcqp.Solution
	sol.Resize(in.Template)
	sol.Slack[0] = 1 // y = 0: 2s + εs² = 2.1
	for _, c := range []struct{ mu, sigma, dual float64 }{
		{0, 2, 0},
		{1, 1, 1 - 1/(4*0.1)}, // μb − (Aᵀμ)²/4ε
		{0, 0, -4 / (4 * 0.1)},
	} {
		sol.Dual[0], sol.SlackDual[0] = c.mu, c.sigma
		r := lcqp.Residuals(in, &sol)
		if !near(r.PrimalValue, 2.1, 1e-15) || !near(r.DualValue, c.dual, 1e-15) || !near(r.Gap, 2.1-c.dual, 1e-15) {
			t.Errorf("μ = %v, σ = %v: values %v and %v, gap %v; want 2.1, %v, %v",
				c.mu, c.sigma, r.PrimalValue, r.DualValue, r.Gap, c.dual, 2.1-c.dual)
		}
	}
}
