package rulemining

import (
	"slices"
	"sort"
)

// Query asks for the missing end of a fact of a model's relation. Side 0 gives the head and asks
// for the tail, side 1 gives the tail and asks for the head.
type Query struct {
	Side  int
	Given int32
	// Own is the entity whose fact with Given is to be left out of the graph, or −1: the answer
	// of a fact that is in the graph.
	Own int32
}

// Fired lists the entities that rules propose as answers, and for each the clusters that fire, as
// cluster·len(Levels) + level. The popularity of an entity is not in it.
type Fired struct {
	Entities []int32
	Begin    []int32 // of the features of each entity, and the end
	Features []int32
}

// Of returns the features of the i-th entity.
func (f *Fired) Of(i int) []int32 { return f.Features[f.Begin[i]:f.Begin[i+1]] }

// Firer applies the rules of models to queries. It belongs to one goroutine.
type Firer struct {
	g      *Graph
	walker *walker
	// Work bounds the edges that path rules look at for one query. Rules beyond it do not fire.
	Work int

	raw     []firing
	place   []int32 // of each entity in Fired, valid where stamp is now
	stamp   []uint32
	now     uint32
	highest []int8 // level of each cluster for one entity, −1 for none
	counts  []int32
	// each, if it is not nil, is called for each path rule that fires.
	each func(rule, e int32)
}

type firing struct {
	e, cluster int32
	level      int8
}

// NewFirer returns a Firer for a graph.
func NewFirer(g *Graph) *Firer {
	return &Firer{g: g, walker: newWalker(g), Work: 2_000_000, place: make([]int32, g.Entities), stamp: make([]uint32, g.Entities)}
}

// Fire applies the rules of a model. The result is valid until the next call.
func (f *Firer) Fire(m *Model, q Query, out *Fired) {
	f.raw = f.raw[:0]
	f.paths(m, q)
	f.properties(m, q)
	f.constants(m, q)
	f.gather(m, out)
}

// paths walks from the given entity along all bodies at once.
func (f *Firer) paths(m *Model, q Query) {
	f.walker.work = 0
	own := Forward(m.Relation) ^ Step(q.Side)
	var visit func(t *trie, depth int)
	visit = func(t *trie, depth int) {
		for _, next := range t.next {
			if f.walker.work > f.Work || !f.walker.step(depth, q.Given, next.step, f.Work) {
				return
			}
			l := &f.walker.levels[depth]
			if depth == 0 && next.step == own && q.Own >= 0 {
				if i := slices.Index(l.list, q.Own); i >= 0 {
					l.list = slices.Delete(l.list, i, i+1)
				}
			}
			if len(l.list) == 0 {
				continue
			}
			for _, r := range next.rules {
				for _, e := range l.list {
					if depth > 2 && l.closed(e) {
						continue
					}
					if f.each != nil {
						f.each(r, e)
					} else {
						l := m.pathLevel[r]
						if e == q.Own {
							l = m.pathOwn[r]
						}
						if l >= 0 {
							f.raw = append(f.raw, firing{e, m.pathCluster[r], l})
						}
					}
				}
			}
			if len(next.next) > 0 {
				visit(next, depth+1)
			}
		}
	}
	visit(m.tries[q.Side], 0)
}

// level returns the level of a rule with a constant for a pair of entities, or −1. A fact that is
// left out does not count, and a rule that would not have been found without it does not fire:
// otherwise such rules would be right for all facts that weights are learned from.
func (f *Firer) level(m *Model, c *ConstantRule, own, alone bool) int8 {
	support, known := c.Support, c.Known
	if own {
		support--
	}
	if alone {
		known--
	}
	if support < m.MinSupport {
		return -1
	}
	return level(Confidence(support, known, m.Penalty), &Levels)
}

// properties fires the rules whose body is about the given entity and whose constant is an
// answer.
func (f *Firer) properties(m *Model, q Query) {
	of := Forward(m.Relation) ^ Step(q.Side)
	list := m.byProperty[q.Side]
	alone := q.Own >= 0 && len(f.g.Near(q.Given, of)) == 1
	f.g.EachProperty(q.Given, func(p Property) {
		cluster, ok := m.propCluster[q.Side][p]
		if !ok {
			return
		}
		if q.Own >= 0 {
			if s, with := f.g.Of(p); s == of && with == q.Own {
				return
			}
		}
		i := sort.Search(len(list), func(i int) bool { return list[i].Property >= p })
		for ; i < len(list) && list[i].Property == p; i++ {
			c := &list[i]
			if l := f.level(m, c, c.Constant == q.Own, alone); l >= 0 {
				f.raw = append(f.raw, firing{c.Constant, cluster, l})
			}
		}
	})
}

// constants fires the rules whose constant is the given entity and whose body is about an answer.
func (f *Firer) constants(m *Model, q Query) {
	side := 1 - q.Side
	list := m.byConstant[side]
	aloneOwn := q.Own >= 0 && len(f.g.Near(q.Own, Forward(m.Relation)^Step(side))) == 1
	i := sort.Search(len(list), func(i int) bool { return list[i].Constant >= q.Given })
	for ; i < len(list) && list[i].Constant == q.Given; i++ {
		c := &list[i]
		cluster := m.propCluster[side][c.Property]
		plain := f.level(m, c, false, false)
		for _, e := range f.g.Holders(c.Property) {
			l := plain
			if e == q.Own {
				l = f.level(m, c, true, aloneOwn)
			}
			if l >= 0 {
				f.raw = append(f.raw, firing{e, cluster, l})
			}
		}
	}
}

// gather sorts what fired by entity and keeps the highest level of each cluster.
func (f *Firer) gather(m *Model, out *Fired) {
	if f.now++; f.now == 0 {
		clear(f.stamp)
		f.now = 1
	}
	out.Entities, out.Features = out.Entities[:0], out.Features[:0]
	f.counts = f.counts[:0]
	for _, r := range f.raw {
		if f.stamp[r.e] != f.now {
			f.stamp[r.e], f.place[r.e] = f.now, int32(len(out.Entities))
			out.Entities, f.counts = append(out.Entities, r.e), append(f.counts, 0)
		}
		f.counts[f.place[r.e]]++
	}
	// Counting sort of the firings by entity.
	sorted := make([]firing, len(f.raw))
	at := int32(0)
	for i, n := range f.counts {
		f.counts[i] = at
		at += n
	}
	for _, r := range f.raw {
		p := f.place[r.e]
		sorted[f.counts[p]] = r
		f.counts[p]++
	}
	if len(f.highest) < len(m.Clusters) {
		f.highest = make([]int8, len(m.Clusters))
		for i := range f.highest {
			f.highest[i] = -1
		}
	}
	out.Begin = append(out.Begin[:0], 0)
	from := int32(0)
	for _, to := range f.counts {
		part := sorted[from:to]
		for _, r := range part {
			k, l := r.cluster, r.level
			for ; ; k++ {
				if l > f.highest[k] {
					l, f.highest[k] = f.highest[k], l
				}
				if l < 0 || !m.more(k) {
					break
				}
			}
		}
		for _, r := range part {
			for k := r.cluster; ; k++ {
				if l := f.highest[k]; l >= 0 {
					out.Features = append(out.Features, k*int32(len(Levels))+int32(l))
					f.highest[k] = -1
				}
				if !m.more(k) {
					break
				}
			}
		}
		out.Begin = append(out.Begin, int32(len(out.Features)))
		from = to
	}
}

// more reports whether the next cluster is another slot.
func (m *Model) more(k int32) bool {
	return int(k)+1 < len(m.Clusters) && m.Clusters[k+1].Slot > 0
}

// Score fills scores, one for each entity of the graph, with the model's scores for a query.
func (f *Firer) Score(m *Model, q Query, cumulative []float64, scores []float64, fired *Fired) {
	f.Fire(m, q, fired)
	m.Sum(q, cumulative, scores, fired)
}

// Sum fills scores with the model's scores for a query that has been fired.
func (m *Model) Sum(q Query, cumulative []float64, scores []float64, fired *Fired) {
	base := cumulative[q.Side*len(Levels):]
	for e, l := range m.popularity[q.Side] {
		scores[e] = 0
		if l >= 0 {
			scores[e] = base[l]
		}
	}
	if q.Own >= 0 {
		scores[q.Own] = 0
		if l := m.popularLevel(q.Side, q.Own, 1); l >= 0 {
			scores[q.Own] = base[l]
		}
	}
	for i, e := range fired.Entities {
		for _, x := range fired.Of(i) {
			scores[e] += cumulative[x]
		}
	}
}

// Cumulative returns for each feature, cluster·len(Levels) + level, the sum of the
// weights of its cluster up to its level for queries of a side.
func (m *Model) Cumulative(side int) []float64 {
	sum := make([]float64, len(m.Weights[side]))
	for i, w := range m.Weights[side] {
		sum[i] = w
		if i%len(Levels) > 0 {
			sum[i] += sum[i-1]
		}
	}
	return sum
}

// Graph returns the graph.
func (f *Firer) Graph() *Graph { return f.g }

// Holding returns the path rules of a model that hold for a fact of the graph while it is left
// out, in their order.
func (f *Firer) Holding(m *Model, fact Triple) []int32 {
	var hold []int32
	f.Proposed(m, Query{Given: fact.Head, Own: fact.Tail}, func(rule, e int32) {
		if e == fact.Tail {
			hold = append(hold, rule)
		}
	})
	slices.Sort(hold)
	return hold
}

// Proposed calls each for all path rules of a model and the entities that they propose as answers.
func (f *Firer) Proposed(m *Model, q Query, each func(rule, e int32)) {
	f.raw, f.each = f.raw[:0], each
	f.paths(m, q)
	f.each = nil
}
