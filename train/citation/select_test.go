package citation

import (
	"testing"

	"hinge/train"
)

// TestTry: settings are tried without a trace; the rules can only follow the
// network when the others weigh nothing, and no test label is looked at.
func TestTry(t *testing.T) {
	m := smallModel(t, "energy", "best")
	weights := m.Weights()
	before, temperature := append([]float64(nil), weights...), m.net.net.State().Temperature
	only := make([]float64, len(weights))
	only[0] = 2
	first, err := m.Try(0.3, only)
	if err != nil {
		t.Fatal(err)
	}
	if first.Accuracy != first.Parts || first.Examples != len(m.data.Split.Valid) {
		t.Errorf("rules without weight change the answer: %+v", first)
	}
	all := make([]float64, len(weights))
	for i := range all {
		all[i] = 1
	}
	second, err := m.Try(1, all)
	if err != nil {
		t.Fatal(err)
	}
	if second.Parts != first.Parts {
		t.Errorf("the network's own accuracy went from %v to %v", first.Parts, second.Parts)
	}
	again, err := m.Try(0.3, only)
	if err != nil || again.Accuracy != first.Accuracy {
		t.Errorf("tried again: %+v, %v, first %+v", again, err, first)
	}
	for i, w := range m.Weights() {
		if w != before[i] {
			t.Errorf("weight %d is %v, was %v", i, w, before[i])
		}
	}
	if m.net.net.State().Temperature != temperature {
		t.Errorf("temperature %v, was %v", m.net.net.State().Temperature, temperature)
	}
	// Labels of test papers play no part.
	for _, i := range m.data.Split.Test {
		m.data.Graph.Labels[i] = 0
	}
	blind, err := m.Try(1, all)
	if err != nil || blind.Accuracy != second.Accuracy {
		t.Errorf("with other test labels %+v, %v; before %+v", blind, err, second)
	}
	for _, bad := range []struct {
		temperature float64
		weights     []float64
	}{{0, all}, {1, all[1:]}, {1, make([]float64, len(all))}, {1, append([]float64{-1}, all[1:]...)}} {
		if _, err := m.Try(bad.temperature, bad.weights); err == nil {
			t.Errorf("%+v was tried", bad)
		}
	}
}

// TestRuleText: the rules that a result depends on, by task and recipe.
func TestRuleText(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"cora", "citeseer", "citation-demo"} {
		for _, recipe := range train.Recipes {
			cfg := Defaults(name, "energy", recipe)
			text, err := RuleText(&cfg)
			if err != nil {
				t.Fatal(err)
			}
			if other, ok := seen[string(text)]; ok {
				t.Errorf("%s, %s has the rules of %s", name, recipe, other)
			}
			seen[string(text)] = name + ", " + recipe
		}
	}
	cfg := Defaults("cora", "energy", "paper")
	cfg.Rules = "no such file"
	if _, err := RuleText(&cfg); err == nil {
		t.Error("a file that is not there was read")
	}
}
