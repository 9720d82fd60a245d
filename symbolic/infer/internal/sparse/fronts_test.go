package sparse

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The entries of a contribution on and below its diagonal have places of their own within its room.
func TestContributionPlaces(t *testing.T) {
	for n := range 40 {
		taken := map[int]bool{}
		for c := range n {
			for r := c; r < n; r++ {
				at := column(n, c) + panelWidth*r
				assert.Falsef(t, taken[at], "%d rows: entry (%d, %d) is where another is", n, r, c)
				assert.Truef(t, at >= 0 && at < room(n), "%d rows: entry (%d, %d) is at %d of %d", n, r, c, at, room(n))
				taken[at] = true
			}
		}
	}
}

// hubs is a pattern of leaves, each tied to the same rows.
func hubs(leaves, rows int) (pairs [][2]int32) {
	for i := range int32(leaves) {
		for j := range int32(rows) {
			pairs = append(pairs, [2]int32{int32(rows) + i, j})
		}
	}
	return pairs
}

// Contributions that wait have places apart, and few wait at once.
func TestContributionsApart(t *testing.T) {
	all := large(rand.New(rand.NewPCG(5, 1)))
	all["hubs"] = struct {
		n     int
		pairs [][2]int32
	}{30040, hubs(30000, 40)}
	for name, c := range all {
		var s LDL
		quasidefinite(t, rand.New(rand.NewPCG(5, 2)), &s, c.n, c.pairs)
		n, f, b := &s.nodes, &s.fronts, &s.branches
		works := [][]int32{f.stem}
		rooms := [][2]int{f.stemRoom}
		for j := range b.from {
			works, rooms = append(works, f.order[b.from[j]:b.to[j]]), append(rooms, f.branchRoom)
		}
		done := map[int32]bool{}
		for j, order := range works {
			waiting := map[int32]bool{}
			take := func(k int32) {
				from, to := f.at[k], f.at[k]+room(len(n.below(k)))
				require.LessOrEqualf(t, to, rooms[j][f.stack[k]], "%s: supernode %d", name, k)
				for other := range waiting {
					if f.stack[other] == f.stack[k] {
						require.Truef(t, to <= f.at[other] || f.at[other]+room(len(n.below(other))) <= from, "%s: supernodes %d and %d", name, k, other)
					}
				}
				waiting[k] = true
			}
			for _, k := range order {
				if f.child[k] < 0 {
					take(k)
				}
				require.Truef(t, waiting[k] && !done[k], "%s: supernode %d is not there", name, k)
				done[k] = true
				if p := f.parent[k]; p >= 0 && f.gift[k] < 0 && !waiting[p] {
					require.Falsef(t, done[p], "%s: supernode %d comes after its parent", name, k)
					take(p)
				}
				delete(waiting, k)
				assert.LessOrEqual(t, float64(len(waiting)), math.Log2(float64(c.n))+1, name)
			}
			assert.Empty(t, waiting)
		}
		assert.Len(t, done, n.len(), name)
	}
}

// Contributions take no more room than the factor, however many leaves hang on the same rows, in
// branches too.
func TestRoomOfHubs(t *testing.T) {
	var groups [][2]int32
	for g := range 100 {
		groups = append(groups, shifted(hubs(200, 60), int32(260*g))...)
		if g > 0 {
			groups = append(groups, [2]int32{int32(260 * g), int32(260 * (g - 1))})
		}
	}
	for _, c := range []struct {
		n        int
		pairs    [][2]int32
		branches bool
	}{{20100, hubs(20000, 100), true}, {26000, groups, true}} {
		var s LDL
		quasidefinite(t, rand.New(rand.NewPCG(5, 3)), &s, c.n, c.pairs)
		require.Equal(t, c.branches, s.branches.len() > 0)
		// Each leaf has all hubs of its group below it, and these have each other.
		leaves, rows := 20000.0, 100.0
		if c.branches {
			rows = 60
		}
		assert.GreaterOrEqual(t, s.need.Fill, leaves*rows)
		assert.GreaterOrEqual(t, s.need.Work, leaves*rows*rows)
		f := &s.fronts
		assert.Less(t, f.branchRoom[0]+f.branchRoom[1]+f.stemRoom[0]+f.stemRoom[1]+len(f.handed), s.nodes.size())
		solves(t, rand.New(rand.NewPCG(5, 4)), &s, 1e-10)
	}
}
