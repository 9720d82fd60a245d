package rulemining

import (
	"cmp"
	"slices"
)

// Evidence is a rule of a model, with the level that it reaches in a cluster, and its place, from 1, among the best of the rules that
// hold, or 0. That an entity is popular is a rule without a body.
type Evidence struct {
	Kind           Kind
	Cluster        int32
	Level, Place   int8
	Support, Known int32
	Head           Triple
	Body           []Triple
}

// Weight returns what a rule adds to the score by some weights, of which cumulative is what Cumulative returns.
func (e *Evidence) Weight(cumulative []float64) float64 {
	w := cumulative[int(e.Cluster)*len(Levels)+int(e.Level)]
	if e.Place > 0 {
		w += cumulative[int(e.Place)*len(Levels)+int(e.Level)]
	}
	return w
}

// Rule writes a rule.
func (n *Names) Rule(e *Evidence) string {
	if len(e.Body) == 0 {
		return n.Atoms("", e.Head) + " is often true"
	}
	return n.Atoms("", e.Head) + " ← " + n.Atoms(", ", e.Body...)
}

// head is the head of a rule with a constant as tail (side 0) or head.
func (m *Model) head(side int, constant int32) Triple {
	return Atom(Forward(m.Relation)^Step(side), X-int32(side), constant)
}

// Evidence lists, of each cluster that fires for a pair as an answer to a query of a side, the rule that decides: the
// one of highest level, of several the first, and for the further slots the next ones. Their weights add up to the score. If the pair is a fact of the graph, this fact is left out.
func (f *Firer) Evidence(m *Model, side int, t Triple) []Evidence {
	given, asked := t.Ends(side)
	q, less := Query{Side: side, Given: given, Own: -1}, int32(0)
	if m.g.Has(t.Head, Forward(m.Relation), t.Tail) {
		q.Own, less = asked, 1
	}
	f.Fire(m, q)
	var out []Evidence
	if l := m.Popularity(side, asked, less); l >= 0 {
		out = append(out, Evidence{Kind: Popular, Level: l, Head: m.head(side, asked)})
	}
	i := slices.Index(f.Entities, asked)
	if i < 0 {
		return out
	}
	f.raw = slices.DeleteFunc(f.raw, func(r firing) bool { return r.e != asked })
	for _, x := range f.Of(i) {
		cluster, l := x/int32(len(Levels)), int8(x%int32(len(Levels)))
		if m.Clusters[cluster].Kind == Best {
			continue
		}
		base := cluster - int32(m.Clusters[cluster].Slot)
		at := slices.IndexFunc(f.raw, func(r firing) bool { return r.cluster == base && r.level == l })
		e := m.rule(m.Clusters[base].Kind, f.raw[at].rule)
		e.Cluster, e.Level, e.Place = cluster, l, 0
		out = append(out, e)
		f.raw[at].level = -1 // another rule decides for the next slot
	}
	order := make([]*Evidence, 0, len(out))
	for i := range out {
		if out[i].Kind != Popular {
			order = append(order, &out[i])
		}
	}
	slices.SortStableFunc(order, func(a, b *Evidence) int { return cmp.Compare(b.Level, a.Level) })
	for j, e := range order[:min(Places, len(order))] {
		e.Place = int8(j + 1)
	}
	return out
}

// rule returns the i-th rule of a kind, at the first place.
func (m *Model) rule(kind Kind, i int32) Evidence {
	if kind == Path {
		p := &m.Rules.Paths[i]
		return Evidence{kind, m.pathCluster[i], m.pathLevel[i], 1, p.Support, p.Known, Triple{X, m.Relation, Y}, p.atoms()}
	}
	side := int(kind - Tail)
	c := &m.Rules.Constants[side][i]
	s, with := m.g.Of(c.Property)
	if with < 0 {
		with = Y - 1
	}
	return Evidence{kind, m.propCluster[side][c.Property], c.level(false, false, 0), 1, c.Support, c.Known,
		m.head(side, c.Constant), []Triple{Atom(s, X-int32(side), with)}}
}

// All yields all rules of a model, with the level of their confidence and the first place.
func (m *Model) All(yield func(Evidence) bool) {
	for kind, n := range [...]int{Tail: len(m.Rules.Constants[0]), Head: len(m.Rules.Constants[1]), Path: len(m.Rules.Paths)} {
		for i := range int32(n) {
			if !yield(m.rule(Kind(kind), i)) {
				return
			}
		}
	}
}

// Functional reports whether no entity has two neighbours by a step, and at least n have one.
func (g *Graph) Functional(s Step, n int) bool {
	for _, e := range g.domain[s] {
		if len(g.Near(e, s)) > 1 {
			return false
		}
	}
	return len(g.domain[s]) >= n
}

// Example returns facts for which the body of a rule holds, with different entities for the variables of a path, or nil.
func (g *Graph) Example(e *Evidence, t Triple) []Triple {
	// search goes on from variable at, whose entity ends the trail.
	var search func(body []Triple, at int32, trail []int32) []Triple
	search = func(body []Triple, at int32, trail []int32) []Triple {
		if len(body) == 0 {
			return []Triple{}
		}
		from, s, next := trail[len(trail)-1], Forward(body[0].Relation), body[0].Tail
		if next == at {
			s, next = s.Back(), body[0].Head
		}
		for _, to := range g.Near(from, s) {
			if next >= 0 && to != next || next == Y && to != t.Tail ||
				next < Y && e.Kind == Path && (to == t.Tail || slices.Contains(trail, to)) {
				continue
			}
			if rest := search(body[1:], next, append(trail, to)); rest != nil {
				return append([]Triple{Atom(s, from, to)}, rest...)
			}
		}
		return nil
	}
	if e.Kind == Head {
		return search(e.Body, Y, []int32{t.Tail})
	}
	return search(e.Body, X, []int32{t.Head})
}
