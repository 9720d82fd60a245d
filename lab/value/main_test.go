package main

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/tasks/mnistadd"
)

// TestBatch: the programs that are written have the energies of the whole one at the labels.
func TestBatch(t *testing.T) {
	const additions, draws = 2, 3
	b, err := newBatch(additions, draws)
	require.NoError(t, err)
	sym, err := mnistadd.NewSymbolic(2, "")
	require.NoError(t, err)
	whole := sym.Template.Program()
	if len(b.V) != additions*draws || len(b.DG) != len(b.V) || len(b.Phi) != len(b.V) || len(b.G) != len(b.V)*len(whole.Deep) {
		t.Fatalf("%d values, %d and %d gradients, %d outputs", len(b.V), len(b.DG), len(b.Phi), len(b.G))
	}
	rng := rand.New(rand.NewPCG(7, 8))
	for a, p := range b.Programs {
		g := b.G[a*len(whole.Deep):][:len(whole.Deep)]
		y, free := make([]float64, len(whole.Targets)), []float64{}
		for i, name := range whole.Targets {
			v, known := b.Labels[a][name]
			if !known {
				v = rng.Float64()
				free = append(free, v)
			}
			y[i] = v
		}
		require.Len(t, free, p.Targets)
		sum := 0.0
		for _, r := range p.Potentials {
			at := r.Const
			for k, j := range r.Col {
				at += r.Val[k] * free[j]
			}
			for k, j := range r.Deep {
				at += r.DeepV[k] * g[j]
			}
			sum += b.W[r.Rule] * max(0, at)
		}
		assert.InDeltaf(t, whole.Energy(y, g, b.W), sum, 1e-9, "addition %d", a)
	}
}
