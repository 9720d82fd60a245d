package citation

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFeatures(t *testing.T) {
	m := small().Features()
	want := []float32{.5, 0, 0, .5, 0, 1, 0, 0, 0, 0, 0, 0, .5, 0, .5, 0, 0, 0, 0, 1}
	assert.Equal(t, want, m.dense(), "features")
}

// TestPropagation compares with D^(−1/2)·(A + I)·D^(−1/2) computed densely.
func TestPropagation(t *testing.T) {
	for seed := range uint64(5) {
		o := Demo()
		o.Papers, o.Seed = 60, seed
		g, err := Generate(o)
		require.NoError(t, err)
		n := g.Nodes()
		a := make([]float64, n*n)
		for i := range n {
			a[i*n+i] = 1
		}
		for _, c := range g.Cites {
			a[int(c.Citing)*n+int(c.Cited)], a[int(c.Cited)*n+int(c.Citing)] = 1, 1
		}
		degree := make([]float64, n)
		for i := range a {
			degree[i/n] += a[i]
		}
		m := g.Propagation()
		got := m.dense()
		for i := range a {
			if want := a[i] / math.Sqrt(degree[i/n]*degree[i%n]); math.Abs(float64(got[i])-want) > 1e-7 {
				t.Fatalf("seed %d: S[%d,%d] = %v, want %v", seed, i/n, i%n, got[i], want)
			}
		}
		for i := range n {
			if row := m.Col[m.Ptr[i]:m.Ptr[i+1]]; !slices.IsSorted(row) {
				t.Fatalf("row %d has columns %v", i, row)
			}
		}
		// D^(1/2)·1 is the eigenvector of the eigenvalue 1.
		x, y := make([]float32, n), make([]float32, n)
		for i, d := range degree {
			x[i] = float32(math.Sqrt(d))
		}
		m.mul(y, x, 1)
		for i := range x {
			if math.Abs(float64(x[i]-y[i])) > 1e-5 {
				t.Fatalf("S·x = %v, want x = %v", y[i], x[i])
			}
		}
	}
}

func TestSmoothed(t *testing.T) {
	g := small()
	s, x := g.Propagation().dense(), g.Features().dense()
	n, want := g.Nodes(), slices.Clone(x)
	for range 2 {
		next := make([]float32, len(want))
		for i := range next {
			for k := range n {
				next[i] += s[i/g.Words*n+k] * want[k*g.Words+i%g.Words]
			}
		}
		want = next
	}
	assert.InDeltaSlice(t, want, g.Smoothed(2), 1e-6, "smoothed")
	assert.Equal(t, x, g.Smoothed(0), "smoothing by no steps changed the features")
}
