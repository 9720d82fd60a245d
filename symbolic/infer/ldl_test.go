package infer

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestLDL(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	var s ldl
	for trial := range 200 {
		n := 1 + rng.IntN(90)
		positive := rng.IntN(n + 1)
		s.reset(n)
		s.pivot = 1e-14
		dense := make([]float64, n*n)
		var slots []int32
		var values []float64
		for range 2 * n {
			i, j := rng.IntN(n), rng.IntN(n)
			if i == j {
				continue
			}
			v := rng.NormFloat64()
			slots = append(slots, s.edge(int32(i), int32(j)))
			values = append(values, v)
			dense[i*n+j] += v
			dense[j*n+i] += v
		}
		s.analyse()
		for i := range n {
			// Diagonally dominant, with the sign of its block.
			sum := 1.0
			for j := range n {
				sum += math.Abs(dense[i*n+j])
			}
			s.sign[i] = 1
			if i >= positive {
				s.sign[i] = -1
			}
			s.diag[i] = sum * s.sign[i]
			dense[i*n+i] = s.diag[i]
		}
		clear(s.val)
		for n, slot := range slots {
			s.val[slot] += values[n]
		}
		s.factor()
		want := make([]float64, n)
		b := make([]float64, n)
		for i := range want {
			want[i] = rng.NormFloat64()
		}
		for i := range n {
			b[i] = dot(dense[i*n:(i+1)*n], want)
		}
		s.solve(b)
		for i := range n {
			if math.Abs(b[i]-want[i]) > 1e-10 {
				t.Fatalf("trial %d: x[%d] = %v, want %v", trial, i, b[i], want[i])
			}
		}
	}
}

// An arrow matrix has no fill in a good order and is full in the given one.
func TestLDLOrder(t *testing.T) {
	var s ldl
	const n = 100
	s.reset(n)
	for i := int32(1); i < n; i++ {
		s.edge(0, i)
	}
	s.analyse()
	if fill := s.lPtr[n]; fill != n-1 {
		t.Errorf("%d entries in L, want %d", fill, n-1)
	}
}
