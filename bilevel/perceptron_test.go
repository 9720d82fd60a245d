package bilevel

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

// TestPerceptronOfASubset: so is the structured perceptron loss, a mean or a sum.
func TestPerceptronOfASubset(t *testing.T) {
	for _, as := range []Reduction{Mean, Sum} {
		run := func(m, turn int) (out []float64) {
			r := newRig(t, 14, 3, 1, Settings{Loss: LossSP, Lagrangian: Lagrangian{ConstraintDraws: 1, ConstraintSamples: m}, Reduction: as})
			r.turn(turn)
			loss := r.run(t)
			terms, err := r.o.Step(r.w, copied(r.dw))
			require.NoError(t, err)
			return slices.Concat([]float64{loss, terms.Energy}, copied(r.dw), copied(r.dnn))
		}
		all := run(0, 0)
		scale := 1.0
		if as == Mean {
			scale = 1.0 / 3
		}
		if math.Abs(all[0]-scale*all[1]) > 1e-12 {
			t.Errorf("reduction %v: a loss of %v with terms of %v", as, all[0], all[1])
		}
		mean := make([]float64, len(all))
		for turn := range 3 {
			for i, v := range run(1, turn) {
				mean[i] += v / 3
			}
		}
		if !near(mean, all) {
			t.Errorf("reduction %v: loss and gradients are %v, want %v", as, mean, all)
		}
	}
}

// TestPerceptronOfUnequals: some full values may stand for all, but not more than all.
func TestPerceptronOfUnequals(t *testing.T) {
	g := gorgonia.NewGraph()
	latent, full := leaf(g, "latent", make([]float64, 2)), leaf(g, "full", make([]float64, 3))
	_, err := StructuredPerceptron(latent, full)
	assert.ErrorContains(t, err, "2 latent values, but 3 full ones", "two values less three")
}
