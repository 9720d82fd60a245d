package sparse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// eachWidth runs f with all registers that this processor has, narrower ones too.
func eachWidth(t testing.TB, f func(name string)) {
	t.Helper()
	defer func(old int) { lanes = old }(lanes)
	for _, lanes = range append(widths(), 0) {
		f(fmt.Sprintf("lanes=%d", lanes))
	}
}

// A panel adds the product, of all numbers of rows and lengths, reads nothing beside its
// arguments, writes nothing beside out, and has the same bits in all registers.
func TestPanel(t *testing.T) {
	if !vector() {
		t.Skip("no assembly for this processor")
	}
	rng := rand.New(rand.NewPCG(1, 8))
	for m := 1; m <= 30; m++ {
		for _, n := range []int{1, 2, 7, 64} {
			lda := n + rng.IntN(3)
			a, packed := make([]float64, m*lda), make([]float64, n*panelWidth)
			for i := range a {
				a[i] = math.NaN()
				if i%lda < n {
					a[i] = rng.NormFloat64()
				}
			}
			for i := range packed {
				packed[i] = rng.NormFloat64()
			}
			eachWidth(t, func(name string) {
				if !vector() {
					return
				}
				out := make([]float64, m*panelWidth+1)
				for i := range out {
					out[i] = 7
				}
				panel(n, a[:(m-1)*lda+n], lda, packed, panelWidth, out[:m*panelWidth])
				if out[m*panelWidth] != 7 {
					t.Fatalf("%s, %d × %d: wrote beside the sums", name, m, n)
				}
				for i, v := range out[:m*panelWidth] {
					want, r := 7.0, i/panelWidth
					for q := range n {
						want = math.FMA(a[r*lda+q], packed[q*panelWidth+i%panelWidth], want)
					}
					if v != want {
						t.Fatalf("%s, %d × %d: sum %d is %v, want %v", name, m, n, i, v, want)
					}
				}
			})
		}
	}
}

// Supernodes of all widths are factored, whatever the registers: a dense matrix has them
// divided, one with rows apart has panels whose columns are apart.
func TestLDLWide(t *testing.T) {
	eachWidth(t, func(name string) {
		rng := rand.New(rand.NewPCG(1, 9))
		var s LDL
		var m matrix
		for _, c := range []struct{ clique, shared int }{{9, 9}, {20, 20}, {64, 64}, {130, 130}, {17, 9}, {30, 13}, {100, 40}} {
			// Two cliques that share some rows, and few more entries.
			n, all := 2*c.clique-c.shared, [][2]int32{}
			for i := range n {
				for j := range i {
					if i < c.clique || j >= n-c.clique || rng.IntN(400) == 0 {
						all = append(all, [2]int32{int32(i), int32(j)})
					}
				}
			}
			m.make(rng, &s, n, all)
			if !s.Analyse(Limits{}) {
				t.Fatalf("%s: refused", name)
			}
			for k := range s.nodes.len() {
				if w := s.nodes.width(int32(k)); w > widestNode {
					t.Fatalf("%s, n = %d: a supernode of %d columns", name, n, w)
				}
			}
			m.load(&s)
			s.Factor()
			m.check(t, rng, &s)
		}
	})
}

// Dense blocks of weights that differ by many powers of ten are solved as exactly as substitution
// does: the error is that of rounding each entry.
func TestGradedBlocks(t *testing.T) {
	eachWidth(t, func(name string) {
		rng := rand.New(rand.NewPCG(1, 10))
		for range 200 {
			n := 16 + rng.IntN(60)
			dense := make([]float64, n*n)
			for range 2 * n {
				weight := math.Pow(10, 14*rng.Float64()-6)
				a := make([]float64, n)
				for range 6 {
					a[rng.IntN(n)] = rng.NormFloat64()
				}
				for i := range n {
					for j := range n {
						dense[i*n+j] += weight * a[i] * a[j]
					}
				}
			}
			var s LDL
			s.Reset(n)
			for i := range int32(n) {
				for j := range i {
					s.Edge(i, j)
				}
			}
			require.True(t, s.Analyse(Limits{}))
			b, x := make([]float64, n), make([]float64, n)
			for i := range n {
				dense[i*n+i] += 1e-6
				s.Diag[i], s.Sign[i], b[i] = dense[i*n+i], 1, rng.NormFloat64()
			}
			for slot, e := range s.edges {
				s.Val[slot] = dense[int(e[0])*n+int(e[1])]
			}
			s.Factor()
			copy(x, b)
			s.Solve(x)
			for i := range n {
				sum, scale := -b[i], math.Abs(b[i])
				for j := range n {
					sum += dense[i*n+j] * x[j]
					scale += math.Abs(dense[i*n+j] * x[j])
				}
				if math.Abs(sum) > 3e-14*scale {
					t.Fatalf("%s, %d rows: row %d is off by %.1e of its terms", name, n, i, math.Abs(sum)/scale)
				}
			}
		}
	})
}

// The factor of a grid, by width of the registers.
func BenchmarkFactor(b *testing.B) {
	const side = 256
	var s LDL
	s.Reset(side * side)
	for _, e := range gridPairs(side) {
		s.Edge(e[0], e[1])
	}
	s.Analyse(Limits{})
	for i := range s.Diag {
		s.Diag[i], s.Sign[i] = 4.1, 1
	}
	for i := range s.Val {
		s.Val[i] = -1
	}
	eachWidth(b, func(name string) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s.Factor()
			}
		})
	})
}
