package traintest_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"

	"hinge/bilevel"
	"hinge/symbolic/infer"
	"hinge/train"
	"hinge/train/checkpoint"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/neupsl"
	"hinge/train/traintest"
)

// This file is a loss and a method of inference of somebody's own: a type each, and the
// line that registers it.

func init() {
	bilevel.Register(bilevel.Kind{Name: "squared-gap", New: newGap, Everywhere: true, Solves: true, Unlabelled: true, Draws: true})
	infer.Register(dependable{})
}

// gap is the square of the mean gap V_{z*} − V.
type gap struct {
	bilevel.Stateless
	latent, full *bilevel.ValueFunction
}

func newGap(o *bilevel.Objective) (bilevel.Loss, error) {
	full, err := o.Unlabelled("full")
	return &gap{latent: o.Latent(), full: full}, err
}

func (l *gap) Express(w, g *gorgonia.Node) (*gorgonia.Node, error) {
	latent, err := l.latent.Value(w, g)
	if err != nil {
		return nil, err
	}
	full, err := l.full.Value(w, g)
	if err != nil {
		return nil, err
	}
	return gorgonia.Square(gorgonia.Must(gorgonia.Sub(gorgonia.Must(gorgonia.Mean(latent)), gorgonia.Must(gorgonia.Mean(full)))))
}

// dependable is the interior point method under a name of its own, which counts its
// solvers.
type dependable struct{ infer.InteriorPoint }

var solvers int

func (dependable) Name() string { return "dependable" }
func (d dependable) NewSolver() infer.Solver {
	solvers++
	return d.InteriorPoint.NewSolver()
}

// TestOwnLossAndMethod trains by a loss and a method that this folder alone knows: both
// are found by name, their gradient is that of the loss, the task is learned, and an
// interrupted run goes on to the same bits.
func TestOwnLossAndMethod(t *testing.T) {
	const steps = 120
	c := traintest.Config("squared-gap", steps)
	c.Symbolic.Solver = "dependable"
	require.NoError(t, c.Validate())
	if !slices.Contains(config.CommonLosses(), "squared-gap") {
		t.Errorf("the losses are %q", config.CommonLosses())
	}
	assert.Equal(t, 2, c.Bilevel.ConstraintSamples, "it has not the settings of a loss that solves problems without labels")
	open := func() *neupsl.NeuPSL {
		m, err := traintest.New(c)
		require.NoError(t, err)
		return m
	}
	traintest.LossFalls(t, open(), []int{0, 1, 2, 3, 4})
	whole, dir := open(), t.TempDir()
	before, err := whole.Evaluate(t.Context(), learning.TestPart)
	require.NoError(t, err)
	var plan train.Plan
	res := traintest.Run(t, c, whole, train.Options{Dir: t.TempDir(), Observer: traintest.Observer{OnStart: func(p train.Plan) { plan = p }}})
	if plan.Loss != "squared-gap" || plan.Solver != "dependable" || plan.Draws != 2 {
		t.Errorf("the run is told to be %v", plan)
	}
	if solvers == 0 {
		t.Error("the method has solved nothing")
	}
	if !slices.ContainsFunc(whole.Warm(), func(w checkpoint.Tensor) bool { return w.Name == "solver/full.dual" }) {
		t.Error("the states of its solves are not kept")
	}
	if res.TestAccuracy < 0.7 || res.TestAccuracy <= before.Accuracy {
		t.Errorf("accuracy %.3f after %d steps, %.3f before", res.TestAccuracy, steps, before.Accuracy)
	}
	traintest.RunUntil(t, steps/2, c, open(), train.Options{Dir: dir})
	resumed := open()
	traintest.Run(t, c, resumed, train.Options{Dir: dir, Resume: true})
	for i, p := range whole.Params() {
		assert.Equalf(t, resumed.Params()[i].Value, p.Value, "%s is another after an interruption", p.Name)
	}
}
