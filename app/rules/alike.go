package rules

import (
	"math"

	"hinge/symbolic/rulemining"
)

// alike returns, for each relation, the facts of train.txt that weights are learned from. Some data sets hold
// out only facts between entities that no other fact connects (FB15k-237 does), and rules of one atom, which
// are right for many other facts, are useless for those. So the facts are chosen that the share of those whose
// entities another fact connects is that of valid.txt.
func (l *links) alike(g *rulemining.Graph) [][]rulemining.Triple {
	share := func(facts []rulemining.Triple, own int) float64 {
		n := 0
		for _, f := range facts {
			if len(g.Between(f.Head, f.Tail)) > own {
				n++
			}
		}
		return float64(n) / float64(max(1, len(facts)))
	}
	train, valid := byRelation(l.train, g.Relations), byRelation(l.valid, g.Relations)
	all := share(l.valid, 0)
	const doubt = 5 // facts of the whole that a relation's share is mixed with
	for r, facts := range train {
		n := float64(len(valid[r]))
		want := (n*share(valid[r], 0) + doubt*all) / (n + doubt)
		var with, without []rulemining.Triple
		for _, f := range facts {
			if len(g.Between(f.Head, f.Tail)) > 1 {
				with = append(with, f)
			} else {
				without = append(without, f)
			}
		}
		total := math.Min(float64(len(with))/max(want, 1e-9), float64(len(without))/max(1-want, 1e-9))
		if total < minAlike {
			continue // too few of one sort: all facts
		}
		train[r] = append(pick(with, int(math.Round(total*want))), pick(without, int(math.Round(total*(1-want))))...)
	}
	return train
}

// minAlike is the least number of facts that stand for a relation's.
const minAlike = 20

// pick returns n facts of a list, evenly spread.
func pick(list []rulemining.Triple, n int) []rulemining.Triple {
	n = min(n, len(list))
	out := make([]rulemining.Triple, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return out
}

func byRelation(list []rulemining.Triple, relations int) [][]rulemining.Triple {
	out := make([][]rulemining.Triple, relations)
	for _, f := range list {
		out[f.Relation] = append(out[f.Relation], f)
	}
	return out
}
