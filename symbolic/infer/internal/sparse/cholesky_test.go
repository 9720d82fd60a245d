package sparse

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestCholesky(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for n := range 40 {
		// a·Aᵀ + I, with rows scaled very differently.
		a, m := make([]float64, n*n), make([]float64, n*n)
		for i := range a {
			a[i] = rng.NormFloat64()
		}
		scale := make([]float64, n)
		for i := range scale {
			scale[i] = math.Pow(10, 8*rng.Float64()-4)
		}
		for i := range n {
			for j := range n {
				m[i*n+j] = Dot(a[i*n:i*n+n], a[j*n:j*n+n])
				if i == j {
					m[i*n+j]++
				}
				m[i*n+j] *= scale[i] * scale[j]
			}
		}
		want, b := make([]float64, n), make([]float64, n)
		for i := range want {
			want[i] = rng.NormFloat64() / scale[i]
		}
		for i := range n {
			b[i] = Dot(m[i*n:i*n+n], want)
		}
		Cholesky(m, n)
		CholeskySolve(m, n, b)
		for i := range n {
			if math.Abs(b[i]-want[i])*scale[i] > 1e-9 {
				t.Fatalf("n = %d: x[%d] = %v, want %v", n, i, b[i], want[i])
			}
		}
	}
}

// Of two equal rows one is ignored; the rest is solved.
func TestCholeskySingular(t *testing.T) {
	m := []float64{
		2, 0, 0,
		2, 2, 0,
		0, 0, 4,
	}
	Cholesky(m, 3)
	x := []float64{2, 2, 8}
	CholeskySolve(m, 3, x)
	if math.Abs(x[0]-1) > 1e-12 || math.Abs(x[1]) > 1e-12 || math.Abs(x[2]-2) > 1e-12 {
		t.Errorf("x = %v, want [1 0 2]", x)
	}
}

func TestDot(t *testing.T) {
	for n := range 13 {
		x, y, want := make([]float64, n), make([]float64, n), 0.0
		for i := range x {
			x[i], y[i] = float64(i+1), float64(2*i-3)
			want += x[i] * y[i]
		}
		if got := Dot(x, y); got != want {
			t.Errorf("n = %d: %v, want %v", n, got, want)
		}
	}
}
