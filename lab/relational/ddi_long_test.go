//go:build long

package relational

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer"
)

// The ground program of drug–drug interactions has about a million rows; with the
// weights as they are written the hidden interactions are ranked as well as
// published (AUROC 94.5 to 95.1 with learned weights).
func TestInteractionsFold(t *testing.T) {
	set := open(t, "ddi")
	if len(set.Folds) != 1 || set.Metric != "AUROC" {
		t.Errorf("folds %v, metric %s", set.Folds, set.Metric)
	}
	f, err := set.Fold(0)
	require.NoError(t, err)
	for i, p := range []*Part{f.Learn, f.Test} {
		tpl := p.Template
		t.Logf("%d targets, %d potentials, %d hard rows", tpl.Targets, tpl.Potentials, tpl.Constraints)
		if tpl.Targets != 9892 || tpl.Rules != 8 || tpl.Constraints != 9892 || tpl.Potentials != []int{851205, 944389}[i] {
			t.Errorf("%d targets, %d rules, %d hard rows, %d potentials", tpl.Targets, tpl.Rules, tpl.Constraints, tpl.Potentials)
		}
		s, err := p.Infer([]float64{1. / 8, 1. / 8, 1. / 8, 1. / 8, 1. / 8, 1. / 8, 1. / 8, 1. / 8}, 1e-2, infer.Settings{})
		require.NoError(t, err)
		assert.InDelta(t, []float64{93.96, 94.80}[i], s.Value, 0.01)
	}
}
