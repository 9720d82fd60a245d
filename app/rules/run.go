package rules

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"hinge/app/cli"
	"hinge/app/watch"
	"hinge/symbolic/evaluate"
	"hinge/symbolic/psl"
	"hinge/symbolic/rulemining"
	"hinge/train/ruleweights"
)

// run is one run of the command.
type run struct {
	*options
	links  *links
	graph  *rulemining.Graph     // the facts that rules are found in
	known  *rulemining.Graph     // the facts that are true answers
	valid  [][]rulemining.Triple // facts of valid.txt by relation
	show   *watch.Progress
	record record
	models []*rulemining.Model
	room   int // for the rules of the written model, in bytes
}

// begin returns a run over facts.
func begin(o *options, l *links, show *watch.Progress) *run {
	r := &run{options: o, links: l, graph: l.graph(l.train, l.extra), known: l.graph(l.train, l.valid, l.test), show: show, room: psl.MaxSource}
	r.valid = byRelation(l.valid, r.graph.Relations)
	return r
}

// saveEvery is the least time between two records of a phase.
const saveEvery = 20 * time.Second

// find searches until the time or the rounds are spent or nothing is left to find. The
// record is written now and then and at the end, also at an interruption.
func (r *run) find(ctx context.Context) error {
	search, began, before := r.record.Search, time.Now(), r.record.SearchS
	if r.rounds > 0 && search.Rounds > r.rounds {
		return cli.Usage("-rounds %d: the run in %s has had %s; leave it out, or begin another run", r.rounds, r.out, psl.Count(search.Rounds, "round"))
	}
	elapsed := func() float64 { return before + time.Since(began).Seconds() }
	var done atomic.Int64
	per := int64(max(1, r.graph.Relations))
	done.Store(int64(search.Rounds) * per)
	r.show.StartShare("searching", func() (float64, string) {
		n := done.Load()
		share := elapsed() / r.time.Seconds()
		if r.rounds > 0 {
			share = max(share, float64(n)/float64(per*int64(r.rounds)))
		}
		return share, fmt.Sprintf("round %d, relation %d of %d", n/per+1, n%per, per)
	})
	limit, cancel := context.WithTimeout(ctx, max(0, r.time-time.Duration(before*float64(time.Second))))
	defer cancel()
	saved := time.Now()
	for (r.rounds == 0 || search.Rounds < r.rounds) && !search.Saturated && limit.Err() == nil {
		err := search.Round(limit, &done)
		r.record.SearchS = elapsed()
		if err == nil && time.Since(saved) > saveEvery {
			saved = time.Now()
			if err := r.save(); err != nil {
				return err
			}
		}
	}
	if ctx.Err() == nil && search.Rounds == 0 {
		return cli.Usage("-time %v is too short for one round of the search; give more", r.time)
	}
	if paths, constants := search.Count(); ctx.Err() == nil && !r.quiet {
		r.show.Note(fmt.Sprintf("rules: %s of search found %s without constants and %d with", psl.Count(search.Rounds, "round"), psl.Count(paths, "rule"), constants))
	}
	return errors.Join(ctx.Err(), r.save())
}

// each calls do for every relation, on all processors, while the progress shows the phase.
func (r *run) each(ctx context.Context, phase string, do func(ctx context.Context, f *rulemining.Firer, relation int32) error) error {
	var next, done atomic.Int64
	n := int64(r.graph.Relations)
	r.show.StartShare(phase, func() (float64, string) {
		return float64(done.Load()) / float64(n), fmt.Sprintf("%d of %d relations", done.Load(), n)
	})
	group, ctx := errgroup.WithContext(ctx)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() error {
			f := rulemining.NewFirer(r.graph)
			for i := next.Add(1) - 1; i < n; i = next.Add(1) - 1 {
				if err := do(ctx, f, int32(i)); err != nil {
					return err
				}
				done.Add(1)
			}
			return nil
		})
	}
	return group.Wait()
}

// learn chooses the path rules of every relation and learns its weights.
func (r *run) learn(ctx context.Context) error {
	o, search := ruleweights.Options{Seed: r.seed, Facts: r.facts}, r.record.Search
	if k := &r.record; k.Models == nil || k.Rounds != search.Rounds || k.Options != o {
		k.Rounds, k.Options, k.LearnS, k.Models = search.Rounds, o, 0, map[int32]*learnedModel{}
	}
	r.models = make([]*rulemining.Model, r.graph.Relations)
	facts := r.links.alike(r.graph)
	var mu sync.Mutex // guards the record
	began, before, saved := time.Now(), r.record.LearnS, time.Now()
	err := r.each(ctx, "learning weights", func(ctx context.Context, f *rulemining.Firer, relation int32) error {
		mu.Lock()
		have := r.record.Models[relation]
		mu.Unlock()
		if have != nil {
			r.models[relation] = r.model(relation, have)
			return nil
		}
		kept := new(learnedModel)
		kept.Paths, kept.Group = ruleweights.Choose(f, relation, search.State[relation].Rules.Paths, facts[relation], o)
		search.Grade(relation, kept.Paths)
		m := r.model(relation, kept)
		for side := range 2 {
			if err := r.weigh(ctx, f, m, side, facts[relation], kept); err != nil {
				return err
			}
		}
		r.models[relation] = m
		mu.Lock()
		defer mu.Unlock()
		r.record.Models[relation] = kept
		r.record.LearnS = before + time.Since(began).Seconds()
		if time.Since(saved) < saveEvery {
			return nil
		}
		saved = time.Now()
		return r.save()
	})
	return errors.Join(err, r.save())
}

// model returns the model of a relation with the rules and, if there are some, the weights that a record holds.
func (r *run) model(relation int32, kept *learnedModel) *rulemining.Model {
	rules := r.record.Search.State[relation].Rules
	rules.Paths = kept.Paths
	m := rulemining.NewModel(r.graph, relation, rules, kept.Group)
	if kept.Weights[0] != nil {
		m.Weights = kept.Weights
	}
	return m
}

// result is the content of result.json. Metrics are means over the queries for heads and for tails,
// filtered, with the mean rank for ties.
type result struct {
	ValidMRR   float64  `json:"valid_mrr"`
	ValidHits1 float64  `json:"valid_hits1"`
	TestMRR    *float64 `json:"test_mrr"` // null with -no-test
	TestHits1  *float64 `json:"test_hits1"`
	TestHits3  *float64 `json:"test_hits3"`
	TestHits10 *float64 `json:"test_hits10"`

	Rounds        int     `json:"rounds"`
	PathRules     int     `json:"path_rules"`
	ConstantRules int     `json:"constant_rules"`
	UsedPaths     int     `json:"used_path_rules"`
	Value         float64 `json:"value"` // of the convex programs, and their certified gap
	Gap           float64 `json:"gap"`
	SearchS       float64 `json:"search_s"`
	LearnS        float64 `json:"learn_s"`
}

// test ranks the answers to the questions about the facts of test.txt.
func (r *run) test(ctx context.Context) (all evaluate.Ranking, err error) {
	facts := byRelation(r.links.test, r.graph.Relations)
	ranks := make([]evaluate.Ranking, r.graph.Relations)
	err = r.each(ctx, "ranking test.txt", func(ctx context.Context, f *rulemining.Firer, relation int32) error {
		m := r.models[relation]
		for side := range 2 {
			cumulative := rulemining.Cumulative(m.Weights[side])
			list, err := r.ranks(ctx, f, m, side, facts[relation], 1, func(_ int, scores []float64) { f.Scores(m, side, cumulative, scores) })
			if err != nil {
				return err
			}
			ranks[relation] = append(ranks[relation], list[0]...)
		}
		return nil
	})
	for _, list := range ranks {
		all = append(all, list...)
	}
	return all, err
}

// report ranks the answers to valid.txt and test.txt, and writes results, rules and model.
func (r *run) report(ctx context.Context, stdout io.Writer) (err error) {
	out := result{Rounds: r.record.Search.Rounds, SearchS: r.record.SearchS, LearnS: r.record.LearnS}
	out.PathRules, out.ConstantRules = r.record.Search.Count()
	var valid, test evaluate.Ranking
	if r.ask == "relation" {
		if valid, err = r.chain(ctx, r.links.valid); err == nil && !r.noTest {
			test, err = r.chain(ctx, r.links.test)
		}
	} else {
		for i := range r.models {
			m := r.record.Models[int32(i)]
			valid, out.UsedPaths = append(valid, m.Ranks...), out.UsedPaths+len(m.Paths)
			out.Value, out.Gap = out.Value+m.Value, out.Gap+m.Gap
		}
		if !r.noTest {
			test, err = r.test(ctx)
		}
		if err == nil {
			err = r.writeRules(ctx)
		}
	}
	if err != nil {
		return err
	}
	out.ValidMRR, out.ValidHits1 = valid.MRR(), valid.Hits(1)
	if !r.noTest {
		mrr, h1, h3, h10 := test.MRR(), test.Hits(1), test.Hits(3), test.Hits(10)
		out.TestMRR, out.TestHits1, out.TestHits3, out.TestHits10 = &mrr, &h1, &h3, &h10
	}
	if err := r.write(resultFile, func(w *bufio.Writer) error { return cli.PrintJSON(w, out) }); err != nil {
		return err
	}
	r.show.Close()
	return cli.PrintJSON(stdout, out)
}

// writeRules writes the rules in words, the model and, with -adds, what rules add.
func (r *run) writeRules(ctx context.Context) error {
	r.show.StartShare("writing", func() (float64, string) { return 0, "rules and model" })
	if err := r.write("rules.tsv", r.writeTable); err != nil {
		return err
	}
	if err := r.writeModel(ctx); err != nil || r.adds == 0 {
		return err
	}
	return r.write("adds.tsv", func(w *bufio.Writer) error { return r.writeAdds(ctx, w) })
}
