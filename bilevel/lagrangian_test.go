package bilevel

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFirstVisitIsNotTested: the movement of neural outputs is known from the
// second visit on, so the first epoch passes without a test.
func TestFirstVisitIsNotTested(t *testing.T) {
	r := newRig(t, 11, rigSamples, 2, Settings{Loss: LossMSE, Lagrangian: Lagrangian{
		ProxWeight: 1.25, Stationarity: StationarityMovement, MovementTolerance: 1e9,
	}})
	r.place(rand.New(rand.NewPCG(11, 22)))
	for n, want := range []bool{false, true, true} {
		r.run(t)
		_, err := r.o.Step(r.w, copied(r.dw))
		require.NoError(t, err)
		out, err := r.o.EndEpoch(r.w, 0)
		require.NoError(t, err)
		if out.Tested != want {
			t.Errorf("epoch %d: tested %v, want %v", n, out.Tested, want)
		}
	}
}
