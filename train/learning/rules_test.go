package learning

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWriteRules(t *testing.T) {
	var b strings.Builder
	share := 0.25
	rules := func(start float64) []Rule {
		return []Rule{
			{Text: "p -> q", Start: start, Weight: 0.25, Satisfaction: 0.975, Active: &share, ActiveSatisfaction: 0.9, Gradient: -0.031},
			{Text: "q", Start: 3 * start, Weight: 0.75, Satisfaction: 1, Gradient: 12},
		}
	}
	want := "  weight  satisfaction  active  of active  gradient  rule\n" +
		"  0.2500        0.9750  0.2500     0.9000    -0.031  p -> q\n" +
		"  0.7500        1.0000                           12  q\n"
	for _, start := range []float64{0, 0.25} { // of an earlier version, and frozen
		b.Reset()
		require.NoError(t, WriteRules(&b, rules(start)))
		assert.Equal(t, want, b.String())
	}
	b.Reset()
	require.NoError(t, WriteRules(&b, rules(0.5)[:1]))
	assert.Equal(t, "   start  weight  satisfaction  active  of active  gradient  rule\n  0.5000  0.2500        0.9750  0.2500     0.9000    -0.031  p -> q\n", b.String())
	b.Reset()
	if err := WriteRules(&b, nil); err != nil || b.Len() > 0 {
		t.Errorf("no rules give %q, %v", b.String(), err)
	}
}
