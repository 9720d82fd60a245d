package rulemining

import (
	"cmp"
	"slices"
	"sort"
)

// Evidence is a rule of a model that holds for a pair. One of Path, Rule and Popular tells the rule, by Kind.
type Evidence struct {
	Kind    Kind
	Cluster int32
	Level   int8
	Path    *PathRule
	Rule    *ConstantRule
	Popular int32 // the entity that is popular
}

// Evidence lists the rules of a model that hold for a pair, as facts of the model's relation are
// asked for. If the pair is a fact of the graph, this fact is left out.
func (f *Firer) Evidence(m *Model, t Triple) []Evidence {
	var list []Evidence
	own := m.g.Has(t.Head, Forward(m.Relation), t.Tail)
	q := Query{Given: t.Head, Own: -1}
	if own {
		q.Own = t.Tail
	}
	var hold []int32
	f.Proposed(m, q, func(rule, e int32) {
		if e == t.Tail {
			hold = append(hold, rule)
		}
	})
	slices.Sort(hold)
	for _, r := range hold {
		l := m.pathLevel[r]
		if own {
			l = m.pathOwn[r]
		}
		if l >= 0 {
			list = append(list, Evidence{Kind: Path, Cluster: m.pathCluster[r], Level: l, Path: &m.Rules.Paths[r]})
		}
	}
	for side, ends := range [2][2]int32{{t.Head, t.Tail}, {t.Tail, t.Head}} {
		about, constant := ends[0], ends[1]
		of := Forward(m.Relation) ^ Step(side)
		alone := own && len(m.g.Near(about, of)) == 1
		rules := m.byConstant[side]
		for i := sort.Search(len(rules), func(i int) bool { return rules[i].Constant >= constant }); i < len(rules) && rules[i].Constant == constant; i++ {
			c := &rules[i]
			if _, ok := slices.BinarySearch(m.g.Holders(c.Property), about); !ok {
				continue
			}
			if l := f.level(m, c, own, alone); l >= 0 {
				list = append(list, Evidence{Kind: Tail + Kind(side), Cluster: m.propCluster[side][c.Property], Level: l, Rule: c})
			}
		}
		less := int32(0)
		if own {
			less = 1
		}
		if l := m.popularLevel(side, constant, less); l >= 0 {
			list = append(list, Evidence{Kind: PopularTail + Kind(side), Cluster: int32(side), Level: l, Popular: constant})
		}
	}
	return list
}

// Best lists, of each cluster that fires for a pair, the rule that decides: the one of highest level,
// of several the first, and for the further slots the next ones. The clusters' weights up to these levels
// add up to the score.
func (f *Firer) Best(m *Model, t Triple) []Evidence {
	list := f.Evidence(m, t)
	slices.SortStableFunc(list, func(a, b Evidence) int {
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(b.Level, a.Level))
	})
	var out []Evidence
	base := int32(-1)
	for _, e := range list {
		last := len(out) - 1
		switch {
		case e.Cluster != base:
			base = e.Cluster
		case !m.more(out[last].Cluster):
			continue
		default:
			e.Cluster = out[last].Cluster + 1
		}
		out = append(out, e)
	}
	return out
}

// Positive returns the levels of a cluster that have a weight above 0 for queries of a side.
func (m *Model) Positive(side int, cluster int32) []int {
	var list []int
	for l, w := range m.Weights[side][int(cluster)*len(Levels) : int(cluster+1)*len(Levels)] {
		if w > 0 {
			list = append(list, l)
		}
	}
	return list
}

// Top returns the highest level of the rules of a cluster of path rules.
func (m *Model) Top(cluster int32) int {
	top := int8(0)
	for _, p := range m.Clusters[cluster].Paths {
		top = max(top, m.pathLevel[p])
	}
	return int(top)
}

// Each calls f for all rules of a model, with the level of their confidence.
func (m *Model) Each(f func(*Evidence)) {
	for i := range m.Rules.Paths {
		f(&Evidence{Kind: Path, Cluster: m.pathCluster[i], Level: m.pathLevel[i], Path: &m.Rules.Paths[i]})
	}
	for side, list := range [2][]ConstantRule{m.Rules.Tails, m.Rules.Heads} {
		for i := range list {
			l := max(0, level(Confidence(list[i].Support, list[i].Known, m.Penalty), &Levels))
			f(&Evidence{Kind: Tail + Kind(side), Cluster: m.propCluster[side][list[i].Property], Level: l, Rule: &list[i]})
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

// Example returns entities by which a path leads from one entity to another, the last included, or nil.
func (g *Graph) Example(p *PathRule, from, to int32) []int32 {
	n := p.Len()
	trail := []int32{from}
	var search func() bool
	search = func() bool {
		i := len(trail) - 1
		for _, next := range g.Near(trail[i], p.Body[i]) {
			if slices.Contains(trail, next) || (next == to) != (i == n-1) {
				continue
			}
			trail = append(trail, next)
			if i == n-1 || search() {
				return true
			}
			trail = trail[:len(trail)-1]
		}
		return false
	}
	if search() {
		return trail[1:]
	}
	return nil
}
