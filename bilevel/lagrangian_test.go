package bilevel

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// trace runs epochs of a rig over its batch and prints everything that moves.
func (r *rig) trace(t *testing.T, epochs int) string {
	t.Helper()
	out := ""
	for range epochs {
		loss := r.run(t)
		terms, err := r.o.Step(r.w, copied(r.dw))
		require.NoError(t, err)
		for i, d := range copied(r.dnn) {
			r.wnn[i] -= 0.05 * d
		}
		end, err := r.o.EndEpoch(r.w, 0)
		require.NoError(t, err)
		out += fmt.Sprintln(loss, terms, end, r.o.lag().points, r.o.lag().slacks, r.o.lag().multipliers, r.wnn)
	}
	return out
}

// TestLearningIgnoresThreads: the same bits with one goroutine and with many.
func TestLearningIgnoresThreads(t *testing.T) {
	run := func(threads int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		r := newRig(t, 6, 3, 2, Settings{Loss: LossBCE, Lagrangian: Lagrangian{ProxWeight: 1.25, EnergyCoefficient: 1, MovementTolerance: 10}})
		r.place(rand.New(rand.NewPCG(6, 22)))
		return r.trace(t, 5)
	}
	assert.Equal(t, run(8), run(1), "learning depends on the number of threads")
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
