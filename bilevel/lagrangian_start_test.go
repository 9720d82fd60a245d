package bilevel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStart: the points are the labels and the latent minimiser, and ι is the
// largest gap, of a sample or of a batch.
func TestStart(t *testing.T) {
	for _, constraint := range []Constraint{ConstraintSample, ConstraintBatch} {
		r := newRig(t, 3, 2, 2, Settings{Loss: LossMSE, Lagrangian: Lagrangian{ProxWeight: 1.25, Constraint: constraint, InitialMultiplier: 0.1}})
		o := r.o
		n, deep := o.problem.Template.Targets, o.problem.Template.Deep
		g := uniform(rand.New(rand.NewPCG(3, 3)), rigSamples*deep, 0, 1)
		batches := [][]int{{2, 0}, {1}, {3}}
		outputs := func(batch []int) (out []float64, err error) {
			for _, sample := range batch {
				out = append(out, g[sample*deep:(sample+1)*deep]...)
			}
			return out, nil
		}
		require.NoError(t, o.Start(r.w, batches, outputs))
		latent, full, moreau := one(t, o), one(t, o), one(t, o)
		gaps := make([]float64, rigSamples)
		for sample := range rigSamples {
			deepOf := g[sample*deep : (sample+1)*deep]
			latent.Instance(0).FreeAll()
			require.NoError(t, labelled(sample, latent.Instance(0)))
			require.NoError(t, latent.Solve(r.w, deepOf))
			y := slices.Clone(latent.Result(0).Y)
			for i, v := range o.lag().pointsOf(sample) {
				if math.Abs(v-y[i]) > 1e-7 {
					t.Errorf("sample %d: point %v, latent minimiser %v", sample, o.lag().pointsOf(sample), y)
					break
				}
			}
			if o.lag().pointsOf(sample)[4] != float64(sample%2) {
				t.Errorf("sample %d: label not in the point", sample)
			}
			require.NoError(t, full.Solve(r.w, deepOf))
			require.NoError(t, moreau.SolveMoreau(r.w, deepOf, y[:n], 0.4))
			gaps[sample] = moreau.Values()[0] - full.Values()[0]
			if lambda := o.lag().multipliers[sample]; lambda != 0.1 {
				t.Errorf("multiplier %v", lambda)
			}
		}
		want := slices.Max(gaps)
		if constraint == ConstraintBatch {
			want = max(gaps[2]+gaps[0], gaps[1], gaps[3])
		}
		if iota := o.lag().outer.iota; math.Abs(iota-want) > 1e-9 || want <= 0 {
			t.Errorf("constraint a %s: ι = %v, want %v", constraint, iota, want)
		}
	}
}

// one makes a value function of one slot like an objective's.
func one(t *testing.T, o *Objective) *ValueFunction {
	t.Helper()
	f, err := New(o.problem.Template, 1, o.set.Value)
	require.NoError(t, err)
	return f
}
