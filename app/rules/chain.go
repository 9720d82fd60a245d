package rules

import (
	"context"
	"io"
	"sync/atomic"

	"hinge/app/cli"
	"hinge/symbolic/evaluate"
	"hinge/symbolic/rulemining"
)

// connected is the largest number of entities that facts may connect with those of a question for a relation.
const connected = 500

// chain asks, for each fact that is held out, which relation holds between its ends, and answers by applying the
// rules of two steps again and again. result.json has the metrics of the true relation's rank.
func (r *run) chain(ctx context.Context, stdout io.Writer) error {
	out := result{Weights: "chain", Rounds: r.search.Rounds, SearchS: r.spent}
	out.PathRules, out.ConstantRules = r.search.Count()
	c := rulemining.NewChainer(r.graph, r.search)
	rank := func(name string, facts []rulemining.Triple) (*evaluate.Ranking, error) {
		var n atomic.Int64
		r.show.StartShare("asking "+name, func() (float64, string) { return float64(n.Load()) / float64(len(facts)), "" })
		sum := new(evaluate.Ranking)
		for _, f := range facts {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			values, ok := c.Between(f.Head, f.Tail, connected)
			if !ok {
				return nil, cli.Usage("-ask relation: facts connect %s with more than %d entities; it is for many small graphs, such as stories", r.links.names.Entities[f.Head], connected)
			}
			// Other relations that hold between the two are right, too.
			drop := make([]bool, len(values))
			for _, list := range [3][]rulemining.Triple{r.links.train, r.links.valid, r.links.test} {
				for _, o := range list {
					if o.Head == f.Head && o.Tail == f.Tail {
						drop[o.Relation] = true
					}
				}
			}
			sum.Add(evaluate.Rank(values, int(f.Relation), drop))
			n.Add(1)
		}
		return sum, nil
	}
	valid, err := rank("valid.txt", r.links.valid)
	if err != nil {
		return err
	}
	out.ValidMRR, out.ValidHits1 = valid.MRR(), valid.Hits(1)
	if !r.noTest {
		test, err := rank("test.txt", r.links.test)
		if err != nil {
			return err
		}
		out.test(test)
	}
	out.CPUS, out.PeakMB = usage()
	if err := r.write(resultFile, func(w io.Writer) error { return cli.PrintJSON(w, out) }); err != nil {
		return err
	}
	r.show.Close()
	return cli.PrintJSON(stdout, out)
}

// test sets the metrics of test.txt.
func (out *result) test(t *evaluate.Ranking) {
	mrr, h1, h3, h10 := t.MRR(), t.Hits(1), t.Hits(3), t.Hits(10)
	out.TestMRR, out.TestHits1, out.TestHits3, out.TestHits10 = &mrr, &h1, &h3, &h10
}
