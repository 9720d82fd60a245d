package examples_test

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/bilevel"
	"hinge/data/mnist"
	"hinge/optim"
	"hinge/tasks/mnistadd"
	"hinge/train/half"
)

// TestNoisyRules: the example has the task's own rules and behind them three that the
// digits of an addition break. Mirror descent with the example's step, by the gradient
// Φ(y*) of additions whose digits are believed to 0.9, leaves each wrong rule with less
// than any right one, below 1 % each.
func TestNoisyRules(t *testing.T) {
	const wrong, additions = 3, 20
	folder := "noisy-rules"
	noisy, err := mnistadd.NewSymbolic(1, filepath.Join(folder, "rules.psl"))
	require.NoError(t, err)
	clean, err := mnistadd.NewSymbolic(1, "")
	require.NoError(t, err)
	rules, own := noisy.Template.Program().Rules, clean.Template.Program().Rules
	right := len(rules) - wrong
	if right != len(own) {
		t.Fatalf("%d rules, want %d right and %d wrong ones", len(rules), len(own), wrong)
	}
	for i, r := range own {
		if rules[i].Text != r.Text {
			t.Errorf("rule %d is %s, the task's is %s", i, rules[i].Text, r.Text)
		}
	}

	cfg := mnistadd.SystemDefaults("neupsl", "mnist-add1", "energy", "best", 300)
	require.NoError(t, cfg.LoadFile(filepath.Join(folder, "config.toml")))
	require.NoError(t, cfg.Validate())
	value, err := bilevel.New(noisy.Template, additions, bilevel.Options{})
	require.NoError(t, err)
	mirror := optim.WeightStep{WeightOptions: optim.WeightOptions{
		Step: cfg.Symbolic.Step, DeadZone: cfg.Symbolic.DeadZone, Regularizer: optim.Regularizer{NegLog: cfg.Symbolic.NegLog},
	}}
	w, err := half.StartWeights(noisy.Template)
	require.NoError(t, err)
	dw, mean := make([]float64, len(rules)), make([]float64, additions)
	for i := range mean {
		mean[i] = 1.0 / additions
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for step := range 300 {
		g := make([]float64, additions*20)
		for a := range additions {
			x, y := rng.IntN(10), rng.IntN(10)
			for k := range 10 {
				g[20*a+k], g[20*a+10+k] = 0.1/9, 0.1/9
			}
			g[20*a+x], g[20*a+10+y] = 0.9, 0.9
			require.NoError(t, noisy.FixLabels(value.Instance(a), mnist.NewSum(x+y, 1)))
		}
		require.NoError(t, value.Solve(w, g))
		value.WeightGradient(mean, dw)
		if step == 0 && slices.Min(dw[right:]) < 4*slices.Max(dw[:right]) {
			t.Errorf("right rules are broken by %.3f, wrong ones by %.3f", dw[:right], dw[right:])
		}
		require.NoError(t, mirror.Update(w, dw, 0))
		if step == 4 && !(slices.Max(w[right:]) < slices.Min(w[:right])) {
			t.Errorf("after five steps right rules weigh %.4f, wrong ones %.4f", w[:right], w[right:])
		}
	}
	if !(slices.Max(w[right:]) < 0.01) || !(slices.Min(w[:right]) > 0.05) {
		t.Errorf("in the end right rules weigh %.4f, wrong ones %.4f", w[:right], w[right:])
	}
}
