package rules

import (
	"context"

	"hinge/app/cli"
	"hinge/symbolic/evaluate"
	"hinge/symbolic/rulemining"
)

// connected is the largest number of entities that facts may connect with those of a question for a relation.
const connected = 500

// chain asks, for each of some facts, which relation holds between its ends, and answers by applying the
// rules of two steps again and again.
func (r *run) chain(ctx context.Context, facts []rulemining.Triple) (sum evaluate.Ranking, err error) {
	c := rulemining.NewChainer(r.graph, r.record.Search)
	for _, f := range facts {
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		values, ok := c.Between(f.Head, f.Tail, connected)
		if !ok {
			return sum, cli.Usage("-ask relation: facts connect %s with more than %d entities; it is for many small graphs, such as stories", r.links.names.Entities[f.Head], connected)
		}
		// Other relations that hold between the two are right, too.
		drop := make([]bool, len(values))
		for _, s := range r.known.Between(f.Head, f.Tail) {
			if other, inverse := s.Relation(); !inverse {
				drop[other] = true
			}
		}
		sum = append(sum, evaluate.Rank(values, int(f.Relation), drop))
	}
	return sum, nil
}
