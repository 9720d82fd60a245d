package traintest

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/optim"
	"hinge/train/learning"
)

// LossFalls checks a model's gradient at a batch: after a short step against it the loss is
// less by the step's length times the gradient's norm.
func LossFalls(t testing.TB, m learning.Model, examples []int) {
	t.Helper()
	const length = 1e-4
	loss := func() float64 {
		w, err := m.Gradient(learning.Step{Temperature: 1}, examples)
		require.NoError(t, err)
		return w.Loss
	}
	before := loss()
	norm := optim.GradNorm(m.Neural().Params())
	for _, p := range m.Neural().Params() {
		for i, g := range p.Grad {
			p.Value[i] -= float32(length / norm * float64(g))
		}
	}
	if share := (before - loss()) / (length * norm); !(math.Abs(share-1) < 0.2) {
		t.Errorf("the loss %v fell by %.3f of what its gradient says", before, share)
	}
}
