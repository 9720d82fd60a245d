package neupsl

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/bilevel"
	"hinge/optim"
	"hinge/symbolic/ground"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/psl"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
)

// street is a program of n people in a row of friends, of whom the given ones are observed, with
// rules of which some are right and some wrong.
func street(t *testing.T, n int, given map[int]float64) *lcqp.Template {
	t.Helper()
	rules, err := psl.Parse("rules.psl", []byte(`
1: Friends(A, B) & Smokes(A) -> Smokes(B) ^2
1: Friends(A, B) & Smokes(A) -> !Smokes(B) ^2
1: Person(A) -> Smokes(A) ^2
1: !Smokes(A) ^2
`))
	require.NoError(t, err)
	db := ground.NewDatabase()
	require.NoError(t, db.Predicate("Friends", 2))
	require.NoError(t, db.Predicate("Smokes", 1))
	require.NoError(t, db.Predicate("Person", 1))
	name := func(i int) string { return "p" + string(rune('0'+i)) }
	for i := range n {
		require.NoError(t, db.Observe("Person", 1, name(i)))
		if v, ok := given[i]; ok {
			require.NoError(t, db.Observe("Smokes", v, name(i)))
		} else {
			_, err := db.Target("Smokes", name(i))
			require.NoError(t, err)
		}
		if i > 0 {
			require.NoError(t, db.Observe("Friends", 1, name(i-1), name(i)))
		}
	}
	program, err := ground.Ground(context.Background(), rules, db, ground.Options{})
	require.NoError(t, err)
	template, err := lcqp.Compile(program)
	require.NoError(t, err)
	return template
}

// streets draws streets with random labels and calls f with each.
func streets(t *testing.T, f func(d RuleData, rng *rand.Rand)) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 5))
		n := 3 + rng.IntN(6)
		given := map[int]float64{0: float64(rng.IntN(2))}
		if rng.IntN(2) == 0 {
			given[n-1] = rng.Float64()
		}
		d := RuleData{Template: street(t, n, given)}
		for range d.Template.Targets {
			label := float64(rng.IntN(2))
			if rng.IntN(4) == 0 {
				label = rng.Float64()
			}
			d.Labels = append(d.Labels, label)
		}
		f(d, rng)
	}
}

// learned takes steps on the weights of a street's rules and returns these with the metric of
// each step.
func learned(t *testing.T, d RuleData, loss bilevel.LossName, o optim.WeightOptions, steps int) (w []float64, list []record.Metric) {
	t.Helper()
	c := config.Config{
		Task: "street", Loss: string(loss), Recipe: "best",
		Training: config.Training{Batch: 1, Steps: steps, ValidEvery: steps, Keep: 1, FixedBatches: true, NoTest: true, LastWeights: true},
		Neural:   config.Neural{LearningRate: 1, Schedule: "constant", TemperatureMin: 1, TestTemperature: 1},
		Symbolic: config.Symbolic{Solver: "auto", Epsilon: 0.01, WeightOptions: o},
		Bilevel:  bilevel.Lagrangian{PointStep: 0.1, InitialMultiplier: 0.1, MovementTolerance: 1e-2, TestEvery: 5, Stationarity: bilevel.StationarityMovement, StopOnGap: true},
	}
	m, err := NewRuleModel(c, RuleSetup{Parts: map[learning.Part]RuleData{learning.TrainPart: d, learning.ValidPart: d}})
	require.NoError(t, err)
	defer m.Graph.Close()
	_, err = train.Run(context.Background(), c, m, train.Options{Dir: t.TempDir(), Observer: everyStep(func(m record.Metric) { list = append(list, m) })})
	require.NoError(t, err)
	return m.Weights(), list
}

// everyStep is an Observer of the steps alone.
type everyStep func(record.Metric)

func (everyStep) Start(train.Plan)                     {}
func (s everyStep) Step(_ int, m record.Metric)        { s(m) }
func (everyStep) Valid(int, record.Metric, train.Fate) {}
func (everyStep) Note(string)                          {}
func (everyStep) Done()                                {}

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

// With all targets labelled the energy loss is w·Φ(t) − r·Σ log w, whose minimum
// on the simplex has Φ_i − r/w_i equal for all rules.
func TestRuleModelFindsOptimum(t *testing.T) {
	d := RuleData{Template: street(t, 6, map[int]float64{0: 1}), Labels: []float64{1, 1, 1, 0, 0}}
	phi := make([]float64, d.Template.Rules)
	d.Template.Program().Incompatibility(d.Labels, nil, phi)
	require.Equal(t, []float64{1, 3, 2, 3}, phi, "Φ of the labels")
	w, _ := learned(t, d, bilevel.LossEnergy, optim.WeightOptions{Step: 0.05, Regularizer: optim.Regularizer{NegLog: 0.5}}, 1600)
	assert.InDeltaSlice(t, simplexOptimum(phi, 0.5), w, 1e-6)
}

// Projected gradient steps find what mirror descent finds; plain ones the optimum without the
// simplex.
func TestRuleModelMethods(t *testing.T) {
	streets(t, func(d RuleData, rng *rand.Rand) {
		r := 0.2 + rng.Float64()
		phi := make([]float64, d.Template.Rules)
		d.Template.Program().Incompatibility(d.Labels, nil, phi)
		o := optim.WeightOptions{Step: 0.01, Method: optim.Projected, Regularizer: optim.Regularizer{NegLog: r, L2: 0.1}}
		projected, _ := learned(t, d, bilevel.LossEnergy, o, 1500)
		o.Method, o.Step = optim.Mirror, 0.1
		mirror, _ := learned(t, d, bilevel.LossEnergy, o, 600)
		assert.InDeltaSlice(t, projected, mirror, 1e-5)
		o.Method, o.Step = optim.Gradient, 0.05
		plain, _ := learned(t, d, bilevel.LossEnergy, o, 600)
		for i, got := range plain {
			want := (math.Sqrt(phi[i]*phi[i]+8*0.1*r) - phi[i]) / (4 * 0.1) // of Φ·w + 0.1·w² − r·log w
			assert.InEpsilonf(t, want, got, 1e-3, "weight %d", i)
		}
	})
}

// The structured perceptron's loss is convex in w and never negative: no point has less energy
// than the optimum. Small steps never raise it.
func TestRuleModelPerceptron(t *testing.T) {
	streets(t, func(d RuleData, _ *rand.Rand) {
		_, list := learned(t, d, bilevel.LossSP, optim.WeightOptions{Step: 2e-3}, 150)
		for k, m := range list {
			assert.GreaterOrEqualf(t, *m.Loss, -1e-9, "step %d", k+1)
			if k > 0 {
				assert.LessOrEqualf(t, *m.Loss, *list[k-1].Loss+1e-9, "step %d", k+1)
			}
		}
	})
}

// What a solver that stops early infers from weights has the same bits whatever was inferred before:
// looks at a run change none of its validations.
func TestRuleModelInfersCold(t *testing.T) {
	var first, far, again []float64
	d := RuleData{Template: street(t, 6, map[int]float64{0: 1}), Labels: []float64{1, 1, 1, 0, 0}}
	c := config.Config{
		Task: "street", Loss: string(bilevel.LossEnergy), Training: config.Training{Batch: 1},
		Symbolic: config.Symbolic{Solver: "admm", Epsilon: 0.01, Gap: 1},
	}
	m, err := NewRuleModel(c, RuleSetup{Parts: map[learning.Part]RuleData{learning.TrainPart: d, learning.ValidPart: d}})
	require.NoError(t, err)
	defer m.Graph.Close()
	start := slices.Clone(m.Weights())
	for _, at := range []struct {
		w   []float64
		out *[]float64
	}{{start, &first}, {[]float64{0, 0, 0, 1}, &far}, {start, &again}} {
		copy(m.Weights(), at.w)
		y, _, err := m.Infer(learning.ValidPart)
		require.NoError(t, err)
		*at.out = slices.Clone(y)
	}
	assert.NotEqual(t, first, far, "other weights")
	assert.Equal(t, first, again, "the same weights")
}

// The Moreau envelope is at least the optimum wherever y is, y starts at the labels, and learning
// keeps the distance in check: ι begins at the first distance and only falls, and the constraint
// may still be violated a little.
func TestRuleModelEnvelope(t *testing.T) {
	for _, loss := range []bilevel.LossName{bilevel.LossMSE, bilevel.LossBCE} {
		streets(t, func(d RuleData, _ *rand.Rand) {
			_, list := learned(t, d, loss, optim.WeightOptions{Regularizer: optim.Regularizer{NegLog: 1e-3}}, 80)
			for _, m := range list {
				assert.GreaterOrEqualf(t, m.Terms.Gap, -1e-9, "%s, step %d: M − V", loss, m.Step)
			}
			first, last := list[0].Terms, list[len(list)-1].Terms
			if loss == bilevel.LossMSE {
				assert.LessOrEqual(t, first.Supervised, 1e-12, "the supervised loss at the labels")
			}
			assert.LessOrEqualf(t, last.Gap, 1.25*first.Gap+1e-9, "%s: M − V", loss)
		})
	}
}
