package sparse

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stretchr/testify/assert"
)

// fillOf returns the entries of L below the diagonal and the sum of the squares
// of its columns' lengths for an order, by plain elimination on dense sets.
func fillOf(n int, pairs [][2]int32, perm []int32) (fill, work int) {
	adj := make([]map[int32]bool, n)
	for i := range adj {
		adj[i] = map[int32]bool{}
	}
	for _, e := range pairs {
		adj[e[0]][e[1]], adj[e[1]][e[0]] = true, true
	}
	for _, p := range perm {
		fill += len(adj[p])
		work += len(adj[p]) * len(adj[p])
		for i := range adj[p] {
			delete(adj[i], p)
			for j := range adj[p] {
				if i != j {
					adj[i][j] = true
				}
			}
		}
	}
	return fill, work
}

// randomPairs returns up to m different random pairs.
func randomPairs(rng *rand.Rand, n, m int) [][2]int32 {
	seen := map[[2]int32]bool{}
	var pairs [][2]int32
	for range m {
		i, j := int32(rng.IntN(n)), int32(rng.IntN(n))
		if i < j {
			i, j = j, i
		}
		if e := [2]int32{i, j}; i != j && !seen[e] {
			seen[e] = true
			pairs = append(pairs, e)
		}
	}
	return pairs
}

// gridPairs is the five-point pattern of a square.
func gridPairs(side int) [][2]int32 {
	var pairs [][2]int32
	for i := range int32(side * side) {
		if i%int32(side) > 0 {
			pairs = append(pairs, [2]int32{i, i - 1})
		}
		if i >= int32(side) {
			pairs = append(pairs, [2]int32{i, i - int32(side)})
		}
	}
	return pairs
}

// pathPairs is a path through the rows in random order.
func pathPairs(rng *rand.Rand, n int) [][2]int32 {
	at := rng.Perm(n)
	var pairs [][2]int32
	for k := 1; k < n; k++ {
		i, j := int32(at[k]), int32(at[k-1])
		pairs = append(pairs, [2]int32{max(i, j), min(i, j)})
	}
	return pairs
}

func mustBePermutation(t *testing.T, perm []int32, n int) {
	t.Helper()
	sorted := slices.Clone(perm)
	slices.Sort(sorted)
	for k := range sorted {
		require.Equalf(t, int32(k), sorted[k], "not a permutation of %d rows: %v", n, perm)
	}
	require.Equal(t, n, len(perm))
}

// The order must be one, and the fill it claims that of an elimination.
func TestOrderRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	var o orderer
	for range 300 {
		n := 1 + rng.IntN(120)
		pairs := randomPairs(rng, n, rng.IntN(4*n))
		perm := o.run(n, pairs, nil, nil)
		mustBePermutation(t, perm, n)
		if fill, work := fillOf(n, pairs, perm); o.fill != float64(fill) || o.flops != float64(work) {
			t.Fatalf("fill %v and work %v told, %d and %d by elimination", o.fill, o.flops, fill, work)
		}
	}
}

// Trees, paths among them, have no fill in a minimum degree order.
func TestOrderTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	var o orderer
	const n = 3000
	tree := make([][2]int32, 0, n)
	for i := int32(1); i < n; i++ {
		tree = append(tree, [2]int32{i, max(i-1-int32(rng.IntN(20)), 0)})
	}
	for name, pairs := range map[string][][2]int32{"tree": tree, "path": pathPairs(rng, n)} {
		mustBePermutation(t, o.run(n, pairs, nil, nil), n)
		if o.fill != n-1 {
			t.Errorf("%s: %v entries in L, want %d", name, o.fill, n-1)
		}
	}
}

// On a square grid minimum degree is near n log n; the natural order has
// n^1.5.
func TestOrderGrid(t *testing.T) {
	var o orderer
	const side = 60
	perm := o.run(side*side, gridPairs(side), nil, nil)
	mustBePermutation(t, perm, side*side)
	if most := 0.35 * side * side * side; o.fill > most {
		t.Errorf("fill %v, want at most %v", o.fill, most)
	}
}

// An order is given up once it takes more than it may, which Need then exceeds too.
func TestOrderStops(t *testing.T) {
	const side = 60
	pairs := gridPairs(side)
	var o orderer
	all := len(o.run(side*side, pairs, nil, nil))
	whole := o.need()
	for _, l := range []Limits{{Fill: whole.Fill / 10}, {Work: whole.Work / 10}} {
		o.most = l
		if done := len(o.run(side*side, pairs, nil, nil)); done >= all || o.need().Within(l) || !o.need().Within(whole) {
			t.Errorf("limits %+v: %d of %d rows, %+v", l, done, all, o.need())
		}
	}
	o.most = whole
	mustBePermutation(t, o.run(side*side, pairs, nil, nil), side*side)

	var s LDL
	s.Reset(side * side)
	for _, e := range pairs {
		s.Edge(e[0], e[1])
	}
	small := Limits{Work: whole.Work / 10}
	if s.Analyse(small) || s.Need().Within(small) {
		t.Errorf("a factor of %+v is within %+v", s.Need(), small)
	}
	if !s.Analyse(Limits{Work: 1.1 * whole.Work}) {
		t.Errorf("a factor of %+v is not within %+v", s.Need(), whole)
	}
}

// Rows coupled with nearly all others come last, in any number.
func TestOrderDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	var o orderer
	const n, hubs = 2000, 3
	pairs := randomPairs(rng, n-hubs, n/2)
	for h := int32(n - hubs); h < n; h++ {
		for i := range h {
			pairs = append(pairs, [2]int32{h, i})
		}
	}
	perm := o.run(n, pairs, nil, nil)
	mustBePermutation(t, perm, n)
	last := slices.Clone(perm[n-hubs:])
	slices.Sort(last)
	assert.Equal(t, []int32{n - 3, n - 2, n - 1}, last, "the last rows")
}

// Where room for new elements runs out, lists are moved together, and the order
// stays the same.
func TestOrderCompacts(t *testing.T) {
	pairs := gridPairs(40)
	var o, tight orderer
	want := o.run(1600, pairs, nil, nil)
	tight.init(1600, pairs)
	for i := 1599; i >= 0; i-- {
		tight.enter(int32(i))
	}
	moved := false
	for tight.left > 0 {
		for tight.head[tight.lowest] < 0 {
			tight.lowest++
		}
		// before each step, take away all room but what one element may need.
		before := tight.end
		tight.compact()
		moved = moved || tight.end < before
		tight.eliminate(tight.head[tight.lowest])
	}
	var got []int32
	for _, p := range tight.pivots {
		for i := p; i >= 0; i = tight.follow[i] {
			got = append(got, i)
		}
	}
	if !moved || !slices.Equal(got, want) {
		t.Errorf("moved %v, same order %v", moved, slices.Equal(got, want))
	}
}
