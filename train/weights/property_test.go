package weights_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/bilevel"
	"hinge/optim"
	"hinge/train/weights"
)

// simplexOptimum returns the w on the simplex that minimises w·Φ − r·Σ log w.
func simplexOptimum(phi []float64, r float64) []float64 {
	low, high := -1e9, math.Inf(1)
	for _, v := range phi {
		high = min(high, v)
	}
	for range 400 {
		theta, sum := (low+high)/2, 0.0
		for _, v := range phi {
			sum += r / (v - theta)
		}
		if sum < 1 {
			low = theta
		} else {
			high = theta
		}
	}
	w := make([]float64, len(phi))
	for i, v := range phi {
		w[i] = r / (v - low)
	}
	return w
}

// streets draws towns with random labels and calls f with each.
func streets(t *testing.T, f func(p weights.Problem, rng *rand.Rand)) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 5))
		n := 3 + rng.IntN(6)
		given := map[int]float64{0: float64(rng.IntN(2))}
		if rng.IntN(2) == 0 {
			given[n-1] = rng.Float64()
		}
		p := weights.Problem{Template: compile(t, town, n, given)}
		for range p.Template.Targets {
			label := float64(rng.IntN(2))
			if rng.IntN(4) == 0 {
				label = rng.Float64()
			}
			p.Labels = append(p.Labels, label)
		}
		f(p, rng)
	}
}

// terms learns and returns what was told after each epoch.
func terms(t *testing.T, p weights.Problem, c weights.Config) (list []weights.Progress, r *weights.Result) {
	t.Helper()
	r, err := weights.Learn(context.Background(), p, c, func(p weights.Progress) { list = append(list, p) })
	require.NoError(t, err)
	return list, r
}

// The structured perceptron's loss is convex in w and never negative: no point
// has less energy than the optimum. Small steps never raise it, regulariser
// included.
func TestPerceptronOfStreets(t *testing.T) {
	streets(t, func(p weights.Problem, _ *rand.Rand) {
		c := weights.Config{Loss: bilevel.LossSP, WeightOptions: optim.WeightOptions{Step: 2e-3, Regularizer: optim.Regularizer{NegLog: 1e-2}}}
		last := math.Inf(1)
		for _, epochs := range []int{1, 20, 60, 150} {
			c.Epochs = epochs
			list, _ := terms(t, p, c)
			before := c
			before.Epochs = max(epochs-1, 1)
			_, at := terms(t, p, before)
			loss := list[epochs-1].Terms.Energy
			if !(loss >= -1e-9) {
				t.Errorf("the loss is %v", loss)
			}
			if epochs > 1 {
				loss += optim.Regularizer{NegLog: c.NegLog}.Value(at.Weights)
				if !(loss <= last+1e-9) {
					t.Errorf("after %d epochs the loss is %v, before %v", epochs, loss, last)
				}
				last = loss
			}
		}
	})
}

// The Moreau envelope is at least the optimum wherever y is, y starts at the
// labels, and learning keeps the distance in check.
func TestEnvelopeOfStreets(t *testing.T) {
	for _, loss := range []bilevel.LossName{bilevel.LossMSE, bilevel.LossBCE} {
		streets(t, func(p weights.Problem, _ *rand.Rand) {
			list, _ := terms(t, p, weights.Config{Loss: loss, WeightOptions: optim.WeightOptions{Regularizer: optim.Regularizer{NegLog: 1e-3}}, Epochs: 80})
			for _, e := range list {
				if !(e.Terms.Gap >= -1e-9) || math.IsNaN(e.Terms.Lagrangian) {
					t.Fatalf("%s, epoch %d: M − V = %v, L = %v", loss, e.Epoch, e.Terms.Gap, e.Terms.Lagrangian)
				}
			}
			first, last := list[0].Terms, list[len(list)-1].Terms
			if loss == bilevel.LossMSE && first.Supervised > 1e-12 {
				t.Errorf("mse: at the labels the supervised loss is %v", first.Supervised)
			}
			// ι begins at the first distance and only falls; the constraint may
			// still be violated a little.
			if !(last.Gap <= 1.25*first.Gap+1e-9) {
				t.Errorf("%s: M − V was %v and is %v", loss, first.Gap, last.Gap)
			}
		})
	}
}

// Projected gradient steps find what mirror descent finds; plain ones on weights of
// any sum the optimum without the simplex, r/Φ.
func TestUpdatesOfStreets(t *testing.T) {
	streets(t, func(p weights.Problem, rng *rand.Rand) {
		r := 0.2 + rng.Float64()
		phi := make([]float64, p.Template.Rules)
		p.Template.Program().Incompatibility(p.Labels, nil, phi)
		c := weights.Config{Loss: bilevel.LossEnergy, WeightOptions: optim.WeightOptions{Step: 0.01, Method: optim.Projected, Regularizer: optim.Regularizer{NegLog: r, L2: 0.1}}, Epochs: 1500}
		projected := learn(t, p, c).Weights
		c.Method = optim.Mirror
		c.Step, c.Epochs = 0.1, 600
		for i, want := range learn(t, p, c).Weights {
			if math.Abs(projected[i]-want) > 1e-5 {
				t.Errorf("weight %d is %v by projected steps, %v by mirror descent", i, projected[i], want)
			}
		}
		c.Method, c.Step = optim.Gradient, 0.05
		for i, got := range learn(t, p, c).Weights {
			want := (math.Sqrt(phi[i]*phi[i]+8*0.1*r) - phi[i]) / (4 * 0.1) // of Φ·w + 0.1·w² − r·log w
			if math.Abs(got-want) > 1e-3*want {
				t.Errorf("weight %d is %v by plain steps, want %v", i, got, want)
			}
		}
	})
}
