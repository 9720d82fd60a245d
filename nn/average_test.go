package nn

import (
	"math/rand/v2"
	"testing"

	"gorgonia.org/gorgonia"
)

// TestAverageGradients checks an ensemble of three linear layers.
func TestAverageGradients(t *testing.T) {
	f := newFixture(t, 4, []int{3}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.Average("mean", b.Softmax("s1", b.Linear("a", x, 2)), b.Softmax("s2", b.Linear("b", x, 2)), b.Softmax("s3", b.Linear("c", x, 2)))
	})
	f.checkGradients(t, 10, 1e-5)
	sum := 0.0
	for _, v := range f.g.Result() {
		sum += v
	}
	if d := sum - 4; d > 1e-12 || d < -1e-12 {
		t.Errorf("averaged probabilities of 4 examples sum to %v", sum)
	}
}

func TestAverageErrors(t *testing.T) {
	for _, def := range []Definition[float64]{
		func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return b.Average("mean") },
		func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
			return b.Average("mean", b.Linear("a", x, 2), b.Linear("b", x, 3))
		},
	} {
		if _, err := New([]int{3}, def, rand.New(rand.NewPCG(1, 1))); err == nil {
			t.Error("no error")
		}
	}
}
