package sparse

import (
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

// A supernode's contribution is not in the place of one that is still to be taken.
func TestContributionsApart(t *testing.T) {
	for name, c := range large(rand.New(rand.NewPCG(5, 1))) {
		var s LDL
		quasidefinite(t, rand.New(rand.NewPCG(5, 2)), &s, c.n, c.pairs)
		n, f, b := &s.nodes, &s.fronts, &s.branches
		group := make([]int, n.len()) // the branch of each supernode, none for the stem
		for k := range group {
			group[k] = b.len()
		}
		for j := range b.from {
			for k := b.from[j]; k < b.to[j]; k++ {
				group[k] = j
			}
		}
		type place struct{ stack, from, to int }
		waiting := map[int32]place{} // contributions that no parent has taken
		given := 0
		for k := range int32(n.len()) {
			own := place{int(f.stack[k]), f.at[k], f.at[k] + room(len(n.below(k)))}
			for other, p := range waiting {
				if p.stack == own.stack && (own.stack == handed || group[other] == group[k]) {
					require.Truef(t, own.to <= p.from || p.to <= own.from, "%s: supernodes %d and %d", name, k, other)
				}
			}
			size := len(f.handed)
			switch {
			case own.stack == handed:
				given++
				require.NotEqual(t, group[k], group[f.parent[k]], name)
			case group[k] == b.len():
				size = f.stem[own.stack]
			default:
				size = f.branch[own.stack]
			}
			require.LessOrEqualf(t, own.to, size, "%s: supernode %d", name, k)
			for child := f.child[k]; child >= 0; child = f.sibling[child] {
				require.Equal(t, k, f.parent[child])
				delete(waiting, child)
			}
			waiting[k] = own
		}
		assert.Positive(t, given, name)
	}
}
