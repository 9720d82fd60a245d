package lcqp_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/lcqp"
)

// A NaN anywhere in a solution must show as NaN or +Inf.
func TestResidualsNotice(t *testing.T) {
	for seed := range uint64(60) {
		k := random(seed)
		s := &k.Solution
		for n, x := range [][]float64{s.Y, s.Slack, s.Dual, s.SlackDual, s.LowerDual, s.UpperDual} {
			for i, v := range x {
				x[i] = math.NaN()
				if worst := lcqp.Residuals(k.Instance, s).Max(); !math.IsNaN(worst) && !math.IsInf(worst, 1) {
					t.Errorf("seed %d: entry %d of slice %d: residual %v", seed, i, n, worst)
				}
				x[i] = v
			}
		}
	}
}

// Away from an optimum every residual is what the explicit form of the program
// gives by definition, the gap included.
func TestResidualsByDefinition(t *testing.T) {
	zeros := 0
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
		for j, x := range e.pull(mu) {
			want.Stationarity = max(want.Stationarity, math.Abs(2*e.d[j]*nu[j]+x))
		}
		r := lcqp.Residuals(k.Instance, s)
		for name, v := range map[string][2]float64{
			"primal": {r.Primal, want.Primal}, "dual sign": {r.DualSign, want.DualSign},
			"stationarity": {r.Stationarity, want.Stationarity}, "complementarity": {r.Complementarity, want.Complementarity},
			"primal value": {r.PrimalValue, want.PrimalValue}, "dual value": {r.DualValue, want.DualValue},
			"gap": {r.Gap, want.Gap},
		} {
			if v[0] != v[1] && !near(v[0], v[1], 1e-9) {
				t.Errorf("seed %d: %s %v, by definition %v", seed, name, v[0], v[1])
			}
			if v[1] == 0 {
				zeros++
			}
		}
		if worst := r.Max(); !(worst >= r.Gap/(1+math.Abs(r.PrimalValue)) && worst >= r.Primal && worst >= r.Stationarity) {
			t.Errorf("seed %d: the largest of %+v is not %v", seed, r, worst)
		}
	}
	if zeros > 4 {
		t.Errorf("%d residuals are 0: what is not wrong is not compared", zeros)
	}
}
