package sparse

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A factor ends soon after it is told to, wherever that is, and the next one is as if nothing
// had been.
func TestFactorStops(t *testing.T) {
	for name, c := range large(rand.New(rand.NewPCG(4, 6))) {
		s := LDL{Workers: 2}
		quasidefinite(t, rand.New(rand.NewPCG(4, 7)), &s, c.n, c.pairs)
		s.Factor()
		whole := bits(s.val)
		var asked atomic.Int64
		s.Late = func() bool { asked.Add(1); return false }
		s.Factor()
		all := asked.Load()
		require.False(t, s.Stopped())
		for _, at := range []int64{1, all / 2, all - 1} {
			asked.Store(0)
			s.Late = func() bool { return asked.Add(1) >= at }
			s.Factor()
			assert.True(t, s.Stopped(), "%s: told at %d of %d", name, at, all)
			assert.LessOrEqual(t, asked.Load(), at+int64(s.branches.len())+2, name)
		}
		s.Late = nil
		s.Factor()
		assert.False(t, s.Stopped())
		assert.True(t, slices.Equal(whole, bits(s.val)), name)
	}
}

// So does the search for an order.
func TestAnalyseStops(t *testing.T) {
	const side = 160
	var s LDL
	s.Reset(side * side)
	for _, e := range gridPairs(side) {
		s.Edge(e[0], e[1])
	}
	asked := 0
	s.Late = func() bool { asked++; return asked == 3 }
	assert.False(t, s.Analyse(Limits{}))
	assert.True(t, s.Stopped())
	assert.Equal(t, 3, asked)
	s.Late = nil
	assert.True(t, s.Analyse(Limits{}))
}
