package sparse

import (
	"math/rand/v2"
	"slices"
)

// Separators are found as by Karypis and Kumar (SIAM Journal on Scientific Computing 20,
// 1998): pairs of vertices are contracted until few are left, a separator of those is
// grown, and on the way back to the graph itself it is improved after each step, see
// refiner.

// inSeparator marks the vertices of a separator; the two sides are 0 and 1.
const inSeparator = 2

const (
	// Graphs of up to fewVertices vertices are contracted in attempts different ways, and the
	// best separator counts. Trees of separators are better by a third than with one way. Four
	// ways for larger graphs too would gain a tenth more and take twice as long.
	fewVertices, attempts = 500, 10
	// coarsest is the number of vertices down to which pairs are contracted, and slowest
	// the reduction that is not worth it any more.
	coarsest, slowest = 40, 0.95
	// starts is the number of places from which the first separator is grown.
	starts = 8
)

// separate tells the side of each vertex of the graph.
func (g *graph) separate() []int8 {
	if g.len() > fewVertices {
		if r := g.fromCoarser(rand.New(rand.NewPCG(0, 0)), (*graph).separate); r != nil {
			return r.side
		}
	}
	var best *refiner
	for k := range uint64(attempts) {
		if r := g.attempt(rand.New(rand.NewPCG(1, k))); best == nil || r.cost() < best.cost() {
			best = r
		}
	}
	return best.side
}

// attempt returns a separator that is found by one sequence of contractions.
func (g *graph) attempt(rng *rand.Rand) *refiner {
	if g.len() > coarsest {
		if r := g.fromCoarser(rng, func(c *graph) []int8 { return c.attempt(rng).side }); r != nil {
			return r
		}
	}
	var best *refiner
	for k := range starts {
		r := newRefiner(g, g.grow(int32(k*g.len()/starts)))
		r.run()
		if best == nil || r.cost() < best.cost() {
			best = r
		}
	}
	return best
}

// fromCoarser improves the separator of a contracted graph, nil if that is hardly smaller.
func (g *graph) fromCoarser(rng *rand.Rand, separate func(*graph) []int8) *refiner {
	c, to := g.contract(rng)
	if float64(c.len()) > slowest*float64(g.len()) {
		return nil
	}
	coarse, side := separate(c), make([]int8, g.len())
	for v, u := range to {
		side[v] = coarse[u]
	}
	r := newRefiner(g, side)
	r.run()
	return r
}

// grow takes vertices into side 0, breadth first from a vertex far away from v, until they
// have half of the weight. The vertices that border on side 0 become the separator.
func (g *graph) grow(v int32) []int8 {
	queue := g.reach(v, g.total, nil)
	side := slices.Repeat([]int8{1}, g.len())
	queue = g.reach(queue[len(queue)-1], g.total/2, func(u int32) { side[u] = inSeparator })
	for _, u := range queue {
		side[u] = 0
	}
	return side
}

// reach returns vertices of about the given weight, breadth first from one, and calls touch
// for these and their neighbours.
func (g *graph) reach(from, weight int32, touch func(v int32)) []int32 {
	seen, queue := make([]bool, g.len()), make([]int32, 0, g.len())
	see := func(v int32) {
		if !seen[v] {
			seen[v] = true
			queue = append(queue, v)
			if touch != nil {
				touch(v)
			}
		}
	}
	see(from)
	at, other := 0, int32(0)
	for ; at == 0 || weight > 0; at++ {
		for ; at == len(queue); other++ {
			see(other) // of another component
		}
		u := queue[at]
		weight -= g.weight[u]
		for _, w := range g.neighbours(u) {
			see(w)
		}
	}
	return queue[:at]
}
