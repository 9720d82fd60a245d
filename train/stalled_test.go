package train

import "testing"

// TestStalled: only outputs without beliefs that break no rule are worth a warning.
func TestStalled(t *testing.T) {
	kept, broken := Rule{Satisfaction: 1}, Rule{Satisfaction: 0.9}
	for _, c := range []struct {
		m    Metric
		want bool
	}{
		{Metric{Entropy: 0.99, Rules: []Rule{kept, kept}}, true},
		{Metric{Entropy: 0.99, Rules: []Rule{kept, broken}}, false},
		{Metric{Entropy: 0.5, Rules: []Rule{kept}}, false},
		{Metric{Entropy: 0.99}, false},
	} {
		if got := stalled(&c.m); got != c.want {
			t.Errorf("%+v: %v", c.m, got)
		}
	}
}
