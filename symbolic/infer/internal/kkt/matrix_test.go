package kkt

import (
	"math"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/problemtest"
	"hinge/symbolic/infer/internal/sparse"
)

// checkKKT sets random values, factors, and compares a solution with the matrix.
func checkKKT(t *testing.T, rng *rand.Rand, m *Matrix, p *problem.Problem) {
	t.Helper()
	diagonal, theta := make([]float64, p.Targets), make([]float64, p.Forms.Len())
	for i := range diagonal {
		diagonal[i] = 1e-3 + rng.Float64()
	}
	for k := range theta {
		theta[k] = math.Pow(10, 6*rng.Float64()-3)
		if rng.IntN(4) == 0 && m.Apart[k] < 0 {
			theta[k] = 0
		}
	}
	m.Set(p.Forms, diagonal, theta)
	m.Factor()
	want, rhs, rest := make([]float64, m.N), make([]float64, m.N), make([]float64, m.N)
	for i := range want {
		want[i] = rng.NormFloat64()
	}
	// K·want is minus the residual for a zero right-hand side.
	m.Residual(p.Forms, diagonal, theta, want, rhs, rest)
	for i, v := range rest {
		rest[i] = -v
	}
	m.Solve(rest)
	for i, v := range want {
		if math.Abs(rest[i]-v) > 1e-7*(1+math.Abs(v)) {
			t.Fatalf("x[%d] = %v, want %v", i, rest[i], v)
		}
	}
}

// The factors solve with the matrix that residual applies.
func TestKKT(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 9))
	problemtest.Each(t, 200, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		var m Matrix
		if !m.Start(p, 1e-14, sparse.Limits{}) {
			t.Fatal("too large")
		}
		checkKKT(t, rng, &m, p)
	})
}

// residual applies the matrix of the package comment, entry by entry.
func TestKKTResidualIsDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 10))
	problemtest.SizesOfForms(t, func(t *testing.T, p *problem.Problem) {
		var m Matrix
		if !m.Start(p, 1e-14, sparse.Limits{}) {
			t.Fatal("too large")
		}
		g, n := p.Forms, m.N
		diagonal, theta := make([]float64, p.Targets), make([]float64, g.Len())
		dense := make([]float64, n*n)
		for i := range diagonal {
			diagonal[i] = rng.Float64()
			dense[i*n+i] = diagonal[i]
		}
		for k := range theta {
			theta[k] = rng.Float64() + 0.1
			if rng.IntN(5) == 0 && m.Apart[k] < 0 {
				theta[k] = 0
			}
			for a := g.Ptr[k]; a < g.Ptr[k+1]; a++ {
				i, v := int(g.Col[a]), g.Val[a]
				if e := m.Apart[k]; e >= 0 {
					at := p.Targets + int(e)
					dense[at*n+at] = -1 / theta[k]
					dense[at*n+i] += v
					dense[i*n+at] += v
					continue
				}
				for b := g.Ptr[k]; b < g.Ptr[k+1]; b++ {
					dense[i*n+int(g.Col[b])] += theta[k] * v * g.Val[b]
				}
			}
		}
		x, rhs, r := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], rhs[i] = rng.NormFloat64(), rng.NormFloat64()
		}
		m.Residual(g, diagonal, theta, x, rhs, r)
		for i := range r {
			if want := rhs[i] - sparse.Dot(dense[i*n:i*n+n], x); math.Abs(r[i]-want) > 1e-10*(1+math.Abs(want)) {
				t.Fatalf("residual %d is %v, want %v", i, r[i], want)
			}
		}
	})
}
