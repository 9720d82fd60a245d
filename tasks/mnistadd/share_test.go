package mnistadd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/train/config"
)

// TestShareOfConstraint measures, at the settings of the recipe "paper", how much of
// the gradient that BCE and MSE send to the network comes from the constraint
// M − V ≤ ι: q·(∂M/∂g − ∂V/∂g) beside a·∂V_z/∂g, with q = λ + μ(c + s) at the first
// multiplier and points y as the algorithm starts them (labels, latent minimiser):
// lab/docs/REPRODUCTION.md has the figures. The multiplier grows in the course of a run.
func TestShareOfConstraint(t *testing.T) {
	for digits := 1; digits <= 2; digits++ {
		cfg := Defaults(digits, "bce", "paper", 300/digits)
		sym, err := NewSymbolic(digits, "")
		require.NoError(t, err)
		for _, sharp := range []float64{0.3, 1.5, 6} {
			rng := rand.New(rand.NewPCG(uint64(digits), 12))
			energy, constraint := 0.0, 0.0
			for range 30 {
				e, c := shares(t, sym, &cfg, rng, sharp)
				energy, constraint = energy+e, constraint+c
			}
			share := constraint / energy
			t.Logf("Add%d, logits of deviation %v: constraint %.2g of the energy's part", digits, sharp, share)
			if !(share < 1e-3) || constraint == 0 {
				t.Errorf("Add%d, logits of deviation %v: constraint %v, energy %v: the document is out of date", digits, sharp, constraint, energy)
			}
		}
	}
}

// shares returns the norms of the two parts for one addition of random images whose
// outputs favour the true digits.
func shares(t *testing.T, sym *Symbolic, cfg *config.Config, rng *rand.Rand, sharp float64) (energy, constraint float64) {
	t.Helper()
	sum := 0
	g := randomOutputs(rng, 2*sym.Digits, sharp)
	for i := range 2 * sym.Digits {
		x := rng.IntN(10)
		row := g[10*i : 10*i+10]
		best := slices.Index(row, slices.Max(row))
		row[x], row[best] = row[best], row[x]
		sum += x * int(math.Pow10(sym.Digits-1-i%sym.Digits))
	}
	solve := func(prepare func(*lcqp.Instance) error) (y, dg []float64) {
		in, err := sym.Template.NewInstance(cfg.Symbolic.Epsilon)
		require.NoError(t, err)
		var res infer.Result
		for _, err := range []error{in.SetWeights(startWeights(sym)), prepare(in), in.SetDeep(g), infer.Solve(in, nil, infer.Settings{}, &res), res.Err()} {
			require.NoError(t, err)
		}
		dg = make([]float64, sym.Template.Deep)
		in.DeepGradient(&res.Solution, dg)
		return res.Y, dg
	}
	point, latent := solve(func(in *lcqp.Instance) error { return sym.FixLabels(in, mnist.NewSum(sum, sym.Digits)) })
	_, full := solve(func(*lcqp.Instance) error { return nil })
	prox := make([]float64, len(point))
	for i := range prox {
		prox[i] = cfg.Bilevel.ProxWeight
	}
	_, moreau := solve(func(in *lcqp.Instance) error { return in.SetProx(prox, point) })
	e, c := 0.0, 0.0
	for j := range latent {
		d, k := cfg.Bilevel.EnergyCoefficient*latent[j], cfg.Bilevel.InitialMultiplier*(moreau[j]-full[j])
		e, c = e+d*d, c+k*k
	}
	return math.Sqrt(e), math.Sqrt(c)
}
