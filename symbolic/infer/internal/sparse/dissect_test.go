package sparse

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nearPairs joins each of n random points of the unit square with its neighbours within a
// distance that gives each about as many as said.
func nearPairs(rng *rand.Rand, n, each int) [][2]int32 {
	side := int(math.Sqrt(math.Pi * float64(n) / float64(each)))
	x, y, cells := make([]float64, n), make([]float64, n), make([][]int32, side*side)
	var pairs [][2]int32
	for i := range int32(n) {
		x[i], y[i] = rng.Float64(), rng.Float64()
		cx, cy := int(x[i]*float64(side)), int(y[i]*float64(side))
		for dx := max(cx-1, 0); dx <= min(cx+1, side-1); dx++ {
			for dy := max(cy-1, 0); dy <= min(cy+1, side-1); dy++ {
				for _, j := range cells[dx*side+dy] {
					a, b := (x[i]-x[j])*float64(side), (y[i]-y[j])*float64(side)
					if a*a+b*b < 1 {
						pairs = append(pairs, [2]int32{i, j})
					}
				}
			}
		}
		cells[cx*side+cy] = append(cells[cx*side+cy], i)
	}
	return pairs
}

// What is left without the separators are parts that are not divided further, each smaller
// than smallestPart, and separators are small; for any number of goroutines.
func TestDissect(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for name, c := range map[string]struct {
		n     int
		pairs [][2]int32
		most  float64 // rows of separators
	}{
		"grid": {120 * 120, gridPairs(120), 0.06}, "near": {12000, nearPairs(rng, 12000, 8), 0.12}, "path": {9000, pathPairs(rng, 9000), 0.01},
		"two parts": {9000 + 70*70, append(gridPairs(70), shifted(pathPairs(rng, 9000), 4900)...), 0.04},
		"nothing":   {5000, nil, 0.001}, "small": {100, gridPairs(10), 0},
	} {
		stage := dissect(c.n, c.pairs, 1)
		part := make([]int32, c.n)
		for i := range part {
			part[i] = int32(i)
		}
		find := func(i int32) int32 {
			for ; part[i] != i; i = part[i] {
				part[i] = part[part[i]]
			}
			return i
		}
		for _, e := range c.pairs {
			if stage[e[0]] == 0 && stage[e[1]] == 0 {
				part[find(e[0])] = find(e[1])
			}
		}
		size, separators := map[int32]int{}, 0
		for i, s := range stage {
			if s > 0 {
				separators++
			} else {
				size[find(int32(i))]++
			}
		}
		for _, n := range size {
			assert.Less(t, n, smallestPart, name)
		}
		assert.LessOrEqual(t, float64(separators), c.most*float64(c.n), name)
		for _, workers := range []int{2, 4} {
			assert.True(t, slices.Equal(stage, dissect(c.n, c.pairs, workers)), "%s: %d goroutines", name, workers)
		}
	}
}

// Nested dissection is taken where it saves work, and rows of later stages come later.
func TestStages(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	const n = 12000
	pairs := nearPairs(rng, n, 24)
	stage := dissect(n, pairs, 1)
	var o orderer
	mustBePermutation(t, o.run(n, pairs, nil, nil), n)
	work := o.flops
	perm := o.run(n, pairs, stage, nil)
	mustBePermutation(t, perm, n)
	assert.Less(t, o.flops, work, "multiplications by nested dissection and by minimum degree")
	// A row goes before those of earlier stages only with all of its neighbours' clique.
	place := make([]int, n)
	for k, i := range perm {
		place[i] = k
	}
	early := 0
	for _, e := range pairs {
		if i, j := e[0], e[1]; stage[i] < stage[j] && place[i] > place[j] || stage[i] > stage[j] && place[i] < place[j] {
			early++
		}
	}
	assert.Less(t, early, len(pairs)/100)
}

// Sides stay apart while vertices move, and the weights are those of the sides.
func TestSeparator(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for k := range 40 {
		n := 2 + rng.IntN(900)
		g := newGraph(n, randomPairs(rng, n, 2*n))
		if k%2 == 0 {
			g = newGraph(n, nearPairs(rng, n, 8))
		}
		side := g.separate()
		require.Len(t, side, n)
		for v := range int32(n) {
			for _, u := range g.neighbours(v) {
				require.False(t, side[v] == 0 && side[u] == 1, "%d vertices: an edge from side to side", n)
			}
		}
		r := newRefiner(g, side)
		weights := r.on
		r.run()
		var on [3]int32
		for v, s := range r.side {
			on[s] += g.weight[v]
		}
		assert.Equal(t, on, r.on, "weights of the sides")
		assert.False(t, r.on != weights && !r.better(weights), "made worse: %v from %v", r.on, weights)
	}
}

// Contracted graphs keep the weight, and their edges those between different vertices.
func TestContract(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		n := 50 + rng.IntN(300)
		g := newGraph(n, randomPairs(rng, n, 3*n))
		for range 2 {
			c, to := g.contract(rng)
			weight, count := make([]int32, c.len()), map[[2]int32]int32{}
			for v := range int32(g.len()) {
				weight[to[v]] += g.weight[v]
				for e := g.ptr[v]; e < g.ptr[v+1]; e++ {
					if a, b := to[v], to[g.adj[e]]; a != b {
						count[[2]int32{a, b}] += g.count[e]
					}
				}
			}
			assert.Equal(t, weight, c.weight)
			for v := range int32(c.len()) {
				for e := c.ptr[v]; e < c.ptr[v+1]; e++ {
					key := [2]int32{v, c.adj[e]}
					require.Equal(t, count[key], c.count[e])
					delete(count, key)
				}
			}
			assert.Empty(t, count, "edges that are lost")
			g = c
		}
	}
}

// The time of nested dissection, and the multiplications of a factor with it over those with
// minimum degree. The largest grid is an image of 10⁷ ground rules.
func BenchmarkDissect(b *testing.B) {
	for _, c := range []struct {
		name  string
		n     int
		pairs [][2]int32
	}{
		{"grid200", 200 * 200, gridPairs(200)}, {"grid400", 400 * 400, gridPairs(400)}, {"grid1290", 1290 * 1290, gridPairs(1290)},
		{"near", 40000, nearPairs(rand.New(rand.NewPCG(3, 5)), 40000, 24)},
	} {
		b.Run(c.name, func(b *testing.B) {
			var o orderer
			o.run(c.n, c.pairs, nil, nil)
			work := o.flops
			var stage []int32
			for b.Loop() {
				stage = dissect(c.n, c.pairs, 1)
			}
			o.run(c.n, c.pairs, stage, nil)
			b.ReportMetric(o.flops/work, "of-minimum-degree")
		})
	}
}

// TestStagesOfGrid: on a square grid nested dissection takes no more than minimum degree, by the
// multiplications of a factor. Separators that go first, the small ones last, take twice as many.
func TestStagesOfGrid(t *testing.T) {
	const side = 200
	var pairs [][2]int32
	for i := range int32(side * side) {
		if i%side > 0 {
			pairs = append(pairs, [2]int32{i - 1, i})
		}
		if i >= side {
			pairs = append(pairs, [2]int32{i - side, i})
		}
	}
	var o orderer
	o.run(side*side, pairs, nil, nil)
	work := o.flops
	o.run(side*side, pairs, dissect(side*side, pairs, 1), nil)
	if o.flops > 1.1*work {
		t.Errorf("%.3g multiplications, %.3g by minimum degree", o.flops, work)
	}
}
