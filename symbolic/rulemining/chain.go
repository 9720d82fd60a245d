package rulemining

// Chainer applies path rules of two steps again and again: facts that follow count as facts for further
// rules.
//
// The value of a fact of the graph is 1, and that of one that follows the largest product of the confidences of
// the rules of its derivation. A Chainer keeps what it found last and is used by one goroutine.
type Chainer struct {
	g    *Graph
	two  map[[2]Step][]conclusion
	last *values // of the entities that were asked about last
}

type conclusion struct {
	relation int32
	value    float64
}

// NewChainer takes the rules of two steps of a search.
func NewChainer(g *Graph, s *Search) *Chainer {
	c := &Chainer{g: g, two: map[[2]Step][]conclusion{}}
	for r, state := range s.State {
		for _, p := range state.Rules.Paths {
			if p.Len() == 2 {
				key := [2]Step{p.Body[0], p.Body[1]}
				c.two[key] = append(c.two[key], conclusion{int32(r), Confidence(p.Support, p.Known)})
			}
		}
	}
	return c
}

// values are those of the facts that follow so far among entities that facts connect, with the edges of each entity.
type values struct {
	seen  map[int32]bool // the entities
	of    map[Triple]float64
	edges map[int32][]edgeTo
	open  []Triple // facts whose value has risen since rules were applied to them
}

type edgeTo struct {
	step Step
	to   int32
}

// raise gives a fact a value if it is above the one that it has.
func (v *values) raise(t Triple, value float64) {
	before, known := v.of[t]
	if value <= before {
		return
	}
	if s := Forward(t.Relation); !known {
		v.edges[t.Head] = append(v.edges[t.Head], edgeTo{s, t.Tail})
		v.edges[t.Tail] = append(v.edges[t.Tail], edgeTo{s.Back(), t.Head})
	}
	v.of[t] = value
	v.open = append(v.open, t)
}

// edge returns the value of an edge of an entity.
func (v *values) edge(e int32, to edgeTo) float64 {
	return v.of[Atom(to.step, e, to.to)]
}

// Between returns the value of each relation from one entity to another, 0 where it does not follow.
// It is false if facts connect the entity with limit others or more. A fact of the graph between the two is
// used like any other.
func (c *Chainer) Between(from, to int32, limit int) ([]float64, bool) {
	if c.last == nil || !c.last.seen[from] {
		if c.last = c.follow(from, limit); c.last == nil {
			return nil, false
		}
	}
	if len(c.last.seen) > limit {
		return nil, false
	}
	out := make([]float64, c.g.Relations)
	for r := range out {
		out[r] = c.last.of[Triple{from, int32(r), to}]
	}
	return out, true
}

// follow returns the values of all facts that follow among the entities that facts connect with one, nil if limit
// others or more are.
func (c *Chainer) follow(from int32, limit int) *values {
	seen := map[int32]bool{from: true}
	v := &values{seen: seen, of: map[Triple]float64{}, edges: map[int32][]edgeTo{}}
	for list := []int32{from}; len(list) > 0; list = list[1:] {
		for i := range c.g.Degree(list[0]) {
			s, near := c.g.edge(list[0], i)
			if !seen[near] {
				if len(seen) == limit {
					return nil
				}
				seen[near], list = true, append(list, near)
			}
			v.raise(Atom(s, list[0], near), 1)
		}
	}
	for ; len(v.open) > 0; v.open = v.open[1:] {
		t := v.open[0]
		c.join(v, t.Head, edgeTo{Forward(t.Relation), t.Tail})
		c.join(v, t.Tail, edgeTo{Forward(t.Relation).Back(), t.Head})
	}
	return v
}

// join applies rules to the edge from x and the edges before and after it.
func (c *Chainer) join(v *values, x int32, e edgeTo) {
	if e.to == x { // all variables of a rule stand for different entities
		return
	}
	value := v.edge(x, e)
	conclude := func(a int32, first, second Step, b int32, value float64) {
		for _, k := range c.two[[2]Step{first, second}] {
			v.raise(Triple{a, k.relation, b}, value*k.value)
		}
	}
	for _, next := range v.edges[e.to] {
		if next.to != x && next.to != e.to {
			conclude(x, e.step, next.step, next.to, value*v.edge(e.to, next))
		}
	}
	for _, before := range v.edges[x] {
		if before.to != x && before.to != e.to {
			conclude(before.to, before.step.Back(), e.step, e.to, value*v.edge(x, before))
		}
	}
}
