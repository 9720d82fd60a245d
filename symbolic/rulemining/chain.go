package rulemining

import (
	"container/heap"
)

// Chainer applies path rules of two steps again and again: facts that follow count as facts for further
// rules. It belongs to one goroutine.
//
// The value of a fact of the graph is 1, and that of one that follows the largest product of the confidences of
// the rules of its derivation. All rules lower the value, so that facts are final in order of
// their values, as distances are in Dijkstra's algorithm.
type Chainer struct {
	g      *Graph
	two    map[[2]Step][]conclusion
	values map[Triple]float64
	from   map[int32][]edgeTo // final facts by entity
}

type conclusion struct {
	relation int32
	value    float64
}

type edgeTo struct {
	step  Step
	to    int32
	value float64
}

// NewChainer takes the rules of two steps of a search.
func NewChainer(g *Graph, s *Search) *Chainer {
	c := &Chainer{g: g, two: map[[2]Step][]conclusion{}}
	for r := range int32(g.Relations) {
		for _, p := range s.Rules(r).Paths {
			if p.Len() == 2 {
				key := [2]Step{p.Body[0], p.Body[1]}
				c.two[key] = append(c.two[key], conclusion{r, Confidence(p.Support, p.Known, s.Settings.Penalty)})
			}
		}
	}
	return c
}

// Component returns the entities that facts connect with one, itself included, or false if there are more than limit.
func (g *Graph) Component(e int32, limit int) ([]int32, bool) {
	seen := map[int32]bool{e: true}
	list := []int32{e}
	for i := 0; i < len(list); i++ {
		for j := range g.Degree(list[i]) {
			if _, to := g.edge(list[i], j); !seen[to] {
				if len(list) == limit {
					return nil, false
				}
				seen[to] = true
				list = append(list, to)
			}
		}
	}
	return list, true
}

// Between returns the value of each relation from one entity to another, 0 where it does not follow.
// It is false if facts connect the entity with more than limit others. A fact of the graph between the two is
// used like any other.
func (c *Chainer) Between(from, to int32, limit int) ([]float64, bool) {
	entities, ok := c.g.Component(from, limit)
	if !ok {
		return nil, false
	}
	c.values, c.from = map[Triple]float64{}, map[int32][]edgeTo{}
	var open queue
	for _, e := range entities {
		for i := range c.g.Degree(e) {
			if s, near := c.g.edge(e, i); s&1 == 0 {
				open.list = append(open.list, derived{Triple{e, int32(s >> 1), near}, 1})
			}
		}
	}
	heap.Init(&open)
	values := make([]float64, c.g.Relations)
	for len(open.list) > 0 {
		d := heap.Pop(&open).(derived)
		if _, final := c.values[d.Triple]; final {
			continue
		}
		c.values[d.Triple] = d.value
		if d.Head == from && d.Tail == to {
			values[d.Relation] = d.value
		}
		forward := Forward(d.Relation)
		c.join(&open, d.Head, forward, d.Tail, d.value)
		c.join(&open, d.Tail, forward.Back(), d.Head, d.value)
	}
	return values, true
}

// join makes a step final and adds what follows from it and final steps before and after it.
func (c *Chainer) join(open *queue, x int32, s Step, y int32, value float64) {
	add := func(a int32, first, second Step, b int32, value float64) {
		for _, k := range c.two[[2]Step{first, second}] {
			t := Triple{a, k.relation, b}
			if _, final := c.values[t]; !final {
				heap.Push(open, derived{t, value * k.value})
			}
		}
	}
	for _, next := range c.from[y] {
		if next.to != x && next.to != y {
			add(x, s, next.step, next.to, value*next.value)
		}
	}
	for _, before := range c.from[x] {
		if before.to != x && before.to != y {
			add(before.to, before.step.Back(), s, y, value*before.value)
		}
	}
	c.from[x] = append(c.from[x], edgeTo{s, y, value})
}

// derived is a fact with its value; a queue gives the largest value first, and among equals the
// smallest numbers.
type derived struct {
	Triple
	value float64
}

type queue struct{ list []derived }

func (q *queue) Len() int { return len(q.list) }
func (q *queue) Less(i, j int) bool {
	a, b := q.list[i], q.list[j]
	switch {
	case a.value != b.value:
		return a.value > b.value
	case a.Head != b.Head:
		return a.Head < b.Head
	case a.Tail != b.Tail:
		return a.Tail < b.Tail
	}
	return a.Relation < b.Relation
}
func (q *queue) Swap(i, j int) { q.list[i], q.list[j] = q.list[j], q.list[i] }
func (q *queue) Push(x any)    { q.list = append(q.list, x.(derived)) }
func (q *queue) Pop() any {
	last := q.list[len(q.list)-1]
	q.list = q.list[:len(q.list)-1]
	return last
}
