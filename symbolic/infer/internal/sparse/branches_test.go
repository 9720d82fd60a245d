package sparse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// large are patterns whose factors have branches.
func large(rng *rand.Rand) map[string]struct {
	n     int
	pairs [][2]int32
} {
	type pattern = struct {
		n     int
		pairs [][2]int32
	}
	return map[string]pattern{
		"grid": {150 * 150, gridPairs(150)}, "near": {12000, nearPairs(rng, 12000, 32)},
		"random":    {1200, randomPairs(rng, 1200, 3600)},
		"two parts": {2 * 6400, append(gridPairs(80), shifted(nearPairs(rng, 6400, 40), 6400)...)},
	}
}

// quasidefinite gives s a pattern and diagonally dominant values.
func quasidefinite(t testing.TB, rng *rand.Rand, s *LDL, n int, pairs [][2]int32) {
	s.Reset(n)
	for _, e := range pairs {
		s.Edge(e[0], e[1])
	}
	require.True(t, s.Analyse(Limits{}))
	s.Pivot = 1e-14
	for i := range s.Diag {
		s.Sign[i], s.Diag[i] = 1, 1
		if rng.IntN(4) == 0 {
			s.Sign[i] = -1
		}
	}
	for slot, e := range s.edges {
		v := rng.NormFloat64()
		s.Val[slot] = v
		s.Diag[e[0]] += math.Abs(v)
		s.Diag[e[1]] += math.Abs(v)
	}
	for i, sign := range s.Sign {
		s.Diag[i] *= sign
	}
}

// A factor with branches solves, with the same bits for any number of goroutines.
func TestBranches(t *testing.T) {
	patterns := large(rand.New(rand.NewPCG(4, 1)))
	for name, c := range patterns {
		var val, d, x []float64
		for _, workers := range []int{1, 2, 4, 3} {
			rng := rand.New(rand.NewPCG(4, 2))
			s := LDL{Workers: workers}
			quasidefinite(t, rng, &s, c.n, c.pairs)
			require.Greater(t, s.branches.len(), 1, "%s: branches of %v multiplications", name, s.need.Work)
			b, rest, y := make([]float64, c.n), make([]float64, c.n), make([]float64, c.n)
			for i := range b {
				b[i] = rng.NormFloat64()
			}
			for range 2 { // the second time with storage that was used
				s.Factor()
				copy(y, b)
				s.Solve(y)
			}
			residual(&s, y, b, rest)
			for i, v := range rest {
				if math.Abs(v) > 1e-10 {
					t.Fatalf("%s: residual %v of row %d", name, v, i)
				}
			}
			if val == nil {
				val, d, x = s.val, s.d, y
				continue
			}
			for k, other := range [][2][]float64{{val, s.val}, {d, s.d}, {x, y}} {
				assert.True(t, slices.Equal(bits(other[0]), bits(other[1])), "%s: %d goroutines, L, D, x: %d", name, workers, k)
			}
		}
	}
}

// Small factors of all kinds of patterns have branches too where work is shared from the first
// multiplication on.
func TestBranchesOfSmallPatterns(t *testing.T) {
	defer func(branched, shared float64) { branchedWork, sharedWork = branched, shared }(branchedWork, sharedWork)
	branchedWork, sharedWork = 1, 1
	rng := rand.New(rand.NewPCG(4, 8))
	var s LDL // storage is used again
	branched := 0
	for k := range 400 {
		n, pairs := 1+rng.IntN(200), [][2]int32(nil)
		switch k % 4 {
		case 0:
			pairs = randomPairs(rng, n, rng.IntN(3*n+1))
		case 1:
			rows := 1 + rng.IntN(min(n, 20))
			pairs = hubs(n-rows, rows)
		case 2:
			side := 2 + rng.IntN(12)
			n, pairs = side*side, gridPairs(side)
		case 3:
			for i := 1; i < n; i++ {
				pairs = append(pairs, [2]int32{int32(i), int32(rng.IntN(i))})
			}
		}
		s.Workers = 1 + rng.IntN(3)
		quasidefinite(t, rng, &s, n, pairs)
		branched += min(s.branches.len(), 1)
		solves(t, rng, &s, 1e-9)
	}
	assert.Greater(t, branched, 300)
}

// solves fails unless s solves a system, all of whose rows are off by at most most.
func solves(t *testing.T, rng *rand.Rand, s *LDL, most float64) {
	t.Helper()
	b, rest := make([]float64, s.n), make([]float64, s.n)
	for i := range b {
		b[i] = rng.NormFloat64()
	}
	y := slices.Clone(b)
	s.Factor()
	s.Solve(y)
	residual(s, y, b, rest)
	for i, v := range rest {
		require.Falsef(t, !(math.Abs(v) <= most), "%d rows: residual %v of row %d", s.n, v, i)
	}
}

func bits(x []float64) []uint64 {
	b := make([]uint64, len(x))
	for i, v := range x {
		b[i] = math.Float64bits(v)
	}
	return b
}

// Each supernode is in one branch or in the stem, and branches change nothing of each other.
func TestBranchesDivide(t *testing.T) {
	for name, c := range large(rand.New(rand.NewPCG(4, 3))) {
		var s LDL
		quasidefinite(t, rand.New(rand.NewPCG(4, 4)), &s, c.n, c.pairs)
		n, b := &s.nodes, &s.branches
		owner := make([]int, n.len())
		for k := range owner {
			owner[k] = -1
		}
		own := func(k int32, who int) {
			require.Equal(t, -1, owner[k], "%s: supernode %d is there twice", name, k)
			owner[k] = who
		}
		for j := range b.from {
			for k := b.from[j]; k < b.to[j]; k++ {
				own(k, j)
			}
		}
		for _, k := range b.stem {
			own(k, b.len())
		}
		assert.False(t, slices.Contains(owner, -1), "%s: a supernode is missing", name)
		for k, who := range owner {
			for _, i := range n.below(int32(k)) {
				if to := owner[n.of[i]]; to != who {
					require.Equal(t, b.len(), to, "%s: branch %d changes branch %d", name, who, to)
				}
			}
		}
	}
}

// The factor of a large image and its solution by one goroutine and by two.
func BenchmarkBranches(b *testing.B) {
	const side = 400
	for _, workers := range []int{1, 2} {
		s := LDL{Workers: workers}
		quasidefinite(b, rand.New(rand.NewPCG(4, 5)), &s, side*side, gridPairs(side))
		x := make([]float64, side*side)
		b.Run(fmt.Sprintf("factor/%d", workers), func(b *testing.B) {
			for b.Loop() {
				s.Factor()
			}
		})
		b.Run(fmt.Sprintf("solve/%d", workers), func(b *testing.B) {
			for b.Loop() {
				x[0] = 1
				s.Solve(x)
			}
		})
	}
}
