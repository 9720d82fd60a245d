package bilevel

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
)

// TestFactor: a factor multiplies the loss and its gradients. What the algorithm does with them is for
// L_A itself: steps on the points and the stationarity are the same.
func TestFactor(t *testing.T) {
	const factor = 4 // exact in floating point
	var losses, weights, neural, deltas, points [2][]float64
	for k, f := range []float64{0, factor} {
		r := newRig(t, 11, rigSamples, 2, Settings{Loss: LossMSE, Factor: f, Lagrangian: Lagrangian{ProxWeight: 1.25}})
		r.place(rand.New(rand.NewPCG(11, 22)))
		losses[k] = []float64{r.run(t)}
		weights[k], neural[k] = copied(r.dw), copied(r.dnn)
		_, err := r.o.Step(r.w, copied(r.dw))
		require.NoError(t, err)
		out, err := r.o.EndEpoch(r.w, floats.Norm(neural[k], 2))
		require.NoError(t, err)
		deltas[k], points[k] = []float64{out.Delta}, r.o.lag().points
	}
	for _, x := range [][2][]float64{losses, weights, neural} {
		floats.Scale(factor, x[0])
		require.InDeltaSlice(t, x[0], x[1], 1e-12)
	}
	require.InDeltaSlice(t, deltas[0], deltas[1], 1e-12)
	require.InDeltaSlice(t, points[0], points[1], 1e-12)
}

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
