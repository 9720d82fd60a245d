package citation

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/citation"
	"hinge/train/config"
	"hinge/train/learning"
)

// TestDefaults: the defaults of every task, loss and recipe are valid and
// survive a file.
func TestDefaults(t *testing.T) {
	for _, task := range []string{"cora", "citeseer", "citation-demo"} {
		for _, loss := range append(config.CommonLosses(), AnswerLoss) {
			for _, recipe := range []string{"best", "paper"} {
				c := Defaults(task, loss, recipe)
				assert.NoErrorf(t, c.Validate(), "%s, %s, %s", task, loss, recipe)
				text, err := c.Encode()
				require.NoError(t, err)
				file := filepath.Join(t.TempDir(), "config.toml")
				require.NoError(t, os.WriteFile(file, text, 0o644))
				back := config.Config{Options: new(Options)}
				require.NoError(t, back.LoadFile(file))
				assert.Equalf(t, c.Identity(), back.Identity(), "%s, %s, %s: read back as another configuration: %v", task, loss, recipe, c.Diff(&back))
			}
		}
	}
}

// TestDefaultLoss: our recipe learns through the answers, the paper's by energy.
func TestDefaultLoss(t *testing.T) {
	for recipe, want := range map[string]string{"best": AnswerLoss, "paper": "energy"} {
		c, err := Task{}.Defaults(config.Config{Task: "cora", Recipe: recipe, System: "neupsl"})
		if err != nil || c.Loss != want {
			t.Errorf("recipe %s: loss %q, %v; want %q", recipe, c.Loss, err, want)
		}
	}
}

// TestDefaultHash: committed records are found by the hash of their settings.
func TestDefaultHash(t *testing.T) {
	c := Defaults("citeseer", "bce", "paper")
	assert.Equal(t, "1-2533d2d46a1d6ec1", c.Identity(), "hash")
}

// TestPaper: the numbers of the paper's table of hyperparameters.
func TestPaper(t *testing.T) {
	for _, want := range []struct {
		task, loss                           string
		step, prox, coefficient, y, pretrain float64
	}{
		{"citeseer", "energy", 1e-3, 0, 0, 0, 1}, {"citeseer", "sp", 1e-2, 0, 0, 0, 1},
		{"citeseer", "mse", 1e-2, 1e-1, 1e-1, 1e-2, 1}, {"citeseer", "bce", 1e-2, 1e-1, 1e-1, 1e-3, 1},
		{"cora", "energy", 1e-2, 0, 0, 0, 1.5}, {"cora", "sp", 1e-2, 0, 0, 0, 1.5},
		{"cora", "mse", 1e-2, 1e-1, 1, 1e-3, 1.5}, {"cora", "bce", 1e-2, 1e-1, 1e-1, 1e-2, 1.5},
	} {
		c := Defaults(want.task, want.loss, "paper")
		b := c.Bilevel
		if c.Symbolic.Step != want.step || c.Neural.LearningRate != want.step || !c.Symbolic.Shrink ||
			c.Symbolic.Epsilon != 1e-3 || OptionsOf(&c).PretrainRate != want.pretrain {
			t.Errorf("%s, %s: steps %v and %v, pre-training %v", want.task, want.loss, c.Symbolic.Step, c.Neural.LearningRate, OptionsOf(&c).PretrainRate)
		}
		if want.prox != 0 && (b.ProxWeight != want.prox || b.EnergyCoefficient != want.coefficient || b.PointStep != want.y) {
			t.Errorf("%s, %s: %+v", want.task, want.loss, b)
		}
	}
}

// TestValidate: nonsense is refused with its key.
func TestValidate(t *testing.T) {
	for key, spoil := range map[string]func(c *Options){
		"options.labels":            func(c *Options) { c.Labels = "all" },
		"options.decided":           func(c *Options) { c.Decided = 2 },
		"options.form":              func(c *Options) { c.Form = "csv" },
		"options.network":           func(c *Options) { c.Network = "deep" },
		"options.hidden":            func(c *Options) { c.Hidden = []int{16, 0} },
		"options.propagation-steps": func(c *Options) { c.Network, c.PretrainBatch, c.Steps = "propagated", 0, 0 },
		"options.members":           func(c *Options) { c.Members = 0 },
		"options.pretrain-rate":     func(c *Options) { c.PretrainRate = 0 },
		"options.pretrain-epochs":   func(c *Options) { c.PretrainEpochs = 0 },
		"options.pretrain-batch":    func(c *Options) { c.Network = "words" },
	} {
		c := Defaults("cora", "energy", "paper")
		spoil(OptionsOf(&c))
		var usage *config.UsageError
		if err := c.Validate(); !errors.As(err, &usage) || usage.Key != key {
			t.Errorf("%s: error %v", key, err)
		}
	}
	c := Defaults("cora", "mse", "best")
	OptionsOf(&c).CompleteEvery = 10
	assert.ErrorContains(t, c.Validate(), "labels that change", "labels completed for mse")
	c = Defaults("cora", "energy", "paper")
	OptionsOf(&c).Network, OptionsOf(&c).PretrainBatch, OptionsOf(&c).Hidden = "convolution", 0, nil
	assert.ErrorContains(t, c.Validate(), "convolution exactly one", "a convolution without hidden layer")
}

// TestNudge: how hard labels pull at the answers is a setting, which is checked.
func TestNudge(t *testing.T) {
	c := Defaults("cora", AnswerLoss, "best")
	require.NoError(t, c.Set("bilevel.nudge", 0.01))
	if set, err := c.Objective(); err != nil || set.Nudge != 0.01 || c.Validate() != nil {
		t.Errorf("nudge %v, %v, %v", set.Nudge, err, c.Validate())
	}
	var usage *config.UsageError
	for _, spoil := range []struct {
		key   string
		apply func()
	}{{"bilevel.nudge", func() { c.Bilevel.Nudge = -1 }}, {"bilevel", func() { c.Bilevel.Nudge, c.Neural.DrawTemperature = 0, 1 }}} {
		if spoil.apply(); !errors.As(c.Validate(), &usage) || usage.Key != spoil.key {
			t.Errorf("%+v: error %v", c.Bilevel, c.Validate())
		}
	}
}

// TestWarnings: a run says that it learns from its validation papers, where no weights are chosen by
// them and their labels may be used, and says nothing otherwise.
func TestWarnings(t *testing.T) {
	for _, last := range []bool{false, true} {
		for _, labels := range []string{TrainLabels, TrainValidLabels} {
			c := smallConfig("energy", "best")
			c.Training.LastWeights, OptionsOf(&c).Labels = last, labels
			m, err := New(c, smallData(t, "best"))
			require.NoError(t, err)
			list := m.Rulebook().Warnings()
			if last && labels == TrainValidLabels {
				require.Len(t, list, 1)
				assert.Contains(t, list[0], `learns from validation papers too (options.labels = "train+valid")`)
			} else {
				assert.Emptyf(t, list, "last weights %v, labels %s", last, labels)
			}
		}
	}
}

// TestDigest: other words, citations or labels of papers to learn from or to validate by are other data, and the labels of
// the test are for the test alone. A run whose graph has changed so is not resumed.
func TestDigest(t *testing.T) {
	digest := func(change func(d *Data), parts ...learning.Part) string {
		d := smallData(t, "paper")
		change(d)
		m, err := New(smallConfig("energy", "paper"), d)
		require.NoError(t, err)
		var b strings.Builder
		m.Rulebook().Digest(&b, parts...)
		return b.String()
	}
	relabel := func(papers func(s *citation.Split) []int) func(d *Data) {
		return func(d *Data) {
			i := papers(d.Split)[0]
			d.Graph.Labels[i] = (d.Graph.Labels[i] + 1) % len(d.Graph.Classes)
		}
	}
	learned, test, same := []learning.Part{learning.TrainPart, learning.ValidPart}, relabel(func(s *citation.Split) []int { return s.Test }), func(*Data) {}
	first := digest(same, learned...)
	require.True(t, first == digest(test, learned...), "labels of the test")
	require.False(t, digest(same, learning.TestPart) == digest(test, learning.TestPart), "labels of the test")
	for what, change := range map[string]func(d *Data){
		"words":                 func(d *Data) { d.Graph.WordCol[0] = (d.Graph.WordCol[0] + 1) % d.Graph.WordCol[1] },
		"citations":             func(d *Data) { d.Graph.Cites = d.Graph.Cites[1:] },
		"labels":                relabel(func(s *citation.Split) []int { return s.Train }),
		"labels to validate by": relabel(func(s *citation.Split) []int { return s.Valid }),
	} {
		require.False(t, first == digest(change, learned...), what)
	}
}
