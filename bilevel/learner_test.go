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
	"gonum.org/v1/gonum/floats"

	"hinge/nn"
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

// learner learns the weights of rules without a network from all samples, in the same batches in
// every epoch.
type learner struct {
	o        *Objective
	method   *optim.WeightStep
	weights  []float64
	batches  [][]int
	graph    *nn.Graph[float64]
	gradient func() []float64
	epoch    int
}

// learn starts a learner from the weights w, scaled to the unit simplex.
func learn(t *testing.T, o *Objective, w []float64, method *optim.WeightStep) *learner {
	t.Helper()
	l := &learner{o: o, method: method, weights: w, graph: nn.NoNetwork[float64]()}
	require.NoError(t, optim.ToSimplex(w))
	samples := make([]int, o.Problem().Samples)
	for i := range samples {
		samples[i] = i
	}
	l.batches = slices.Collect(slices.Chunk(samples, o.Problem().Batch))
	var err error
	l.gradient, err = Attach(o, l.graph, w)
	require.NoError(t, err)
	t.Cleanup(func() { l.graph.Close() })
	return l
}

// pass makes an epoch and returns the sum of the terms of its steps.
func (l *learner) pass(t *testing.T) (sum Terms, out Outcome) {
	t.Helper()
	if !l.o.Started() {
		require.NoError(t, l.o.Start(l.weights, l.batches, nil))
	}
	for _, batch := range l.batches {
		require.NoError(t, l.o.Load(batch))
		require.NoError(t, l.graph.Run(nil))
		dw := l.gradient()
		terms, err := l.o.Step(l.weights, dw)
		require.NoError(t, err)
		sum.add(terms)
		require.NoError(t, l.method.Update(l.weights, dw, l.epoch))
	}
	l.epoch++
	out, err := l.o.EndEpoch(l.weights, 0)
	require.NoError(t, err)
	return sum, out
}

func newLearner(t *testing.T, set Settings, batch int) *learner {
	t.Helper()
	set.Value = Options{Epsilon: 0.05}
	o, err := NewObjective(Problem{Template: plainProgram(t, 1), Samples: 4, Batch: batch, Label: labelled}, set)
	require.NoError(t, err)
	return learn(t, o, []float64{1, 2, 3}, &optim.WeightStep{WeightOptions: optim.WeightOptions{
		Step: 0.05, Shrink: true, Regularizer: optim.Regularizer{NegLog: 1e-3},
	}})
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
		trace := func(l *learner, epochs int) string {
			var out strings.Builder
			for range epochs {
				terms, outcome := l.pass(t)
				fmt.Fprintln(&out, terms, outcome, l.weights)
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
		copy(second.weights, first.weights)
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
		c, outcome := l.pass(t)
		if outcome.Tested != (n%2 == 1) {
			t.Errorf("epoch %d: tested %v", n+1, outcome.Tested)
		}
		if c.Supervised == 0 || c.Energy == 0 || c.Samples != 4 ||
			math.Abs(c.Supervised+c.Energy+c.Linear+c.Quadratic-c.Lagrangian) > 1e-12 {
			t.Errorf("terms %+v do not add up", c)
		}
	}
}

// TestLabelsOutsideBox: an error of a label is about its sample.
func TestLabelsOutsideBox(t *testing.T) {
	o, err := NewObjective(Problem{
		Template: plainProgram(t, 1), Samples: 4, Batch: 2,
		Label: func(_ int, in *lcqp.Instance) error { return in.Fix(0, 2) },
	}, Settings{Loss: LossSP})
	require.NoError(t, err)
	assert.ErrorContains(t, o.Load([]int{3, 1}), "labels of sample 3")
}

// add adds the terms of another step.
func (t *Terms) add(u Terms) {
	sum := t.Numbers()
	floats.Add(sum, u.Numbers())
	*t, _ = TermsOf(sum)
}
