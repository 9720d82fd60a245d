package rulemining

import (
	"cmp"
	"fmt"
	"slices"
)

// Evidence is a rule of a model, with the level that it reaches in a cluster, and its place, from 1, among the best of the rules that
// hold, or 0. That an entity is popular or rare is a rule without a body. A path rule with grades is one for each grade and Side, the end that is asked
// for: its body holds for the pair with From to To entities for the variable Counted, next to the end asked for; To is 0 where there is no bound.
// From is 0 for other rules.
type Evidence struct {
	Kind           Kind
	Side           int
	Cluster        int32
	Level, Place   int8
	Support, Known int32
	Confidence     float64
	Counted        int32
	From, To       int32
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
	switch e.Kind {
	case Popular:
		return n.Atoms("", e.Head) + " is often true"
	case Rare:
		return n.Atoms("", e.Head) + " is seldom true"
	}
	if len(e.Body) == 0 {
		return n.Atoms("", e.Head)
	}
	return n.Atoms("", e.Head) + " ← " + n.Body(e)
}

// Body writes the body of a rule, with the entities that it has to hold for.
func (n *Names) Body(e *Evidence) string {
	text := n.Atoms(", ", e.Body...)
	if e.From == 0 {
		return text
	}
	variable := n.Term(e.Counted)
	switch e.To {
	case 0:
		return fmt.Sprintf("%s, for %d or more %s", text, e.From, variable)
	case e.From:
		return fmt.Sprintf("%s, for %d %s", text, e.From, variable)
	}
	return fmt.Sprintf("%s, for %d to %d %s", text, e.From, e.To, variable)
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
	for _, x := range Prior(nil, m.Popularity(side, asked, less)) {
		k := x / int32(len(Levels))
		out = append(out, Evidence{Kind: m.Clusters[k].Kind, Cluster: k, Level: int8(x % int32(len(Levels))), Head: m.head(side, asked)})
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
		e := m.rule(m.Clusters[base].Kind, f.raw[at].rule, side, f.raw[at].grade)
		e.Cluster, e.Level, e.Place = cluster, l, 0
		out = append(out, e)
		f.raw[at].level = -1 // another rule decides for the next slot
	}
	order := make([]*Evidence, 0, len(out))
	for i := range out {
		if out[i].Kind > Rare {
			order = append(order, &out[i])
		}
	}
	slices.SortStableFunc(order, func(a, b *Evidence) int { return cmp.Compare(b.Level, a.Level) })
	for j, e := range order[:min(Places, len(order))] {
		e.Place = int8(j + 1)
	}
	return out
}

// rule returns the i-th rule of a kind, a path rule where an end is asked for and with a grade, at the first place.
func (m *Model) rule(kind Kind, i int32, asked int, grade int8) Evidence {
	if kind == Path {
		p := &m.Rules.Paths[i]
		e := Evidence{Kind: kind, Side: asked, Cluster: m.pathCluster[i], Level: m.pathLevel[asked][i][grade], Place: 1, Support: p.Support, Known: p.Known,
			Confidence: p.confidence(asked, grade, Confidence(p.Support, p.Known), 0), Head: Triple{X, m.Relation, Y}, Body: p.atoms()}
		if len(e.Body) == 0 {
			e.Head.Tail = X
		}
		if p.Graded[asked] == nil {
			return e
		}
		if n := p.Graded[asked][grade]; n.Known > 0 {
			e.Support, e.Known = n.Support, n.Known
		}
		if n := int32(len(e.Body)); n > 1 {
			e.From, e.To, e.Counted = 1<<grade, 2<<grade-1, Y-1
			if asked == 0 {
				e.Counted -= n - 2
			}
			if grade == Grades-1 {
				e.To = 0
			}
		}
		return e
	}
	side := int(kind - Tail)
	c := &m.Rules.Constants[side][i]
	s, with := m.g.Of(c.Property)
	if with < 0 {
		with = Y - 1
	}
	return Evidence{Kind: kind, Side: side, Cluster: m.propCluster[side][c.Property], Level: m.level(side, c, false, false), Place: 1, Support: c.Support, Known: c.Known,
		Confidence: Confidence(c.Support, c.Known), Head: m.head(side, c.Constant), Body: []Triple{Atom(s, X-int32(side), with)}}
}

// All yields all rules of a model, with the level of their confidence and the first place; of path rules, those grades with which they hold for a pair
// of the sample.
func (m *Model) All(yield func(Evidence) bool) {
	for side, list := range m.Rules.Constants {
		for i := range int32(len(list)) {
			if !yield(m.rule(Tail+Kind(side), i, 0, 0)) {
				return
			}
		}
	}
	for i := range m.Rules.Paths {
		for side, counts := range m.Rules.Paths[i].Graded {
			for grade := range int8(max(1, len(counts))) {
				if m.pathLevel[side][i][grade] < 0 || counts != nil && counts[grade].Known == 0 {
					continue
				}
				if !yield(m.rule(Path, int32(i), side, grade)) {
					return
				}
			}
		}
	}
}

// Reached yields the clusters of rules with the levels at which they may fire, also those of grades that All does not have because the sample
// has no pair of them. A level may come more than once.
func (m *Model) Reached(yield func(cluster int32, level int8) bool) {
	for side, list := range m.Rules.Constants {
		for i := range list {
			if !yield(m.propCluster[side][list[i].Property], m.level(side, &list[i], false, false)) {
				return
			}
		}
	}
	for _, rules := range m.pathLevel {
		for i := range rules {
			for _, l := range rules[i] {
				if l >= 0 && !yield(m.pathCluster[i], l) {
					return
				}
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
