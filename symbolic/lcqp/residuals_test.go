package lcqp_test

import (
	"math"
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
