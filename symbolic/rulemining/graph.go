package rulemining

import (
	"cmp"
	"slices"
)

// Triple is a fact Relation(Head, Tail), or an atom of a rule. Entities and relations are numbered from 0; an end below 0
// is a variable.
type Triple struct{ Head, Relation, Tail int32 }

// Ends returns the end that is given where the tail (side 0) or the head (side 1) is asked for, and the end asked for.
func (t Triple) Ends(side int) (given, asked int32) {
	if side == 1 {
		return t.Tail, t.Head
	}
	return t.Head, t.Tail
}

// Step is a relation with the direction in which it is walked: 2r from head to tail of relation
// r, 2r + 1 from tail to head.
type Step int32

// Forward returns the step from head to tail of relation r.
func Forward(r int32) Step { return Step(2 * r) }

// Back returns the same relation walked in the other direction.
func (s Step) Back() Step { return s ^ 1 }

// Relation returns the relation and whether it is walked from tail to head.
func (s Step) Relation() (r int32, inverse bool) { return int32(s >> 1), s&1 == 1 }

// Graph is a set of facts, indexed by entity and step. The neighbours of an entity by one step
// are a shelf: a sorted list without repetitions. Shelves are numbered, and a shelf also stands
// for a property: the members of the shelf of entity d and step s are the entities x with
// the fact s.Back()(x, d). A Graph does not change and may be read by many goroutines.
type Graph struct {
	Entities, Relations int

	first   []int32 // first shelf of each entity, and the end
	step    []Step  // of each shelf
	owner   []int32 // entity of each shelf
	begin   []int32 // first neighbour of each shelf, and the end
	near    []int32 // neighbours
	back    []int32 // for neighbour y of entity x by step s: the shelf of y and s.Back()
	domain  [][]int32
	pairEnd []int32 // for each entity, its edges sorted by neighbour
	pairTo  []int32
	pairBy  []Step
}

// NewGraph indexes facts. Repeated facts count once. Numbers that are out of range panic.
func NewGraph(entities, relations int, facts []Triple) *Graph {
	type edge struct {
		from int32
		by   Step
		to   int32
	}
	edges := make([]edge, 0, 2*len(facts))
	for _, f := range facts {
		s := Forward(f.Relation)
		edges = append(edges, edge{f.Head, s, f.Tail}, edge{f.Tail, s.Back(), f.Head})
	}
	slices.SortFunc(edges, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.by, b.by), cmp.Compare(a.to, b.to))
	})
	edges = slices.Compact(edges)
	g := &Graph{Entities: entities, Relations: relations, first: make([]int32, entities+1), domain: make([][]int32, 2*relations)}
	at := 0
	for e := range int32(entities) {
		g.first[e] = int32(len(g.step))
		for ; at < len(edges) && edges[at].from == e; at++ {
			if n := len(g.step); n == int(g.first[e]) || g.step[n-1] != edges[at].by {
				g.step, g.owner, g.begin = append(g.step, edges[at].by), append(g.owner, e), append(g.begin, int32(len(g.near)))
				g.domain[edges[at].by] = append(g.domain[edges[at].by], e)
			}
			g.near = append(g.near, edges[at].to)
		}
	}
	g.first[entities], g.begin = int32(len(g.step)), append(g.begin, int32(len(g.near)))
	g.back = make([]int32, len(g.near))
	for shelf := range g.step {
		for i := g.begin[shelf]; i < g.begin[shelf+1]; i++ {
			g.back[i] = int32(g.Shelf(g.near[i], g.step[shelf].Back()))
		}
	}
	slices.SortFunc(edges, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.by, b.by))
	})
	g.pairEnd = make([]int32, entities+1)
	for _, e := range edges {
		g.pairTo, g.pairBy = append(g.pairTo, e.to), append(g.pairBy, e.by)
		g.pairEnd[e.from+1]++
	}
	for e := range entities {
		g.pairEnd[e+1] += g.pairEnd[e]
	}
	return g
}

// Shelf returns the number of the shelf of an entity and a step, or −1 where it is empty.
func (g *Graph) Shelf(e int32, s Step) int {
	at, n := int(g.first[e]), int(g.first[e+1]-g.first[e])
	if n == 0 {
		return -1
	}
	for n > 1 { // without a branch that depends on the steps
		half := n / 2
		if g.step[at+half] <= s {
			at += half
		}
		n -= half
	}
	if g.step[at] == s {
		return at
	}
	return -1
}

// Members returns the neighbours on a shelf, in ascending order. The caller must not change them.
func (g *Graph) Members(shelf int) []int32 { return g.near[g.begin[shelf]:g.begin[shelf+1]] }

// Near returns the neighbours of an entity by a step, in ascending order.
func (g *Graph) Near(e int32, s Step) []int32 {
	if shelf := g.Shelf(e, s); shelf >= 0 {
		return g.Members(shelf)
	}
	return nil
}

// Domain returns the entities that have a neighbour by a step, in ascending order.
func (g *Graph) Domain(s Step) []int32 { return g.domain[s] }

// Has reports whether the step leads from one entity to the other.
func (g *Graph) Has(from int32, s Step, to int32) bool {
	_, ok := slices.BinarySearch(g.Near(from, s), to)
	return ok
}

// Degree returns the number of facts of an entity; a fact of an entity with itself counts twice.
func (g *Graph) Degree(e int32) int { return int(g.pairEnd[e+1] - g.pairEnd[e]) }

// edge returns the i-th edge of an entity.
func (g *Graph) edge(e int32, i int) (Step, int32) {
	return g.pairBy[int(g.pairEnd[e])+i], g.pairTo[int(g.pairEnd[e])+i]
}

// Between returns the steps that lead from one entity to another.
func (g *Graph) Between(from, to int32) []Step {
	list := g.pairTo[g.pairEnd[from]:g.pairEnd[from+1]]
	lo, ok := slices.BinarySearch(list, to)
	if !ok {
		return nil
	}
	hi := lo
	for hi < len(list) && list[hi] == to {
		hi++
	}
	return g.pairBy[int(g.pairEnd[from])+lo : int(g.pairEnd[from])+hi]
}

// Property is a condition on one entity x: a shelf (x has one given fact with one given entity),
// or, after the shelves, a step (x has some fact with it).
type Property int32

// Properties returns the number of properties.
func (g *Graph) Properties() int { return len(g.step) + len(g.domain) }

// Holders returns the entities that have a property.
func (g *Graph) Holders(p Property) []int32 {
	if int(p) < len(g.step) {
		return g.Members(int(p))
	}
	return g.domain[int(p)-len(g.step)]
}

// Of returns the step of a property, and the entity that it leads to, or −1 for any.
func (g *Graph) Of(p Property) (Step, int32) {
	if int(p) < len(g.step) {
		return g.step[p].Back(), g.owner[p]
	}
	return Step(int(p) - len(g.step)), -1
}

// EachProperty calls f for all properties of an entity.
func (g *Graph) EachProperty(e int32, f func(Property)) {
	for shelf := g.first[e]; shelf < g.first[e+1]; shelf++ {
		f(Property(len(g.step) + int(g.step[shelf])))
		for _, p := range g.back[g.begin[shelf]:g.begin[shelf+1]] {
			f(Property(p))
		}
	}
}
