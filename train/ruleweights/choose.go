package ruleweights

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"hinge/symbolic/rulemining"
)

const (
	best    = 10
	pairsOf = 30 // facts by whose proposals rules are compared
	// redundant is the Jaccard index from which on rules are redundant.
	redundant = 0.95
)

// Choose returns the path rules that are worth a weight: those that are, for some of the relation's facts,
// among the best rules of highest confidence that hold for it, and of these those that are so for
// most facts: one rule for four of the facts that weights are learned from, and at least 200.
// Rules with the same number in groups say the same for the same reason: the pairs for which they hold, among
// those that are proposed for a sample of the facts, have a Jaccard index of at least redundant with the first rule of the group.
func Choose(f *rulemining.Firer, relation int32, paths []rulemining.PathRule, facts []rulemining.Triple, o Options) (out []rulemining.PathRule, groups []int32) {
	m := rulemining.NewModel(f.Graph(), relation, rulemining.RuleSet{Paths: paths}, nil)
	votes := make([]int, len(paths))
	for _, fact := range sampled(facts, o.Facts/2, o.Seed, relation) {
		var hold []int32
		for rule, e := range f.Proposed(m, rulemining.Query{Given: fact.Head, Own: fact.Tail}) {
			if e == fact.Tail {
				hold = append(hold, rule)
			}
		}
		slices.Sort(hold)
		for _, r := range hold[:min(best, len(hold))] {
			votes[r]++
		}
	}
	var chosen []int
	for r, v := range votes {
		if v > 0 {
			chosen = append(chosen, r)
		}
	}
	slices.SortStableFunc(chosen, func(a, b int) int { return cmp.Compare(votes[b], votes[a]) })
	chosen = chosen[:min(len(chosen), max(200, o.Facts/4))]
	slices.Sort(chosen)
	for _, r := range chosen {
		out = append(out, paths[r])
	}
	groups = group(f, relation, out, facts, o)
	return out, groups
}

func group(f *rulemining.Firer, relation int32, paths []rulemining.PathRule, facts []rulemining.Triple, o Options) []int32 {
	m := rulemining.NewModel(f.Graph(), relation, rulemining.RuleSet{Paths: paths}, nil)
	pairs := make([][]uint64, len(paths))
	for i, fact := range sampled(facts, pairsOf, o.Seed, relation) {
		for rule, e := range f.Proposed(m, rulemining.Query{Given: fact.Head, Own: fact.Tail}) {
			pairs[rule] = append(pairs[rule], uint64(i)<<32|uint64(uint32(e)))
		}
	}
	groups := make([]int32, len(paths))
	for i := range paths {
		slices.Sort(pairs[i])
		groups[i] = int32(i)
		for j := range i {
			if groups[j] == int32(j) && jaccard(pairs[i], pairs[j]) >= redundant {
				groups[i] = int32(j)
				break
			}
		}
	}
	return groups
}

// jaccard returns |a ∩ b|/|a ∪ b| of sorted lists, 0 if both are empty.
func jaccard(a, b []uint64) float64 {
	if small, large := min(len(a), len(b)), max(len(a), len(b)); 2*small < large || large == 0 {
		return 0 // far below any bound that makes sense
	}
	both, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// sampled returns at most n of the facts, drawn without repetition.
func sampled(facts []rulemining.Triple, n int, seed uint64, relation int32) []rulemining.Triple {
	order := rand.New(rand.NewPCG(seed, uint64(relation))).Perm(len(facts))
	out := make([]rulemining.Triple, min(n, len(facts)))
	for i := range out {
		out[i] = facts[order[i]]
	}
	return out
}
