package lcqp_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

func random(seed uint64) *lcqptest.Known {
	return lcqptest.Random(rand.New(rand.NewPCG(seed, 77)), lcqptest.Shape{Targets: 10, Rows: 15})
}

// At a known optimum primal and dual value agree.
func TestValueAtOptimum(t *testing.T) {
	for seed := range uint64(300) {
		k := random(seed)
		p, d := k.Instance.Value(&k.Solution)
		if !near(p, d, 1e-9) {
			t.Errorf("seed %d: primal %v, dual %v", seed, p, d)
		}
	}
}

// Weak duality: multipliers of valid signs never give more than the optimum,
// and no feasible point gives less.
func TestValueBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for seed := range uint64(300) {
		k := random(seed)
		sol := k.Solution
		sol.Dual = append([]float64(nil), sol.Dual...)
		for row := range sol.Dual {
			sol.Dual[row] += 0.3 * rng.NormFloat64()
			if k.Instance.Kinds[row] != lcqp.HardEQ {
				sol.Dual[row] = max(sol.Dual[row], 0)
			}
		}
		if _, d := k.Instance.Value(&sol); d > k.Value+1e-9*(1+math.Abs(k.Value)) {
			t.Errorf("seed %d: dual value %v above the optimum %v", seed, d, k.Value)
		}
	}
}

func TestEnergyAndIncompatibility(t *testing.T) {
	for seed := range uint64(100) {
		k := random(seed)
		in := k.Instance
		p := in.Program()
		want := make([]float64, in.Rules)
		p.Incompatibility(k.Solution.Y, k.Deep, want)
		got := make([]float64, in.Rules)
		in.Incompatibility(&k.Solution, got)
		for r := range want {
			if !near(got[r], want[r], 1e-9) {
				t.Errorf("seed %d: Φ[%d] = %v, want %v", seed, r, got[r], want[r])
			}
		}
		if e := in.Energy(&k.Solution); !near(e, p.Energy(k.Solution.Y, k.Deep, nil), 1e-9) {
			t.Errorf("seed %d: energy %v, want %v", seed, e, p.Energy(k.Solution.Y, k.Deep, nil))
		}
	}
}

func TestGradients(t *testing.T) {
	in := instance(t, compile(t, program()), 0.1)
	var sol lcqp.Solution
	sol.Resize(in.Template)
	copy(sol.Dual, []float64{5, 6, 7, 8, 9, 10})
	dg := []float64{99, 99} // must be overwritten
	in.DeepGradient(&sol, dg)
	if dg[0] != 1*7+2*8 || dg[1] != 1*9 {
		t.Errorf("Bᵀμ = %v", dg)
	}
	copy(sol.Y, []float64{0.5, 0, 0, 0, 1})
	in.SetProx([]float64{3}, []float64{1, 0, 0, 0, 1})
	dy := make([]float64, 5)
	in.ProxGradient(&sol, dy)
	if dy[0] != 2*3*(1-0.5) || dy[4] != 0 {
		t.Errorf("∂M/∂ŷ = %v", dy)
	}
}
