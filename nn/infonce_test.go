package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

// contrast is a graph with the loss of 2B = 6 rows of 4.
func contrast(t *testing.T, temperature float64) *fixture {
	t.Helper()
	return lossGraph(t, 6, 4, func(g *Graph[float64]) *gorgonia.Node {
		return g.Builder().InfoNCE("loss", g.Output, temperature)
	})
}

// TestInfoNCE compares the loss with its formula and its gradient with
// differences.
func TestInfoNCE(t *testing.T) {
	for _, temperature := range []float64{0.07, 0.5} {
		f := contrast(t, temperature)
		f.checkGradients(t, 24, 1e-6)
		z := f.net.Params().Get("x").Value
		similarity := func(i, j int) float64 {
			var dot, a, b float64
			for k := range 4 {
				x, y := z[4*i+k], z[4*j+k]
				dot, a, b = dot+x*y, a+x*x, b+y*y
			}
			return dot / math.Sqrt(a*b) / temperature
		}
		want := 0.0
		for i := range 6 {
			sum := 0.0
			for j := range 6 {
				if j != i {
					sum += math.Exp(similarity(i, j))
				}
			}
			want += (math.Log(sum) - similarity(i, (i+3)%6)) / 6
		}
		near(t, "loss", []float64{f.loss(t)}, []float64{want}, 1e-12)
	}
}

// TestInfoNCEBounds: equal rows give log(2B − 1), and pairs that agree and are
// far from all others next to nothing.
func TestInfoNCEBounds(t *testing.T) {
	f := contrast(t, 0.07)
	z := f.net.Params().Get("x").Value
	for i := range z {
		z[i] = 3
	}
	near(t, "equal rows", []float64{f.loss(t)}, []float64{math.Log(5)}, 1e-12)
	clear(z)
	for i := range 6 {
		z[4*i+i%3] = float64(1 + i)
	}
	if got := f.loss(t); !(got < 1e-5) {
		t.Errorf("separate pairs: loss %v", got)
	}
	for i := range z {
		z[i] = 1e-13 * float64(i%5-2) // rows that are divided by 1e-12
	}
	f.loss(t)
	const step = 1e-18
	for i, slope := range slices.Clone(f.net.Params().Get("x").Grad) {
		at := z[i]
		z[i] = at + step
		up := f.loss(t)
		z[i] = at - step
		near(t, "gradient of short rows, times 1e-12", []float64{1e-12 * slope}, []float64{1e-12 * (up - f.loss(t)) / (2 * step)}, 1e-6)
		z[i] = at
	}
	for _, bad := range []float64{math.NaN(), 1e200} {
		z[0] = bad
		require.ErrorContains(t, f.g.Run(f.x), "row 0 is not finite or has no finite length")
	}
	if _, err := New([]int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return b.InfoNCE("loss", leaf(b, "z", 5, 4), 1)
	}, rand.New(rand.NewPCG(1, 1))); err == nil {
		t.Error("an odd number of views gave no error")
	}
}
