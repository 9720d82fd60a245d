package citation

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFeatures(t *testing.T) {
	m := small().Features()
	want := []float32{.5, 0, 0, .5, 0, 1, 0, 0, 0, 0, 0, 0, .5, 0, .5, 0, 0, 0, 0, 1}
	assert.Equal(t, want, m.Dense(), "features")
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
		got := m.Dense()
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
		m.Mul(y, x, 1)
		for i := range x {
			if math.Abs(float64(x[i]-y[i])) > 1e-5 {
				t.Fatalf("S·x = %v, want x = %v", y[i], x[i])
			}
		}
	}
}

func TestMul(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	m := small().Features()
	const width = 3
	x, y := make([]float32, m.Cols*width), make([]float32, m.Rows*width)
	for i := range x {
		x[i] = rng.Float32()
	}
	m.Mul(y, x, width)
	dense := m.Dense()
	for i := range m.Rows {
		for j := range width {
			want := float32(0)
			for k := range m.Cols {
				want += dense[i*m.Cols+k] * x[k*width+j]
			}
			if d := y[i*width+j] - want; d > 1e-6 || d < -1e-6 {
				t.Errorf("product [%d,%d] = %v, want %v", i, j, y[i*width+j], want)
			}
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a product of wrong size did not panic")
		}
	}()
	m.Mul(y, x[1:], width)
}

func TestSmoothed(t *testing.T) {
	g := small()
	s, x := g.Propagation(), g.Features().Dense()
	y, want := make([]float32, len(x)), make([]float32, len(x))
	s.Mul(y, x, g.Words)
	s.Mul(want, y, g.Words)
	assert.Equal(t, want, g.Smoothed(2), "smoothed")
	assert.Equal(t, x, g.Smoothed(0), "smoothing by no steps changed the features")
}
