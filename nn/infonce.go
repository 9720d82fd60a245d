package nn

import (
	"fmt"
	"math"

	"gorgonia.org/gorgonia"

	"hinge/nn/kernel"
)

// InfoNCE returns the contrastive loss of Chen et al. (2020) on z [2B][C], whose
// rows i and B+i are two views of example i: with u the rows scaled to length one
// and s_ij = u_i·u_j/τ,
//
//	L = 1/(2B) Σ_i ( log Σ_{j≠i} e^{s_ij} − s_{i,pair(i)} ).
//
// τ, from 3e-39 on, is the temperature; it is fixed.
func (b *Builder[T]) InfoNCE(name string, z *gorgonia.Node, temperature float64) *gorgonia.Node {
	if b.failed(name, z) {
		return nil
	}
	in := z.Shape()
	if len(in) != 2 || in[0]%2 != 0 || in[0] < 4 || !(temperature >= leastTemperature) {
		return b.Fail(name, "InfoNCE wants 2B×C with at least two pairs and a temperature of at least %.0e, not shape %v and %v", leastTemperature, in, temperature)
	}
	n, c := in[0], in[1]
	l := &infoNCE[T]{
		n: n, c: c, scale: T(1 / temperature),
		u: make([]T, n*c), length: make([]T, n), s: make([]T, n*n), du: make([]T, n*c), loss: make([]float64, n),
	}
	return b.Function(name, z, l.value)
}

// shortest is the least length that a row is divided by, which is then held, as in PyTorch's normalize.
const shortest = 1e-12

// infoNCE holds the work space of one InfoNCE node.
type infoNCE[T Float] struct {
	n, c   int
	scale  T
	u      []T // rows of unit length
	length []T // their length before
	s      []T // similarities, then the derivative by them
	du     []T
	loss   []float64 // of each row
}

func (l *infoNCE[T]) value(z, dz []T) (float64, error) {
	n, c := l.n, l.c
	for i := range n {
		row := z[i*c : (i+1)*c]
		var square float64
		for _, v := range row {
			square += float64(v) * float64(v)
		}
		l.length[i] = T(max(math.Sqrt(square), shortest))
		if v := float64(l.length[i]); math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, fmt.Errorf("row %d is not finite or has no finite length", i)
		}
		for k, v := range row {
			l.u[i*c+k] = v / l.length[i]
		}
	}
	kernel.Gemm(false, true, n, n, c, l.scale, l.u, c, l.u, c, 0, l.s, n)
	kernel.Parallel(n, 32, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			l.loss[i] = l.row(i)
		}
	})
	// Each similarity stands in two rows: dU = (S + Sᵀ)·U/τ.
	kernel.Gemm(false, false, n, c, n, l.scale, l.s, n, l.u, c, 0, l.du, c)
	kernel.Gemm(true, false, n, c, n, l.scale, l.s, n, l.u, c, 1, l.du, c)
	sum := 0.0
	for i := range n {
		sum += l.loss[i]
		u, du, d := l.u[i*c:(i+1)*c], l.du[i*c:(i+1)*c], dz[i*c:(i+1)*c]
		var dot T
		if l.length[i] > shortest {
			for k, v := range u {
				dot += v * du[k]
			}
		}
		for k, v := range u {
			d[k] = (du[k] - dot*v) / l.length[i]
		}
	}
	return sum / float64(n), nil
}

// row returns the loss of row i of the similarities and overwrites the row by the
// mean loss's derivative.
func (l *infoNCE[T]) row(i int) float64 {
	s, pair := l.s[i*l.n:(i+1)*l.n], (i+l.n/2)%l.n
	top := s[pair]
	for j, v := range s {
		if j != i {
			top = max(top, v)
		}
	}
	sum, positive := 0.0, float64(s[pair]-top)
	for j, v := range s {
		e := 0.0
		if j != i {
			e = math.Exp(float64(v - top))
		}
		s[j] = T(e)
		sum += e
	}
	for j := range s {
		s[j] = T(float64(s[j]) / (sum * float64(l.n)))
	}
	s[pair] -= T(1 / float64(l.n))
	return math.Log(sum) - positive
}
