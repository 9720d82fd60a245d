package rules

import (
	"context"
	"sync"
	"sync/atomic"

	"hinge/symbolic/evaluate"
	"hinge/symbolic/rulemining"
)

// known holds the true answers of every query, of all facts.
type known map[knownKey][]int32

type knownKey struct {
	relation int32
	side     int
	given    int32
}

func (l *links) known() known {
	k := known{}
	for _, list := range [][]rulemining.Triple{l.train, l.valid, l.test} {
		for _, f := range list {
			k[knownKey{f.Relation, 0, f.Head}] = append(k[knownKey{f.Relation, 0, f.Head}], f.Tail)
			k[knownKey{f.Relation, 1, f.Tail}] = append(k[knownKey{f.Relation, 1, f.Tail}], f.Head)
		}
	}
	return k
}

// rankAll asks for the tail and for the head of every fact and returns the ranks of the true
// answers, in the order of the facts.
func rankAll(ctx context.Context, g *rulemining.Graph, models []*rulemining.Model, facts []rulemining.Triple, k known, threads int, done *atomic.Int64) (*evaluate.Ranking, error) {
	cumulative := make([][2][]float64, len(models))
	for r, m := range models {
		if m != nil {
			cumulative[r] = [2][]float64{m.Cumulative(0), m.Cumulative(1)}
		}
	}
	ranks := make([]float64, 2*len(facts))
	var at atomic.Int64
	var group sync.WaitGroup
	for range threads {
		group.Go(func() {
			f := rulemining.NewFirer(g)
			var fired rulemining.Fired
			scores, drop := make([]float64, g.Entities), make([]bool, g.Entities)
			for ctx.Err() == nil {
				i := at.Add(1) - 1
				if i >= int64(len(ranks)) {
					return
				}
				fact := facts[i/2]
				side, given, answer := int(i%2), fact.Head, fact.Tail
				if side == 1 {
					given, answer = fact.Tail, fact.Head
				}
				f.Score(models[fact.Relation], rulemining.Query{Side: side, Given: given, Own: -1}, cumulative[fact.Relation][side], scores, &fired)
				others := k[knownKey{fact.Relation, side, given}]
				for _, e := range others {
					drop[e] = true
				}
				ranks[i] = evaluate.Rank(scores, int(answer), drop)
				for _, e := range others {
					drop[e] = false
				}
				done.Add(1)
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var sum evaluate.Ranking
	for _, r := range ranks {
		sum.Add(r)
	}
	return &sum, nil
}
