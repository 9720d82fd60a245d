package nn

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

func TestImages(t *testing.T) {
	for _, c := range []struct {
		name     string
		example  []int
		channels int
		source   func(n, h, w, c int) int // index of the input behind an output
	}{
		{"grey", []int{2, 3}, 1, func(n, h, w, c int) int { return n*6 + h*3 + w }},
		{"repeated", []int{2, 3}, 3, func(n, h, w, c int) int { return n*6 + h*3 + w }},
		{"colour", []int{3, 2, 3}, 3, func(n, h, w, c int) int { return (n*3+c)*6 + h*3 + w }},
	} {
		t.Run(c.name, func(t *testing.T) {
			net, err := New(c.example, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
				return b.Images("i", x, c.channels)
			}, rand.New(rand.NewPCG(1, 2)))
			require.NoError(t, err)
			const n = 4
			x := make([]float64, n*size(c.example))
			for i := range x {
				x[i] = float64(i)
			}
			y, err := net.Forward(x, n)
			require.NoError(t, err)
			for i, v := range y {
				ch, ex, px := i%c.channels, i/c.channels%n, i/c.channels/n
				if want := c.source(ex, px/3, px%3, ch); v != float64(want) {
					t.Fatalf("y[%d] = %v, want %d", i, v, want)
				}
			}
		})
	}
	if _, err := New([]int{2, 4, 4}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.Images("i", x, 3)
	}, rand.New(rand.NewPCG(1, 2))); err == nil {
		t.Error("two channels were taken for three")
	}
}
