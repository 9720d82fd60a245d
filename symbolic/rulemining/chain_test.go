package rulemining

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// turns are stories on a circle of five places: relation k leads k places on. The facts asked for are the
// turns from the first entity to the last.
func turns(rng *rand.Rand, from int32, stories, steps int) (told, asked []Triple) {
	for range stories {
		total := int32(0)
		for i := range int32(steps) {
			k := rng.Int32N(5)
			total = (total + k) % 5
			told = append(told, Triple{from + i, k, from + i + 1})
		}
		asked = append(asked, Triple{from, total, from + int32(steps)})
		from += int32(steps) + 1
	}
	return told, asked
}

// Rules found in stories of two steps answer stories of seven.
func TestChains(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	told, asked := turns(rng, 0, 400, 2)
	long, questions := turns(rng, 1200, 20, 7)
	const entities = 1200 + 20*8
	g := NewGraph(entities, 5, append(append(told, asked...), long...))
	s, err := NewSearch(g, NewGraph(entities, 5, asked), Settings{Length: 2})
	require.NoError(t, err)
	for range 3 {
		require.NoError(t, s.Round(context.Background(), nil))
	}
	c := NewChainer(g, s)
	for _, q := range questions {
		values, ok := c.Between(q.Head, q.Tail, 100)
		require.True(t, ok)
		for r, v := range values {
			if int32(r) != q.Relation {
				assert.Less(t, v, values[q.Relation], "%v: relation %d", q, r)
			}
		}
	}
	_, ok := c.Between(questions[0].Head, questions[0].Tail, 5)
	assert.False(t, ok, "eight entities are more than five")
}

// What follows from facts that are connected is found once for all questions about them.
func TestChainsAreFollowedOnce(t *testing.T) {
	g := NewGraph(5, 2, []Triple{{0, 0, 1}, {1, 0, 2}, {3, 0, 4}})
	c := &Chainer{g: g, two: map[[2]Step][]conclusion{{Forward(0), Forward(0)}: {{1, 0.5}}}}
	for _, q := range []struct {
		from, to int32
		want     []float64
	}{{0, 2, []float64{0, 0.5}}, {0, 1, []float64{1, 0}}, {1, 2, []float64{1, 0}}, {2, 0, []float64{0, 0}}, {3, 4, []float64{1, 0}}, {0, 2, []float64{0, 0.5}}} {
		before := c.last
		values, ok := c.Between(q.from, q.to, 3)
		require.True(t, ok)
		assert.Equal(t, q.want, values, "%v", q)
		if before != nil && (q.from < 3) == before.seen[0] {
			assert.Same(t, before, c.last, "%v", q)
		}
	}
}

// The value on a chain is the largest product over all ways to put brackets.
func TestChainIsTheBestDerivation(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 30 {
		const relations, steps = 3, 5
		var told []Triple
		for i := range int32(steps) {
			told = append(told, Triple{i, rng.Int32N(relations), i + 1})
		}
		g := NewGraph(steps+1, relations, told)
		c := &Chainer{g: g, two: map[[2]Step][]conclusion{}}
		for a := range int32(relations) {
			for b := range int32(relations) {
				for r := range int32(relations) {
					if rng.IntN(2) == 0 {
						c.two[[2]Step{Forward(a), Forward(b)}] = append(c.two[[2]Step{Forward(a), Forward(b)}], conclusion{r, rng.Float64()})
					}
				}
			}
		}
		var best func(i, j int) [relations]float64
		best = func(i, j int) (out [relations]float64) {
			if j == i+1 {
				out[told[i].Relation] = 1
				return out
			}
			for k := i + 1; k < j; k++ {
				left, right := best(i, k), best(k, j)
				for a, x := range left {
					for b, y := range right {
						for _, conclude := range c.two[[2]Step{Forward(int32(a)), Forward(int32(b))}] {
							out[conclude.relation] = max(out[conclude.relation], x*y*conclude.value)
						}
					}
				}
			}
			return out
		}
		want := best(0, steps)
		values, ok := c.Between(0, steps, 100)
		require.True(t, ok)
		assert.InDeltaSlice(t, want[:], values, 1e-12)
	}
}
