package citation

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSimilar compares with cosines computed densely.
func TestSimilar(t *testing.T) {
	o := Demo()
	o.Papers = 80
	g, err := Generate(o)
	require.NoError(t, err)
	n, k := g.Nodes(), 3
	count := make([]float64, g.Words)
	for _, w := range g.WordCol {
		count[w]++
	}
	vector := func(i int) []float64 {
		x := make([]float64, g.Words)
		for _, w := range g.Node(i) {
			x[w] = math.Log(float64(n) / count[w])
		}
		return x
	}
	cosine := func(a, b []float64) float64 {
		ab, aa, bb := 0.0, 0.0, 0.0
		for i := range a {
			ab, aa, bb = ab+a[i]*b[i], aa+a[i]*a[i], bb+b[i]*b[i]
		}
		return ab / math.Sqrt(aa*bb)
	}
	pairs := g.Similar(k)
	for i := range n {
		var all []float64
		for j := range n {
			if j != i {
				all = append(all, cosine(vector(i), vector(j)))
			}
		}
		slices.Sort(all)
		least := all[len(all)-k] // similarity of the k-th nearest
		near := 0
		for j := range n {
			if j == i {
				continue
			}
			c := cosine(vector(i), vector(j))
			_, found := slices.BinarySearchFunc(pairs, [2]int32{int32(min(i, j)), int32(max(i, j))},
				func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
			if c > least+1e-9 && !found {
				t.Errorf("papers %d and %d of similarity %v are no pair", i, j, c)
			}
			if found && c >= least-1e-9 {
				near++
			}
		}
		if near < k {
			t.Errorf("paper %d has %d of its %d nearest", i, near, k)
		}
	}
	if len(pairs) < n*k/2 || len(pairs) > n*k {
		t.Errorf("%d pairs for %d papers and k = %d", len(pairs), n, k)
	}
}

func TestSimilarLonely(t *testing.T) {
	// Paper c has no words, and a and d, a and e share one each.
	if got, want := small().Similar(2), [][2]int32{{0, 3}, {0, 4}}; !slices.Equal(got, want) {
		t.Errorf("pairs %v, want %v", got, want)
	}
}
