package rulemining

import (
	"iter"
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
	g       *Graph
	walker  *walker
	raw     []firing
	place   []int32 // of each entity in Fired, valid where stamp is now
	stamp   []uint32
	now     uint32
	highest []int8 // level of each cluster for one entity, −1 for none
	counts  []int32
}

// firing is a rule that holds for an entity as the answer. rule is its place in the model's Paths, byProperty or
// byConstant; level is −1 if the rule does not count for a fact that is left out.
type firing struct {
	e, cluster, rule int32
	level            int8
}

// work bounds the edges that path rules look at for one query. Rules beyond it do not fire.
const work = 2_000_000

// NewFirer returns a Firer for a graph.
func NewFirer(g *Graph) *Firer {
	return &Firer{g: g, walker: newWalker(g), place: make([]int32, g.Entities), stamp: make([]uint32, g.Entities)}
}

// Fire applies the rules of a model. The result is valid until the next call.
func (f *Firer) Fire(m *Model, q Query, out *Fired) {
	f.fire(m, q)
	f.gather(m, out)
}

// fire lists in f.raw the rules that hold.
func (f *Firer) fire(m *Model, q Query) {
	f.raw = f.raw[:0]
	f.paths(m, q)
	f.properties(m, q)
	f.constants(m, q)
}

// paths walks from the given entity along all bodies at once.
func (f *Firer) paths(m *Model, q Query) {
	f.walker.work = 0
	own := Forward(m.Relation) ^ Step(q.Side)
	var visit func(t *trie, depth int)
	visit = func(t *trie, depth int) {
		for _, next := range t.next {
			if f.walker.work > work || !f.walker.step(depth, q.Given, next.step, work) {
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
					l := m.pathLevel[r]
					if e == q.Own {
						l = m.pathOwn[r]
					}
					f.raw = append(f.raw, firing{e, m.pathCluster[r], r, l})
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
func (c *ConstantRule) level(own, alone bool) int8 {
	support, known := c.Support, c.Known
	if own {
		support--
	}
	if alone {
		known--
	}
	if support < minSupport {
		return -1
	}
	return level(Confidence(support, known), &Levels)
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
			f.raw = append(f.raw, firing{c.Constant, cluster, int32(i), c.level(c.Constant == q.Own, alone)})
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
		plain := c.level(false, false)
		for _, e := range f.g.Holders(c.Property) {
			l := plain
			if e == q.Own {
				l = c.level(true, aloneOwn)
			}
			f.raw = append(f.raw, firing{e, cluster, int32(i), l})
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
	f.raw = slices.DeleteFunc(f.raw, func(r firing) bool { return r.level < 0 })
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

// Score fills scores, one for each entity of the graph, with the scores for a query by some weights, of which cumulative
// is what Cumulative returns.
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
	for i, e := range fired.Entities {
		for _, x := range fired.Of(i) {
			scores[e] += cumulative[x]
		}
	}
}

// Cumulative returns for each feature, cluster·len(Levels) + level, the sum of the
// weights of its cluster up to its level.
func Cumulative(weights []float64) []float64 {
	sum := slices.Clone(weights)
	for i := range sum {
		if i%len(Levels) > 0 {
			sum[i] += sum[i-1]
		}
	}
	return sum
}

// Graph returns the graph.
func (f *Firer) Graph() *Graph { return f.g }

// Proposed yields the path rules of a model that hold for an answer to a query, with the answer. A rule whose only examples
// are with the fact that is left out is among them.
func (f *Firer) Proposed(m *Model, q Query) iter.Seq2[int32, int32] {
	f.raw = f.raw[:0]
	f.paths(m, q)
	return func(yield func(rule, e int32) bool) {
		for _, r := range f.raw {
			if !yield(r.rule, r.e) {
				return
			}
		}
	}
}
