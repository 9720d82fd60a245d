package nn

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

func TestReLUGradient(t *testing.T) {
	f := newFixture(t, 3, []int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return b.ReLU("r", leaf(b, "x", 2, 3, 4))
	})
	f.checkGradients(t, 100, 1e-8)
	f.loss(t)
	x, zeros := f.net.Params().Get("x"), 0
	for i, v := range f.g.Result() {
		require.Equalf(t, max(0, x.Value[i]), v, "relu(%v)", x.Value[i])
		if v == 0 {
			zeros++
		}
	}
	if zeros == 0 || zeros == len(x.Value) {
		t.Fatalf("%d of %d outputs are zero: one side of the kink is untested", zeros, len(x.Value))
	}
	x.Value[0] = 0
	f.loss(t)
	if x.Grad[0] != 0 {
		t.Errorf("derivative at 0 is %v, documented as 0", x.Grad[0])
	}
}
