package bilevel

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLossKinds: which losses are bilevel, and which value functions they have beside the
// latent one.
func TestLossKinds(t *testing.T) {
	for loss, want := range map[LossName][2]bool{
		LossEnergy: {false, false}, LossSP: {true, false}, LossMSE: {true, true}, LossBCE: {true, true}, LossAnswer: {true, true},
	} {
		o, err := NewObjective(Problem{Template: plainProgram(t, 1), Samples: 3, Label: labelled}, Settings{Loss: loss})
		require.NoError(t, err)
		if (o.Full() != nil) != want[0] || (o.Augmented() != nil) != want[1] || loss.Bilevel() != (want[1] && loss != LossAnswer) {
			t.Errorf("%s: full %v, augmented %v", loss, o.Full() != nil, o.Augmented() != nil)
		}
		if o.Started() == loss.Bilevel() || o.Problem().Batch != 3 {
			t.Errorf("%s: started %v, batch %d", loss, o.Started(), o.Problem().Batch)
		}
	}
}
