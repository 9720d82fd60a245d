//go:build !race

// The race detector makes pools forget at random, and so edits allocate under it.

package lcqp_test

import (
	"testing"

	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// Edits are part of every learning step: none of them may allocate.
func TestEditsDoNotAllocate(t *testing.T) {
	a := lcqptest.Add1(1e-3)
	in := a.Instance
	g, w := make([]float64, in.Deep), make([]float64, in.Rules)
	r, center := []float64{0.01}, make([]float64, in.Targets)
	var sol lcqp.Solution
	sol.Resize(in.Template)
	phi, dg, dy := make([]float64, in.Rules), make([]float64, in.Deep), make([]float64, in.Targets)
	if n := testing.AllocsPerRun(20, func() {
		in.SetDeep(g)
		in.SetWeights(w)
		in.SetProx(r, center)
		in.Fix(3, 1)
		in.Free(3)
		in.ClearProx()
		in.Value(&sol)
		in.Energy(&sol)
		in.Incompatibility(&sol, phi)
		in.DeepGradient(&sol, dg)
		in.ProxGradient(&sol, dy)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
