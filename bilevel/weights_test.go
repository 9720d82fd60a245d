package bilevel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/optim"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
)

// plainProgram is a random program without neural outputs.
func plainProgram(t *testing.T, seed uint64) *lcqp.Template {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 41))
	p := randomProgram(rng, 6, 4, 3, 14)
	plain := &hlmrf.Program{
		Targets: p.Targets, Rules: p.Rules, HardRules: p.HardRules, PotentialRule: p.PotentialRule,
		Relations: p.Relations, ConstraintRule: p.ConstraintRule,
	}
	copyRows := func(to, from *hlmrf.Rows) {
		for k := range from.Len() {
			col, val := from.Row(k)
			to.Append(col, val, nil, nil, from.Const[k])
		}
	}
	copyRows(&plain.Potentials, &p.Potentials)
	copyRows(&plain.Constraints, &p.Constraints)
	template, err := lcqp.Compile(plain)
	require.NoError(t, err)
	return template
}

func newLearner(t *testing.T, set Settings, batch int) *WeightLearner {
	t.Helper()
	set.Value = Options{Epsilon: 0.05}
	o, err := NewObjective(Problem{Template: plainProgram(t, 1), Samples: 4, Batch: batch, Label: labelled}, set)
	require.NoError(t, err)
	l, err := NewWeightLearner(o, []float64{1, 2, 3}, &optim.MirrorDescent{WeightOptions: optim.WeightOptions{
		Step: 0.05, Shrink: true, Regularizer: optim.Regularizer{NegLog: 1e-3},
	}})
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	return l
}

// TestStateResumesExactly saves learners after some epochs, restores them into
// new ones and goes on: the same bits as without the interruption.
func TestStateResumesExactly(t *testing.T) {
	for _, set := range []Settings{
		{Loss: LossEnergy}, {Loss: LossSP}, {Loss: LossMSE}, {Loss: LossBCE, Lagrangian: Lagrangian{Slack: SlackExact}},
		{Loss: LossMSE, Lagrangian: Lagrangian{Constraint: ConstraintBatch, Slack: SlackNone, Stationarity: StationarityMovement}},
	} {
		set.ProxWeight, set.EnergyCoefficient, set.MovementTolerance = 0.5, 0.5, 0.3
		whole := newLearner(t, set, 2)
		trace := func(l *WeightLearner, epochs int) string {
			var out strings.Builder
			for range epochs {
				r, err := l.Epoch()
				require.NoError(t, err)
				fmt.Fprintln(&out, r.Terms, r.Outcome, l.Weights(), r.Incompatibility)
			}
			return out.String()
		}
		first := newLearner(t, set, 2)
		a := trace(whole, 12)
		b := trace(first, 5)
		saved := map[string][]float64{}
		for _, array := range first.o.State() {
			if n := product(array.Shape); n != len(array.Data) {
				t.Errorf("array %s of shape %v has %d elements", array.Name, array.Shape, len(array.Data))
			}
			if _, twice := saved[array.Name]; twice {
				t.Errorf("two arrays %s", array.Name)
			}
			saved[array.Name] = slices.Clone(array.Data)
		}
		second := newLearner(t, set, 2)
		copy(second.Weights(), first.Weights())
		second.epoch = first.epoch
		require.NoError(t, second.o.SetState(getter(saved)))
		if b += trace(second, 7); a != b {
			t.Errorf("%s: the runs differ:\n%s\n%s", set.Loss, a, b)
		}
		// Everything that is missing or misshapen is refused.
		for name, data := range saved {
			delete(saved, name)
			assert.Errorf(t, second.o.SetState(getter(saved)), "%s: no error without %s", set.Loss, name)
			saved[name] = append(slices.Clone(data), 0)
			assert.Errorf(t, second.o.SetState(getter(saved)), "%s: no error with %s too long", set.Loss, name)
			saved[name] = data
		}
	}
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func getter(saved map[string][]float64) func(string) ([]float64, error) {
	return func(name string) ([]float64, error) {
		if d, ok := saved[name]; ok {
			return d, nil
		}
		return nil, fmt.Errorf("no array %s", name)
	}
}

// TestTerms: the terms of an epoch add up, and every second epoch has a test.
func TestTerms(t *testing.T) {
	l := newLearner(t, Settings{Loss: LossBCE, Lagrangian: Lagrangian{EnergyCoefficient: 1, TestEvery: 2}}, 2)
	for n := range 6 {
		r, err := l.Epoch()
		require.NoError(t, err)
		if r.Outcome.Tested != (n%2 == 1) {
			t.Errorf("epoch %d: tested %v", n+1, r.Outcome.Tested)
		}
		if c := r.Terms; c.Supervised == 0 || c.Energy == 0 || c.Samples != 4 ||
			math.Abs(c.Supervised+c.Energy+c.Linear+c.Quadratic-c.Lagrangian) > 1e-12 {
			t.Errorf("terms %+v do not add up", c)
		}
	}
}

func TestWeightLearnerErrors(t *testing.T) {
	good := Problem{Template: plainProgram(t, 1), Samples: 4, Batch: 2, Label: labelled}
	deep := good
	var err error
	deep.Template, err = lcqp.Compile(randomProgram(rand.New(rand.NewPCG(1, 1)), 6, 4, 3, 12))
	require.NoError(t, err)
	odd := good
	odd.Batch = 3
	for want, try := range map[string]struct {
		problem Problem
		weights []float64
	}{
		"neural outputs":    {deep, []float64{1, 1, 1}},
		"not a multiple":    {odd, []float64{1, 1, 1}},
		"2 weights":         {good, []float64{1, 1}},
		"weights sum to 0":  {good, []float64{0, 0, 0}},
		"weight 1 is -1":    {good, []float64{1, -1, 1}},
		"weight 2 is +Inf":  {good, []float64{1, 1, math.Inf(1)}},
		"weight 0 is NaN":   {good, []float64{math.NaN(), 1, 1}},
		"has 3 rules":       {good, []float64{1, 1, 1, 1}},
		"4 neural outputs;": {deep, nil},
	} {
		o, err := NewObjective(try.problem, Settings{Loss: LossEnergy})
		require.NoError(t, err)
		_, err = NewWeightLearner(o, try.weights, &optim.MirrorDescent{})
		assert.ErrorContains(t, err, want)
	}
	part, err := NewObjective(good, Settings{Loss: LossBCE, Lagrangian: Lagrangian{ConstraintSamples: 1}})
	require.NoError(t, err)
	_, err = NewWeightLearner(part, []float64{1, 1, 1}, &optim.MirrorDescent{})
	assert.ErrorContains(t, err, "constraints of 1 of", "constraints of one sample of the same batch each epoch")
	l := newLearner(t, Settings{Loss: LossEnergy}, 0)
	l.Close()
	_, err = l.Epoch()
	assert.ErrorContains(t, err, "closed", "epoch of a closed learner")
	bad := good
	bad.Label = func(_ int, in *lcqp.Instance) error { return in.Fix(0, 2) }
	o, err := NewObjective(bad, Settings{Loss: LossSP})
	require.NoError(t, err)
	assert.ErrorContains(t, o.Load([]int{3, 1}), "labels of sample 3", "labels outside the box")
}
