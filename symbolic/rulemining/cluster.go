package rulemining

import (
	"math"
	"slices"
)

// Levels are the confidences at which a rule reaches the levels of its cluster.
var Levels = [...]float64{
	0.001, 0.002, 0.004, 0.007, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.065, 0.08, 0.1, 0.125, 0.15, 0.18,
	0.21, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95,
}

// popular are the shares of a relation's facts at which an answer reaches the levels of the cluster that says how often
// it occurs: from 1/20,000 to 0.87 in equal ratios.
var popular = func() (p [len(Levels)]float64) {
	for i := range p {
		p[i] = 0.00005 * math.Pow(1.37, float64(i))
	}
	p[0] = 0
	return
}()

// level returns the number of levels that a confidence reaches, minus one.
func level(confidence float64, levels *[len(Levels)]float64) int8 {
	n, reached := slices.BinarySearch(levels[:], confidence)
	if !reached {
		n--
	}
	return int8(n)
}

// Kind is the kind of a cluster's rules.
type Kind int8

// The kinds of clusters.
const (
	// Popular: the entity asked for is the answer in so many facts of the relation. It is the first cluster.
	Popular Kind = iota
	// Rare: the reverse of Popular, a level higher where that is one lower. Both together give an answer any weight by how often it occurs.
	Rare
	// Best: the best of all rules that hold, each of a cluster of its own, decide once more. Its clusters, one for each of
	// Places, follow the first, and Rare follows them.
	Best
	// Tail and Head: rules with constants whose properties have one step, with a constant or
	// without.
	Tail
	Head
	// Path: path rules whose bodies hold for nearly the same pairs.
	Path
)

// Places is how many of the best rules count once more.
const Places = 5

// RareCluster is the number of the cluster Rare.
const RareCluster = 1 + Places

// Slots is how many rules of a cluster with constants count: one that holds after others adds less.
const Slots = 3

// again is the factor of a noisy or's weights for rules of a cluster after the best.
const again = 0.3

// Cluster is a set of rules that conclude the same for the same reason, and so count once: the
// rule of highest confidence whose body holds decides. It has a weight for each level;
// the evidence of a rule is the sum of the weights up to its level.
type Cluster struct {
	Kind Kind
	// Slot is j for the cluster of the j-th best of the rules that hold, counted from 0. Best, and a Tail or Head
	// cluster of properties with constants, have the other slots after them.
	Slot int8
}

// Model ranks the possible facts of a relation. With φ(k, l) = 1 if a rule of cluster k of
// level l or above holds for (X, Y), else 0, the score of r(X, Y) is Σ w(k, l)·φ(k, l),
// with weights of their own for tails asked and heads asked.
type Model struct {
	Relation int32
	Rules    RuleSet
	Clusters []Cluster
	// Weights has, for queries of each side, len(Levels) weights for each cluster, all ≥ 0.
	Weights [2][]float64

	g           *Graph
	slots       []int8 // of each cluster that is the first of some, their number
	pathCluster []int32
	// Levels of path rules by side, rule and grade, and those for a fact that is left out, −1 where the rule does not fire.
	pathLevel, pathOwn [2][][Grades]int8
	tries              [2]*trie
	byProperty         [2]map[Property][]int32 // places in Rules.Constants
	byConstant         [2]map[int32][]int32
	propCluster        [2]map[Property]int32
	popularity         [2][]int8 // level of each entity as an answer to questions of a side
}

// NoisyOr returns weights with which the score is the sum of −log(1 − c), with c the largest level that rules reach, over
// all clusters or over the Best ones alone: the ranking of a noisy or.
func NoisyOr(clusters []Cluster, best bool) []float64 {
	w := make([]float64, 0, len(clusters)*len(Levels))
	for _, c := range clusters {
		edges, before, factor := &Levels, 0.0, 1.0
		switch {
		case c.Kind == Popular:
			edges = &popular
		case c.Kind == Rare || best != (c.Kind == Best):
			factor = 0
		case c.Slot > 0 && !best:
			factor = again
		}
		for _, e := range edges {
			now := -math.Log1p(-e) * factor
			w, before = append(w, now-before), now
		}
	}
	return w
}

// NewModel groups the rules of a relation, with the weights of a noisy or. Path rules i with the same group[i] make a
// cluster, each one of its own where group is nil.
func NewModel(g *Graph, relation int32, rules RuleSet, group []int32) *Model {
	m := &Model{Relation: relation, Rules: rules, g: g}
	type key struct {
		kind  Kind
		group int32
		slots int8
	}
	ids := map[key]int32{}
	cluster := func(k key) int32 {
		id, ok := ids[k]
		if !ok {
			id = int32(len(m.Clusters))
			ids[k] = id
			for slot := range k.slots {
				m.Clusters, m.slots = append(m.Clusters, Cluster{k.kind, slot}), append(m.slots, k.slots)
			}
		}
		return id
	}
	cluster(key{Popular, 0, 1})
	cluster(key{Best, 0, Places})
	cluster(key{Rare, 0, 1})
	for side, list := range rules.Constants {
		m.propCluster[side], m.byProperty[side], m.byConstant[side] = map[Property]int32{}, map[Property][]int32{}, map[int32][]int32{}
		for i, c := range list {
			m.byProperty[side][c.Property] = append(m.byProperty[side][c.Property], int32(i))
			m.byConstant[side][c.Constant] = append(m.byConstant[side][c.Constant], int32(i))
			step, with := g.Of(c.Property)
			k := key{Tail + Kind(side), int32(step), Slots}
			if with < 0 {
				k.slots = 1
			}
			m.propCluster[side][c.Property] = cluster(k)
		}
		for e := range int32(g.Entities) {
			m.popularity[side] = append(m.popularity[side], m.Popularity(side, e, 0))
		}
	}
	for i := range rules.Paths {
		k := key{Path, int32(i), 1}
		if group != nil {
			k.group = group[i]
		}
		m.pathCluster = append(m.pathCluster, cluster(k))
		for side := range 2 {
			plain, own := m.levels(&rules.Paths[i], side)
			m.pathLevel[side], m.pathOwn[side] = append(m.pathLevel[side], plain), append(m.pathOwn[side], own)
		}
	}
	m.tries[0], m.tries[1] = newTrie(rules.Paths, false), newTrie(rules.Paths, true)
	for side := range m.Weights {
		m.Weights[side] = NoisyOr(m.Clusters, false)
	}
	return m
}

// Popularity returns the level of an entity as an answer to queries of a side, less facts that are
// left out, or −1.
func (m *Model) Popularity(side int, e, less int32) int8 {
	of := Forward(m.Relation) ^ Step(side)
	n := int32(len(m.g.Near(e, of.Back()))) - less
	if n <= 0 {
		return -1
	}
	return level(float64(n)/(float64(len(m.g.Domain(of)))+penalty), &popular)
}

// Prior appends the features, cluster·len(Levels) + level, of an answer of a popularity, from −1: those of the clusters Popular and Rare.
func Prior(features []int32, popularity int8) []int32 {
	const levels = int32(len(Levels))
	if popularity >= 0 {
		features = append(features, int32(popularity))
	}
	if reverse := levels - 2 - int32(popularity); reverse >= 0 {
		features = append(features, RareCluster*levels+reverse)
	}
	return features
}

// trie holds the bodies of path rules by their first steps.
type trie struct {
	step  Step
	rules []int32
	next  []*trie
}

func newTrie(paths []PathRule, reversed bool) *trie {
	root := &trie{step: -1}
	for i := range paths {
		body := paths[i].Body
		if reversed {
			body = paths[i].reversed()
		}
		at := root
		for _, s := range body {
			if s < 0 {
				break
			}
			j := slices.IndexFunc(at.next, func(t *trie) bool { return t.step == s })
			if j < 0 {
				j = len(at.next)
				at.next = append(at.next, &trie{step: s})
			}
			at = at.next[j]
		}
		at.rules = append(at.rules, int32(i))
	}
	return root
}

// reversed returns the body walked from Y to X.
func (p *PathRule) reversed() [MaxLength]Step {
	out := noSteps
	n := p.Len()
	for i := range n {
		out[i] = p.Body[n-1-i].Back()
	}
	return out
}
