package circuit

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
)

// MostProbable finds the values of the given variables, in increasing order,
// whose weighted model count, summed over all other variables, is largest:
//
//	argmax_q Σ_{worlds with q} Π w.
//
// The search extends the prefix of largest mass first. As the mass of a prefix
// bounds the mass of every extension, the first complete assignment it takes from the queue
// is a best one; ties go to the assignment found first, which is the
// same in every call. After limit extensions (0: one million) it goes on
// greedily and returns exact = false: outputs near uniform over many variables
// have no shortcut. It is an error when ctx ends before, or when the count is
// not finite.
func (c *Circuit) MostProbable(ctx context.Context, w []float64, query []int, limit int) (values []int, count float64, exact bool, err error) {
	limit = cmp.Or(limit, 1e6)
	c.Up(w)
	for n, v := range c.count { // the mass below n
		c.count[n] = number{v.x * math.Exp(v.power), 0}
	}
	root := int32(len(c.count) - 1)
	if !(c.count[root].x < math.Inf(1)) {
		return nil, 0, false, fmt.Errorf("circuit: the weighted count is %v", c.count[root].x)
	}
	q := &queue{{mass: c.count[root].x, states: map[int32]float64{root: 1}}}
	made := 0
	for extended := 0; ; extended++ {
		if err := ctx.Err(); err != nil {
			return nil, 0, false, err
		}
		best := heap.Pop(q).(*prefix)
		if len(best.values) == len(query) {
			return best.values, best.mass, extended <= limit, nil
		}
		if extended >= limit {
			*q = (*q)[:0]
		}
		for _, next := range c.extend(best, query[len(best.values)]) {
			made++
			next.id = made
			heap.Push(q, next)
		}
	}
}

// prefix is an assignment of the first query variables: the weight that arrives
// at each node of the next level, and the mass, the sum of weight times value.
type prefix struct {
	values []int
	mass   float64
	states map[int32]float64
	id     int
}

// extend sums out the variables before the query variable and returns one
// prefix for each of its values that some world has.
func (c *Circuit) extend(old *prefix, variable int) []*prefix {
	here := old.states
	for {
		nodes := slices.Sorted(maps.Keys(here)) // all read the same variable
		level := c.level[nodes[0]]
		next := make(map[int32]float64)
		byValue := make([]map[int32]float64, c.offset[level+1]-c.offset[level])
		// Nodes in ascending order: sums must not depend on the map's order.
		for _, n := range nodes {
			for e := c.first[n]; e < c.first[n+1]; e++ {
				to := next
				if int(level) == variable {
					v := int(c.input[e]) - c.offset[level]
					if byValue[v] == nil {
						byValue[v] = make(map[int32]float64)
					}
					to = byValue[v]
				}
				to[c.below[e]] += here[n] * c.w[c.input[e]].x
			}
		}
		if int(level) < variable {
			here = next
			continue
		}
		var out []*prefix
		for v, states := range byValue {
			mass := 0.0
			for _, n := range slices.Sorted(maps.Keys(states)) {
				mass += states[n] * c.count[n].x
			}
			if states != nil {
				values := append(append([]int(nil), old.values...), v)
				out = append(out, &prefix{values: values, mass: mass, states: states})
			}
		}
		return out
	}
}
