package evaluate

import (
	"math"
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
		r = append(r, rank)
	}
	assert.InDelta(t, (1+0.4+0.25+0.1)/4, r.MRR(), 1e-15)
	for k, want := range map[int]float64{1: 0.25, 2: 0.25, 3: 0.5, 10: 1} {
		assert.Equal(t, want, r.Hits(k))
	}
}

// PyKEEN 1.11.1 gives these figures for these scores (in eighths, so that there are ties): its rank-based
// evaluator with filtering, side tail, type realistic. Each true answer of a query is ranked with the others
// left out.
func TestRankingOfPyKEEN(t *testing.T) {
	scores := [][]float64{
		{7, 5, 5, 7, 4, 6, 6, 1, 0, 2, 2, 6, 7, 0, 3}, {6, 1, 6, 0, 3, 6, 2, 2, 2, 5, 2, 7, 3, 3, 4},
		{4, 4, 4, 7, 6, 6, 5, 4, 2, 7, 3, 1, 6, 1, 6}, {4, 0, 0, 3, 0, 1, 4, 7, 3, 6, 7, 6, 5, 3, 4},
		{2, 3, 3, 1, 7, 0, 0, 1, 7, 5, 7, 1, 5, 2, 3}, {0, 4, 6, 5, 1, 4, 2, 7, 7, 1, 4, 7, 6, 5, 5},
		{0, 5, 3, 0, 1, 4, 5, 4, 4, 6, 5, 2, 5, 4, 0}, {0, 5, 3, 4, 2, 1, 1, 3, 6, 3, 3, 4, 7, 3, 4},
		{3, 4, 3, 5, 4, 5, 7, 1, 4, 3, 2, 1, 0, 3, 6}, {0, 3, 7, 7, 1, 0, 5, 0, 2, 3, 6, 0, 5, 4, 1},
		{6, 6, 3, 7, 4, 7, 7, 4, 2, 1, 4, 1, 6, 7, 1}, {4, 0, 1, 3, 7, 7, 5, 4, 4, 0, 3, 7, 3, 1, 1},
	}
	answers := [][]int{
		{0, 13, 14}, {4, 6, 12, 14}, {0, 4, 11}, {1, 13}, {1, 5, 7}, {0, 4, 8},
		{4, 7, 11, 14}, {1, 4, 5, 13}, {2, 9, 10}, {0, 9, 12, 14}, {1, 3, 6, 10}, {1, 2, 4, 5},
	}
	var r Ranking
	sum := 0.0
	for q, list := range answers {
		drop := make([]bool, len(scores[q]))
		for _, i := range list {
			drop[i] = true
		}
		for _, i := range list {
			rank := Rank(scores[q], i, drop)
			r = append(r, rank)
			sum += rank
		}
	}
	assert.InDelta(t, 0.1896718442440033, r.MRR(), 1e-7) // of single precision
	assert.InDelta(t, 7.902439117431641, sum/float64(len(r)), 1e-6)
	assert.Zero(t, r.Hits(1))
	assert.InDelta(t, 0.17073170731707318, r.Hits(3), 1e-7)
	assert.InDelta(t, 0.7317073170731707, r.Hits(10), 1e-7)
}

// TestRankOfNothing: a score that is not a number is the last, and shares the place with others.
func TestRankOfNothing(t *testing.T) {
	nan, none := math.NaN(), make([]bool, 3)
	assert.Equal(t, 3., Rank([]float64{nan, .5, .3}, 0, none))
	assert.Equal(t, 1., Rank([]float64{nan, .5, .3}, 1, none))
	assert.Equal(t, 2., Rank([]float64{nan, nan, nan}, 1, none))
}
