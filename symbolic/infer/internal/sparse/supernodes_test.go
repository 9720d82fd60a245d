package sparse

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// analysed returns the analysis of a pattern.
func analysed(t *testing.T, n int, pairs [][2]int32) *LDL {
	t.Helper()
	s := new(LDL)
	s.Reset(n)
	for _, e := range pairs {
		s.Edge(e[0], e[1])
	}
	if !s.Analyse(Limits{}) {
		t.Fatal("refused")
	}
	return s
}

// columnsOfL returns the rows below the diagonal of each column of L, by plain
// elimination in the order of s.
func columnsOfL(s *LDL) [][]int32 {
	inv := make([]int32, s.n)
	for k, i := range s.perm {
		inv[i] = int32(k)
	}
	below := make([]map[int32]bool, s.n)
	for k := range below {
		below[k] = map[int32]bool{}
	}
	for _, e := range s.edges {
		a, b := inv[e[0]], inv[e[1]]
		below[min(a, b)][max(a, b)] = true
	}
	list := make([][]int32, s.n)
	for k := range below {
		for i := range below[k] {
			list[k] = append(list[k], i)
		}
		slices.Sort(list[k])
		if len(list[k]) == 0 {
			continue
		}
		for _, i := range list[k][1:] {
			below[list[k][0]][i] = true
		}
	}
	return list
}

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

// Supernodes are a partition of the columns, and each holds at least the rows
// of its columns, at most few more.
func TestSupernodes(t *testing.T) {
	for name, c := range patterns(rand.New(rand.NewPCG(2, 2))) {
		s := analysed(t, c.n, c.pairs)
		n, columns := &s.nodes, columnsOfL(s)
		if n.first[0] != 0 || int(n.first[n.len()]) != c.n || !slices.IsSorted(n.first) {
			t.Fatalf("%s: first columns %v", name, n.first)
		}
		stored, exact := 0, 0
		for k := range int32(n.len()) {
			below := n.below(k)
			if !slices.IsSorted(below) || n.width(k) < 1 || len(below) > 0 && below[0] < n.first[k+1] {
				t.Fatalf("%s: supernode %d has rows %v", name, k, below)
			}
			for j := n.first[k]; j < n.first[k+1]; j++ {
				if n.of[j] != k {
					t.Fatalf("%s: column %d is in supernode %d, want %d", name, j, n.of[j], k)
				}
				for _, i := range columns[j] {
					if _, ok := slices.BinarySearch(below, i); !ok && i >= n.first[k+1] {
						t.Fatalf("%s: row %d of column %d is missing", name, i, j)
					}
				}
				exact += len(columns[j]) + 1
			}
			w := n.width(k)
			stored += w*(w+1)/2 + w*len(below)
			if size := n.start[k+1] - n.start[k]; size != w*(w+len(below)) {
				t.Fatalf("%s: supernode %d has room for %d entries", name, k, size)
			}
		}
		if float64(stored) > 1.6*float64(exact) {
			t.Errorf("%s: %d entries with zeros, %d without", name, stored, exact)
		}
	}
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

// dots is four inner products.
func TestDots(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 5))
	for n := range 9 {
		v := make([][]float64, 4)
		for k := range v {
			for range n {
				v[k] = append(v[k], rng.NormFloat64())
			}
		}
		ax, ay, bx, by := dots(v[0], v[1], v[2], v[3])
		for k, got := range []float64{ax, ay, bx, by} {
			if want := Dot(v[k/2], v[2+k%2]); got-want > 1e-14 || want-got > 1e-14 {
				t.Errorf("n = %d: product %d is %v, want %v", n, k, got, want)
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
	if !slices.Equal(a, b) {
		t.Error("storage from another matrix changes the solution")
	}
}
