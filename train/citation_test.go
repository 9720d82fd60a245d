package train

import (
	"errors"
	"strings"
	"testing"
)

// TestCitationDefaults: the defaults of every task, loss and recipe are valid and
// survive a file.
func TestCitationDefaults(t *testing.T) {
	for _, task := range []string{"cora", "citeseer", "citation-demo"} {
		for _, loss := range Losses {
			for _, recipe := range Recipes {
				c := CitationDefaults(task, loss, recipe)
				if err := c.Validate(); err != nil {
					t.Errorf("%s, %s, %s: %v", task, loss, recipe, err)
				}
				text, err := c.Encode()
				if err != nil {
					t.Fatal(err)
				}
				var back Config
				if err := back.decode("test", text); err != nil {
					t.Fatal(err)
				}
				if back.Hash() != c.Hash() {
					t.Errorf("%s, %s, %s: read back as another configuration: %v", task, loss, recipe, c.Diff(&back))
				}
			}
		}
	}
}

// TestCitationPaper: the numbers of the paper's table of hyperparameters.
func TestCitationPaper(t *testing.T) {
	for _, want := range []struct {
		task, loss                           string
		step, prox, coefficient, y, pretrain float64
	}{
		{"citeseer", "energy", 1e-3, 0, 0, 0, 1}, {"citeseer", "sp", 1e-2, 0, 0, 0, 1},
		{"citeseer", "mse", 1e-2, 1e-1, 1e-1, 1e-2, 1}, {"citeseer", "bce", 1e-2, 1e-1, 1e-1, 1e-3, 1},
		{"cora", "energy", 1e-2, 0, 0, 0, 1.5}, {"cora", "sp", 1e-2, 0, 0, 0, 1.5},
		{"cora", "mse", 1e-2, 1e-1, 1, 1e-3, 1.5}, {"cora", "bce", 1e-2, 1e-1, 1e-1, 1e-2, 1.5},
	} {
		c := CitationDefaults(want.task, want.loss, "paper")
		b := c.Bilevel
		if c.Symbolic.MirrorStep != want.step || c.Neural.LearningRate != want.step || !c.Symbolic.Shrink ||
			c.Symbolic.Epsilon != 1e-3 || c.Citation.PretrainRate != want.pretrain {
			t.Errorf("%s, %s: steps %v and %v, pre-training %v", want.task, want.loss, c.Symbolic.MirrorStep, c.Neural.LearningRate, c.Citation.PretrainRate)
		}
		if want.prox != 0 && (b.ProxWeight != want.prox || b.EnergyCoefficient != want.coefficient || b.PointStep != want.y) {
			t.Errorf("%s, %s: %+v", want.task, want.loss, b)
		}
	}
}

// TestCitationValidate: nonsense is refused with its key.
func TestCitationValidate(t *testing.T) {
	for key, spoil := range map[string]func(c *Citation){
		"citation.form":              func(c *Citation) { c.Form = "csv" },
		"citation.network":           func(c *Citation) { c.Network = "deep" },
		"citation.hidden":            func(c *Citation) { c.Hidden = []int{16, 0} },
		"citation.propagation-steps": func(c *Citation) { c.Network, c.PretrainBatch, c.Steps = "propagated", 0, 0 },
		"citation.members":           func(c *Citation) { c.Members = 0 },
		"citation.pretrain-rate":     func(c *Citation) { c.PretrainRate = 0 },
		"citation.pretrain-epochs":   func(c *Citation) { c.PretrainEpochs = 0 },
		"citation.pretrain-batch":    func(c *Citation) { c.Network = "words" },
	} {
		c := CitationDefaults("cora", "energy", "paper")
		spoil(c.Citation)
		var usage *UsageError
		if err := c.Validate(); !errors.As(err, &usage) || usage.Key != key {
			t.Errorf("%s: error %v", key, err)
		}
	}
	c := CitationDefaults("cora", "energy", "paper")
	c.Citation.Network, c.Citation.PretrainBatch, c.Citation.Hidden = "convolution", 0, nil
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "convolution exactly one") {
		t.Errorf("a convolution without hidden layer: error %v", err)
	}
}
