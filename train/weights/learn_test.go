package weights_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/bilevel"
	"hinge/optim"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/train/weights"
)

// With all targets labelled the energy loss is w·Φ(t) − r·Σ log w, whose minimum
// on the simplex has Φ_i − r/w_i equal for all rules.
func TestEnergyOptimum(t *testing.T) {
	tpl := compile(t, town, 6, map[int]float64{0: 1})
	labels := []float64{1, 1, 1, 0, 0}
	r := learn(t, weights.Problem{Template: tpl, Labels: labels},
		weights.Config{Loss: bilevel.LossEnergy, WeightOptions: optim.WeightOptions{Step: 0.05, Regularizer: optim.Regularizer{NegLog: 0.5}}, Epochs: 1600})
	phi := make([]float64, tpl.Rules)
	tpl.Program().Incompatibility(labels, nil, phi)
	require.Equal(t, []float64{1, 3, 2, 3}, phi, "Φ of the labels")
	for i := range phi {
		if math.Abs(r.Incompatibility[i]-phi[i]) > 1e-6 {
			t.Errorf("Φ of rule %d is said to be %v, want %v", i, r.Incompatibility[i], phi[i])
		}
	}
	for i, want := range simplexOptimum(phi, 0.5) {
		if math.Abs(r.Weights[i]-want) > 1e-6 {
			t.Errorf("weight %d is %v, want %v", i, r.Weights[i], want)
		}
	}
	if r.Stopped != weights.StoppedEpochs || r.Epochs != 1600 || r.Solves != 1600 || r.Unsolved != 0 {
		t.Errorf("%s after %d epochs, %d solves, %d unsolved", r.Stopped, r.Epochs, r.Solves, r.Unsolved)
	}
}

// infers returns the optimum for weights.
func infers(t *testing.T, tpl *lcqp.Template, w []float64, epsilon float64) []float64 {
	t.Helper()
	in, err := tpl.NewInstance(epsilon)
	require.NoError(t, err)
	require.NoError(t, in.SetWeights(w))
	var res infer.Result
	if err := infer.Solve(in, nil, infer.Settings{}, &res); err != nil || res.Err() != nil {
		t.Fatal(err, res.Err())
	}
	return res.Y
}

// Every loss finds that friends are alike, and infers the labels with it, which
// equal weights do not.
func TestLosses(t *testing.T) {
	tpl := compile(t, town, 6, map[int]float64{0: 1})
	labels := []float64{1, 1, 1, 1, 1}
	start := infers(t, tpl, []float64{0.25, 0.25, 0.25, 0.25}, 1e-2)
	distance := func(y []float64) float64 {
		d := 0.0
		for i, v := range labels {
			d += (y[i] - v) * (y[i] - v)
		}
		return d
	}
	for _, loss := range bilevel.Losses {
		r := learn(t, weights.Problem{Template: tpl, Labels: labels}, weights.Config{Loss: loss, WeightOptions: optim.WeightOptions{Step: 0.05, Regularizer: optim.Regularizer{NegLog: 1e-3}}, Epochs: 200, Patience: -1})
		if !(r.Weights[0]+r.Weights[2] > 0.8) {
			t.Errorf("%s: weights %v", loss, r.Weights)
		}
		got := distance(infers(t, tpl, r.Weights, 1e-2))
		if !(got < 0.5*distance(start)) {
			t.Errorf("%s: squared distance from the labels %v, from equal weights %v", loss, got, distance(start))
		}
		if s, _ := agreement(labels)(infers(t, tpl, r.Weights, 1e-2)); s != 100 {
			t.Errorf("%s: %v %% are right", loss, s)
		}
	}
}

// The same arguments give the same bits, whatever the number of goroutines.
func TestDeterminism(t *testing.T) {
	tpl := compile(t, town, 9, map[int]float64{0: 1, 4: 0})
	labels := []float64{1, 1, 0, 0, 0, 1, 1}
	for _, loss := range bilevel.Losses {
		p := weights.Problem{Template: tpl, Labels: labels, Score: agreement(labels)}
		c := weights.Config{Loss: loss, WeightOptions: optim.WeightOptions{Regularizer: optim.Regularizer{NegLog: 1e-3}}, Epochs: 30}
		first := learn(t, p, c)
		c.Solver.Workers = 1
		again := learn(t, p, c)
		if !slices.Equal(first.Weights, again.Weights) || first.BestScore != again.BestScore || first.BestEpoch != again.BestEpoch {
			t.Errorf("%s: %v and then %v", loss, first.Weights, again.Weights)
		}
	}
}

func TestLearnErrors(t *testing.T) {
	tpl := compile(t, town, 3, nil)
	hard := compile(t, town+"Smokes(A) = 0.5 .\n", 3, nil)
	ok := []float64{1, 1, 0}
	failed := errors.New("no score today")
	for name, test := range map[string]struct {
		p    weights.Problem
		want string
	}{
		"no template":     {weights.Problem{Labels: ok}, "there are 3 labels"},
		"too few labels":  {weights.Problem{Template: tpl, Labels: ok[:2]}, "there are 2 labels"},
		"no label":        {weights.Problem{Template: tpl, Labels: []float64{nan, nan, nan}}, "none of the 3 targets has a label"},
		"label too large": {weights.Problem{Template: tpl, Labels: []float64{1, 1.5, 0}}, "the label of Smokes(p1) is 1.5"},
		"infinite label":  {weights.Problem{Template: tpl, Labels: []float64{1, math.Inf(-1), 0}}, "is -Inf"},
		"hard rules":      {weights.Problem{Template: hard, Labels: ok}, "infeasible"},
		"score":           {weights.Problem{Template: tpl, Labels: ok, Score: func([]float64) (float64, error) { return 0, failed }}, "no score today"},
		"NaN":             {weights.Problem{Template: tpl, Labels: ok, Score: func([]float64) (float64, error) { return nan, nil }}, "the score is NaN"},
	} {
		for _, loss := range bilevel.Losses {
			_, err := weights.Learn(context.Background(), test.p, weights.Config{Loss: loss, Epochs: 3}, nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s, %s: %v, want %q", name, loss, err, test.want)
			}
		}
	}
	if _, err := weights.Learn(context.Background(), weights.Problem{Template: compile(t, "0: !Smokes(A)\n", 2, nil), Labels: ok[:2]},
		weights.Config{Loss: "sp"}, nil); err == nil || !strings.Contains(err.Error(), "sum to 0") {
		t.Errorf("weights of 0: %v", err)
	}
}
