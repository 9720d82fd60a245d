package sparse

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

func patterns(rng *rand.Rand) map[string]struct {
	n     int
	pairs [][2]int32
} {
	type pattern = struct {
		n     int
		pairs [][2]int32
	}
	star := make([][2]int32, 0, 60)
	for i := int32(1); i < 61; i++ {
		star = append(star, [2]int32{i, 0})
	}
	full := make([][2]int32, 0, 40*39/2)
	for i := range int32(40) {
		for j := range i {
			full = append(full, [2]int32{i, j})
		}
	}
	return map[string]pattern{
		"nothing": {5, nil}, "one row": {1, nil}, "path": {200, pathPairs(rng, 200)}, "grid": {400, gridPairs(20)},
		"star": {61, star}, "full": {40, full}, "random": {150, randomPairs(rng, 150, 300)},
		"two parts": {300, append(gridPairs(10), shifted(pathPairs(rng, 200), 100)...)},
	}
}

func shifted(pairs [][2]int32, by int32) [][2]int32 {
	for k := range pairs {
		pairs[k][0] += by
		pairs[k][1] += by
	}
	return pairs
}

// L·D·Lᵀ is the permuted matrix.
func TestFactor(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 4))
	for name, c := range patterns(rng) {
		var s LDL
		var m matrix
		m.make(rng, &s, c.n, c.pairs)
		if !s.Analyse(Limits{}) {
			t.Fatal("refused")
		}
		m.load(&s)
		s.Factor()
		l := make([]float64, c.n*c.n) // by rows
		n := &s.nodes
		for k := range int32(n.len()) {
			w, block := n.width(k), s.val[n.start[k]:n.start[k+1]]
			for r := 0; r*w < len(block); r++ {
				i := int(n.first[k]) + r
				if r >= w {
					i = int(n.below(k)[r-w])
				}
				for j := range min(r+1, w) {
					l[i*c.n+int(n.first[k])+j] = block[r*w+j]
				}
			}
		}
		for i := range c.n {
			for j := range i + 1 {
				sum := 0.0
				for q := range j + 1 {
					sum += l[i*c.n+q] * s.d[q] * l[j*c.n+q]
				}
				want := m.dense[int(s.perm[i])*c.n+int(s.perm[j])]
				if d := sum - want; d > 1e-10 || d < -1e-10 {
					t.Fatalf("%s: entry (%d, %d) of L·D·Lᵀ is %v, want %v", name, i, j, sum, want)
				}
			}
		}
	}
}

// The same input gives the same bits, also when storage is used again.
func TestLDLRepeats(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 6))
	var s, used LDL
	var m matrix
	m.make(rng, &used, 60, randomPairs(rng, 60, 200))
	used.Analyse(Limits{})
	for _, l := range []*LDL{&s, &used} {
		m.make(rand.New(rand.NewPCG(2, 7)), l, 100, gridPairs(10))
		l.Analyse(Limits{})
		m.load(l)
		l.Factor()
	}
	a, b := make([]float64, 100), make([]float64, 100)
	for i := range a {
		a[i] = rng.NormFloat64()
	}
	copy(b, a)
	s.Solve(a)
	used.Solve(b)
	assert.Equal(t, b, a, "storage from another matrix changes the solution")
}
