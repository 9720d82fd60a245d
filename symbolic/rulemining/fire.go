package rulemining

import (
	"iter"
	"slices"
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

// Firer applies the rules of models to queries. It belongs to one goroutine.
type Firer struct {
	// Entities are those that rules proposed as answers to the last query that was fired.
	Entities []int32

	g        *Graph
	walker   *walker
	begin    []int32 // of the features of each entity, and the end
	features []int32
	raw      []firing
	fired    []int32 // clusters and levels that fired, as features, those of each entity of Entities together
	ends     []int32 // of those of each entity
	place    []int32 // room for the place of each entity in Entities, −1 for none
	highest  []int8  // level of each cluster for one entity, −1 for none
	best     []int8  // level at each place for one entity, −1 for none
}

// firing is a rule that holds for an entity as the answer. rule is its place among the rules of its kind; level is −1
// if the rule does not count; grade is that of a path rule.
type firing struct {
	e, cluster, rule int32
	level, grade     int8
}

// work bounds the edges that path rules look at for one query. Rules beyond it do not fire.
const work = 2_000_000

// NewFirer returns a Firer for a graph.
func NewFirer(g *Graph) *Firer {
	return &Firer{g: g, walker: newWalker(g), place: slices.Repeat([]int32{-1}, g.Entities), best: slices.Repeat([]int8{-1}, Places)}
}

// Of returns the clusters that fired for the i-th entity, as cluster·len(Levels) + level. The popularity of the entity is
// not among them.
func (f *Firer) Of(i int) []int32 { return f.features[f.begin[i]:f.begin[i+1]] }

// Fire applies the rules of a model to a query.
func (f *Firer) Fire(m *Model, q Query) {
	f.raw = f.raw[:0]
	f.paths(m, q)
	f.properties(m, q)
	f.constants(m, q)
	f.gather(m)
}

// paths walks from the given entity along all bodies at once.
func (f *Firer) paths(m *Model, q Query) {
	f.walker.work = 0
	f.walker.start(q.Given)
	own := Forward(m.Relation) ^ Step(q.Side)
	fire := func(rules []int32, depth int) {
		l := &f.walker.levels[depth]
		for _, r := range rules {
			for _, e := range l.list {
				if depth > 3 && l.closed(e) {
					continue
				}
				levels, grade := &m.pathLevel[q.Side][r], l.grade(e)
				if e == q.Own {
					levels = &m.pathOwn[q.Side][r]
				}
				f.raw = append(f.raw, firing{e, m.pathCluster[r], r, levels[grade], grade})
			}
		}
	}
	var visit func(t *trie, depth int)
	visit = func(t *trie, depth int) {
		for _, next := range t.next {
			if f.walker.work > work || !f.walker.step(depth, next.step, work) {
				return
			}
			l := &f.walker.levels[depth]
			if depth == 1 && next.step == own && q.Own >= 0 {
				l.remove(func(e int32) bool { return e == q.Own })
			}
			if len(l.list) == 0 {
				continue
			}
			fire(next.rules, depth)
			if len(next.next) > 0 {
				visit(next, depth+1)
			}
		}
	}
	fire(m.tries[q.Side].rules, 0)
	visit(m.tries[q.Side], 1)
}

// level returns the level of a rule with a constant of a side for a pair of entities, or −1. A fact that is
// left out does not count, and a rule that would not have been found and kept without it does not fire:
// otherwise such rules would be right for all facts that weights are learned from.
func (m *Model) level(side int, c *ConstantRule, own, alone bool) int8 {
	support, known := c.Support, c.Known
	if own {
		support--
	}
	if alone {
		known--
	}
	confidence := Confidence(support, known)
	if support < minSupport || own && confidence < m.least(side, c.Constant) {
		return -1
	}
	return level(confidence, &Levels)
}

// least returns the lowest confidence with which a rule with a constant of a side is kept.
func (m *Model) least(side int, constant int32) float64 {
	least, all := minConfidence, m.Rules.Constants[side]
	if n := len(all); n == maxConstants {
		least = Confidence(all[n-1].Support, all[n-1].Known)
	}
	if of := m.byConstant[side][constant]; len(of) == maxConstant {
		last := &all[of[maxConstant-1]]
		least = max(least, Confidence(last.Support, last.Known))
	}
	return least
}

// properties fires the rules whose body is about the given entity and whose constant is an
// answer.
func (f *Firer) properties(m *Model, q Query) {
	of := Forward(m.Relation) ^ Step(q.Side)
	alone := q.Own >= 0 && len(f.g.Near(q.Given, of)) == 1
	f.g.EachProperty(q.Given, func(p Property) {
		if s, with := f.g.Of(p); q.Own >= 0 && s == of && with == q.Own {
			return
		}
		for _, i := range m.byProperty[q.Side][p] {
			c := &m.Rules.Constants[q.Side][i]
			f.raw = append(f.raw, firing{c.Constant, m.propCluster[q.Side][p], i, m.level(q.Side, c, c.Constant == q.Own, alone), 0})
		}
	})
}

// constants fires the rules whose constant is the given entity and whose body is about an answer.
func (f *Firer) constants(m *Model, q Query) {
	side := 1 - q.Side
	alone := q.Own >= 0 && len(f.g.Near(q.Own, Forward(m.Relation)^Step(side))) == 1
	for _, i := range m.byConstant[side][q.Given] {
		c := &m.Rules.Constants[side][i]
		cluster, plain := m.propCluster[side][c.Property], m.level(side, c, false, false)
		for _, e := range f.g.Holders(c.Property) {
			l := plain
			if e == q.Own {
				l = m.level(side, c, true, alone)
			}
			f.raw = append(f.raw, firing{e, cluster, i, l, 0})
		}
	}
}

// gather lists by entity what has fired, with the highest level of each cluster.
func (f *Firer) gather(m *Model) {
	f.Entities, f.begin, f.features, f.ends = f.Entities[:0], append(f.begin[:0], 0), f.features[:0], f.ends[:0]
	for i := range f.raw {
		r := &f.raw[i]
		if r.level < 0 {
			continue
		}
		if f.place[r.e] < 0 {
			f.place[r.e] = int32(len(f.Entities))
			f.Entities, f.ends = append(f.Entities, r.e), append(f.ends, 0)
		}
		f.ends[f.place[r.e]]++
	}
	n := int32(0)
	for i, count := range f.ends {
		f.ends[i] = n // where the next one is put, in the end the end
		n += count
	}
	f.fired = slices.Grow(f.fired[:0], int(n))[:n]
	for i := range f.raw {
		if r := &f.raw[i]; r.level >= 0 {
			end := &f.ends[f.place[r.e]]
			f.fired[*end] = r.cluster*int32(len(Levels)) + int32(r.level)
			*end++
		}
	}
	for len(f.highest) < len(m.Clusters) {
		f.highest = append(f.highest, -1)
	}
	for i, e := range f.Entities {
		f.place[e] = -1
		f.entity(m, i, -1)
		f.begin = append(f.begin, int32(len(f.features)))
	}
}

// entity appends the features of the i-th entity, as if there were not the rules of one cluster (−1 for none).
func (f *Firer) entity(m *Model, i int, without int32) {
	begin, from := len(f.features), int32(0)
	if i > 0 {
		from = f.ends[i-1]
	}
	fired := f.fired[from:f.ends[i]]
	for _, x := range fired {
		if k := x / int32(len(Levels)); k != without {
			insert(f.highest[k:][:m.slots[k]], int8(x%int32(len(Levels))))
		}
	}
	for _, x := range fired {
		k := x / int32(len(Levels))
		f.take(f.highest[k:][:m.slots[k]], k)
	}
	for _, x := range f.features[begin:] {
		insert(f.best, int8(x%int32(len(Levels))))
	}
	f.take(f.best, 1)
}

// insert puts a level in its place among levels that fall, and drops the lowest.
func insert(levels []int8, l int8) {
	for j := range levels {
		if l > levels[j] {
			l, levels[j] = levels[j], l
		}
	}
}

// take appends the levels of clusters from one on as features, and resets them.
func (f *Firer) take(levels []int8, cluster int32) {
	for j, l := range levels {
		if l >= 0 {
			f.features = append(f.features, (cluster+int32(j))*int32(len(Levels))+int32(l))
		}
		levels[j] = -1
	}
}

// Scores fills scores, one for each entity of the graph, with the scores for the query of a side that was fired last, by
// some weights, of which cumulative is what Cumulative returns.
func (f *Firer) Scores(m *Model, side int, cumulative []float64, scores []float64) {
	var prior [len(Levels) + 1]float64 // of what no rule proposes, by popularity
	var features []int32
	for i := range prior {
		features = Prior(features[:0], int8(i)-1)
		prior[i] = sum(cumulative, features)
	}
	for e, l := range m.popularity[side] {
		scores[e] = prior[l+1]
	}
	for i, e := range f.Entities {
		scores[e] += sum(cumulative, f.Of(i))
	}
}

// sum adds up what features are worth.
func sum(cumulative []float64, features []int32) (s float64) {
	for _, x := range features {
		s += cumulative[x]
	}
	return s
}

// Without changes what Scores has filled to the scores as if there were not the rules of one cluster.
func (f *Firer) Without(m *Model, side int, cumulative []float64, scores []float64, cluster int32) {
	n := len(f.features)
	for i, e := range f.Entities {
		if !slices.ContainsFunc(f.Of(i), func(x int32) bool { return x/int32(len(Levels)) == cluster }) {
			continue
		}
		f.entity(m, i, cluster)
		scores[e] = sum(cumulative, Prior(nil, m.popularity[side][e])) + sum(cumulative, f.features[n:])
		f.features = f.features[:n]
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
