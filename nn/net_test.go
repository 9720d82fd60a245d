package nn

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

// TestForwardAnyCount checks chunks and remainders: each example's output is
// that of the example alone in the same chunk position, whatever follows it.
func TestForwardAnyCount(t *testing.T) {
	net := smallNet(t, 1)
	x := make([]float32, 300*36)
	normal[float32](1)(x, rand.New(rand.NewPCG(1, 2)))
	all, err := net.Forward(x, 300)
	require.NoError(t, err)
	if len(all) != 300*5 {
		t.Fatalf("%d outputs, want 1500", len(all))
	}
	for _, n := range []int{0, 1, 2, 3, 127, 128, 129, 257} {
		y, err := net.Forward(x[:n*36], n)
		require.NoError(t, err)
		require.Equalf(t, n*5, len(y), "%d examples", n)
		for i, v := range y {
			if d := v - all[i]; d > 1e-5 || d < -1e-5 {
				t.Fatalf("with %d examples output %d is %v, with 300 it is %v", n, i, v, all[i])
			}
		}
	}
	if len(net.eval) > 8 {
		t.Errorf("%d evaluation graphs are kept", len(net.eval))
	}
	if _, err := net.Forward(x[:35], 1); err == nil {
		t.Error("a short input was accepted")
	}
}

// TestForwardSamples checks the layout of outputs with an axis before the batch:
// two chunks of [K][N][C] must interleave.
func TestForwardSamples(t *testing.T) {
	net, err := New([]int{2}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.GumbelSoftmax("g", x, Sampling{Draws: 3})
	}, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	const n = 130
	x := make([]float64, 2*n)
	for i := range n {
		x[2*i+i%2] = 1e6 // example i is surely of class i mod 2
	}
	y, err := net.Forward(x, n)
	require.NoError(t, err)
	for k := range 3 {
		for i := range n {
			if y[(k*n+i)*2+i%2] != 1 {
				t.Fatalf("sample %d of example %d is %v", k, i, y[(k*n+i)*2:][:2])
			}
		}
	}
}

func TestNewRefusesExampleShape(t *testing.T) {
	for _, shape := range [][]int{nil, {3, 0}} {
		if _, err := New(shape, classifier, rand.New(rand.NewPCG(1, 2))); err == nil {
			t.Errorf("example shape %v was accepted", shape)
		}
	}
}
