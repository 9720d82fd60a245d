package bilevel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// optimum is what theorem 5.2 of the paper speaks of: V, y*, Φ(y*) and Bᵀμ*.
type optimum struct {
	value         float64
	y, phi, slope []float64
}

// optimise solves a program at weights w and outputs g.
func optimise(t *rapid.T, template *lcqp.Template, epsilon float64, w, g []float64) optimum {
	in, err := template.NewInstance(epsilon)
	require.NoError(t, err)
	var res infer.Result
	for _, err := range []error{in.SetWeights(w), in.SetDeep(g), infer.Solve(in, nil, tight, &res), res.Err()} {
		require.NoError(t, err)
	}
	o := optimum{res.PrimalValue, res.Y, make([]float64, template.Rules), make([]float64, template.Deep)}
	in.Incompatibility(&res.Solution, o.phi)
	in.DeepGradient(&res.Solution, o.slope)
	return o
}

// steepness bounds the Lipschitz constant of Φ over the box, from the potentials:
// that of max(0, a·y + c)^p is ‖a‖, times 2·max(0, a·y + c) where p is 2.
func steepness(template *lcqp.Template, g []float64) float64 {
	p := template.Program()
	byRule := make([]float64, template.Rules)
	for k, rule := range p.PotentialRule {
		_, a := p.Potentials.Row(k)
		slope := floats.Norm(a, 2)
		if p.Rules[rule].Squared {
			top := p.Potentials.At(k, make([]float64, template.Targets), g)
			for _, v := range a {
				top += max(0, v)
			}
			slope *= 2 * max(0, top)
		}
		byRule[rule] += slope
	}
	return floats.Norm(byRule, 2)
}

// TestContinuityOfInference checks theorem 5.2 on random programs, between two
// settings far apart:
//
//	‖y*(w₂) − y*(w₁)‖ ≤ L ‖w₂ − w₁‖ / 2ε, L that of Φ, and so for ∇V = Φ(y*),
//	V(w₂) ≤ V(w₁) + Φ(y*₁)·(w₂ − w₁)     V is concave in w with gradient Φ,
//	V(g₂) ≥ V(g₁) + Bᵀμ*₁·(g₂ − g₁)      V is convex in g with subgradient Bᵀμ*,
//
// the last also where V has a kink.
func TestContinuityOfInference(t *testing.T) {
	moved, closest := 0.0, 0.0
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 72))
		epsilon := math.Exp(rapid.Float64Range(-6, 1).Draw(t, "log epsilon"))
		template, err := lcqp.Compile(randomProgram(rng, 6, 4, 4, 12))
		require.NoError(t, err)
		w1, w2 := uniform(rng, 4, 0.1, 1), uniform(rng, 4, 0.1, 1)
		g1, g2 := uniform(rng, 4, 0, 1), uniform(rng, 4, 0, 1)
		one, byWeights, byOutputs := optimise(t, template, epsilon, w1, g1), optimise(t, template, epsilon, w2, g1), optimise(t, template, epsilon, w1, g2)

		l := steepness(template, g1)
		bound := l * floats.Distance(w1, w2, 2) / (2 * epsilon)
		distance := floats.Distance(one.y, byWeights.y, 2)
		moved, closest = max(moved, distance), max(closest, distance/bound)
		if distance > bound+1e-6 {
			t.Fatalf("y* moved by %v, at most %v is allowed", distance, bound)
		}
		if d := floats.Distance(one.phi, byWeights.phi, 2); d > l*bound+1e-6 {
			t.Fatalf("∇V moved by %v, at most %v is allowed", d, l*bound)
		}
		above := one.value
		for r, d := range one.phi {
			above += d * (w2[r] - w1[r])
		}
		if byWeights.value > above+1e-9 {
			t.Fatalf("V(w₂) = %v above the tangent %v", byWeights.value, above)
		}
		below := one.value
		for j, d := range one.slope {
			below += d * (g2[j] - g1[j])
		}
		if byOutputs.value < below-1e-9 {
			t.Fatalf("V(g₂) = %v below the tangent %v", byOutputs.value, below)
		}
	})
	t.Logf("y* moved by up to %.2g, and by up to %.2g of the bound", moved, closest)
	if moved < 0.1 || closest < 0.01 {
		t.Errorf("y* moved by %v at most, %v of the bound: the test shows nothing", moved, closest)
	}
}
