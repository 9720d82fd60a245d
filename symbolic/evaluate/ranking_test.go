package evaluate

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Ranks by hand: better answers, shared ranks and answers that are left out.
func TestRank(t *testing.T) {
	scores := []float64{0.5, 0.9, 0.5, 0.1, 0.5, 0.7}
	none := make([]bool, 6)
	for i, want := range []float64{4, 1, 4, 6, 4, 2} {
		assert.Equalf(t, want, Rank(scores, i, none), "answer %d", i)
	}
	assert.Equal(t, 2.5, Rank(scores, 0, []bool{true, true, true, false, false, false}), "0 counts though it is marked")
}

func TestRanking(t *testing.T) {
	var r Ranking
	assert.Zero(t, r.MRR())
	for _, rank := range []float64{1, 2.5, 4, 10} {
		r.Add(rank)
	}
	assert.InDelta(t, (1+0.4+0.25+0.1)/4, r.MRR(), 1e-15)
	for k, want := range map[int]float64{1: 0.25, 2: 0.25, 3: 0.5, 10: 1} {
		assert.Equal(t, want, r.Hits(k))
	}
}
