package bilevel

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer"
)

// Values, gradients and counts do not depend on how slots are shared out: in groups
// by one goroutine or three, or all in one call of the solver.
func TestSlotsInGroups(t *testing.T) {
	const slots = 29
	type answer struct {
		values, phi, dg []float64
		stats           Stats
	}
	var want answer
	for n, workers := range []int{100, 1, 3, 0} {
		rng := rand.New(rand.NewPCG(51, 1))
		f := randomValue(t, rng, slots)
		f.opt.Solver.Workers = workers
		if workers == 1 {
			f.opt.Solver.MaxTime = time.Hour
		}
		w, g := uniform(rng, f.template.Rules, 0.2, 1), uniform(rng, slots*f.template.Deep, 0, 1)
		for i := range slots {
			f.Bind(i, new(infer.Warm))
		}
		require.NoError(t, f.Solve(w, g))
		got := answer{f.values, f.phi, f.dg, f.stats}
		got.stats.Seconds = 0
		if got.stats.Solves != slots || len(f.Warm(slots-1).Dual) == 0 {
			t.Errorf("%d workers: %+v, or no warm state is kept", workers, got.stats)
		}
		if n == 0 {
			want = got
			continue
		}
		if !slices.Equal(got.values, want.values) || !slices.Equal(got.phi, want.phi) ||
			!slices.Equal(got.dg, want.dg) || got.stats != want.stats {
			t.Errorf("%d workers: results differ", workers)
		}
	}
}

// The error is that of the first bad slot, whichever goroutine meets one first.
func TestSlotsFirstError(t *testing.T) {
	rng := rand.New(rand.NewPCG(52, 1))
	const slots = 40
	f := randomValue(t, rng, slots)
	f.opt.Solver.Workers = 4
	w, g := uniform(rng, f.template.Rules, 0.2, 1), uniform(rng, slots*f.template.Deep, 0, 1)
	for _, slot := range []int{11, 30} {
		for i := range 3 { // y0 + y1 + y2 = 1
			require.NoError(t, f.Instance(slot).Fix(i, 1))
		}
	}
	for range 10 {
		require.ErrorContains(t, f.Solve(w, g), "sample 11:")
	}
}
