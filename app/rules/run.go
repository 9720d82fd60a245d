package rules

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"hinge/app/cli"
	"hinge/app/watch"
	"hinge/symbolic/evaluate"
	"hinge/symbolic/rulemining"
	"hinge/train/ruleweights"
)

// run is one run of the command.
type run struct {
	*options
	links   *links
	graph   *rulemining.Graph
	show    *watch.Progress
	search  *rulemining.Search
	spent   float64 // seconds of the search
	learned *learned
	models  []*rulemining.Model
	known   known
	valid   [][]rulemining.Triple // facts of valid.txt by relation
}

// begin returns a run over facts.
func begin(o *options, l *links, show *watch.Progress) *run {
	r := &run{options: o, links: l, graph: l.graph(), show: show, known: l.known()}
	r.valid = byRelation(l.valid, r.graph.Relations)
	return r
}

// saveEvery is the least time between two records of a phase.
const saveEvery = 20 * time.Second

// find searches until the time or the rounds are spent or nothing is left to find. The
// record is written now and then and at the end, also at an interruption.
func (r *run) find(ctx context.Context) error {
	began, before := time.Now(), r.spent
	elapsed := func() float64 { return before + time.Since(began).Seconds() }
	var done atomic.Int64
	per := int64(max(1, r.graph.Relations))
	r.show.StartShare("searching", func() (float64, string) {
		n := done.Load()
		share := elapsed() / r.time.Seconds()
		if r.rounds > 0 {
			share = max(share, float64(n)/float64(per*int64(r.rounds)))
		}
		return share, fmt.Sprintf("round %d, relation %d of %d", n/per+1, n%per, per)
	})
	done.Store(int64(r.search.Rounds) * per)
	limit, cancel := context.WithTimeout(ctx, max(0, r.time-time.Duration(before*float64(time.Second))))
	defer cancel()
	saved := time.Now()
	for (r.rounds == 0 || r.search.Rounds < r.rounds) && !r.search.Saturated() && limit.Err() == nil {
		err := r.search.Round(limit, r.threads, &done)
		r.spent = elapsed()
		if err == nil && time.Since(saved) > saveEvery {
			saved = time.Now()
			if err := r.saveSearch(); err != nil {
				return err
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return errors.Join(err, r.saveSearch())
	}
	if r.search.Rounds == 0 {
		return cli.Usage("-time %v is too short for one round of the search; give more", r.time)
	}
	paths, constants := r.search.Count()
	if !r.quiet {
		r.show.Note(fmt.Sprintf("rules: %d rounds of search found %d rules without constants and %d with", r.search.Rounds, paths, constants))
	}
	return r.saveSearch()
}

// learn chooses the path rules of every relation and learns its weights.
func (r *run) learn(ctx context.Context) error {
	o := ruleweights.Options{Seed: r.seed, Facts: r.facts}
	n := r.graph.Relations
	if l := r.learned; l == nil || l.Rounds != r.search.Rounds || l.Weights != r.weights || l.Options != o {
		r.learned = &learned{Digest: r.links.digest, Rounds: r.search.Rounds, Weights: r.weights, Options: o, Models: map[int32]*learnedModel{}}
	}
	r.models = make([]*rulemining.Model, n)
	facts := r.links.alike(r.graph)
	var at, done atomic.Int64
	r.show.StartShare("learning weights", func() (float64, string) {
		return float64(done.Load()) / float64(n), fmt.Sprintf("%d of %d relations", done.Load(), n)
	})
	var mu sync.Mutex // guards the record
	began, before, saved := time.Now(), r.learned.Seconds, time.Now()
	var failed error
	var group sync.WaitGroup
	for range r.workers() {
		group.Go(func() {
			f := rulemining.NewFirer(r.graph)
			for ctx.Err() == nil {
				i := at.Add(1) - 1
				if i >= int64(n) {
					return
				}
				relation := int32(i)
				mu.Lock()
				have := r.learned.Models[relation]
				mu.Unlock()
				m, kept, err := r.relation(ctx, f, relation, facts[relation], have, o)
				mu.Lock()
				if err != nil {
					failed = errors.Join(failed, err)
					mu.Unlock()
					return
				}
				r.models[relation], r.learned.Models[relation] = m, kept
				r.learned.Seconds = before + time.Since(began).Seconds()
				if time.Since(saved) > saveEvery {
					saved = time.Now()
					failed = errors.Join(failed, r.saveWeights())
				}
				mu.Unlock()
				done.Add(1)
			}
		})
	}
	group.Wait()
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), r.saveWeights())
	}
	return errors.Join(failed, r.saveWeights())
}

// relation returns the model of a relation, learned or as recorded.
func (r *run) relation(ctx context.Context, f *rulemining.Firer, relation int32, facts []rulemining.Triple, have *learnedModel, o ruleweights.Options) (*rulemining.Model, *learnedModel, error) {
	rules := *r.search.Rules(relation)
	settings := r.search.Settings
	if have != nil {
		rules.Paths = have.Paths
		m := rulemining.NewModel(r.graph, relation, rules, have.Group, settings)
		if len(m.Weights[0]) != len(have.Weights[0]) || len(m.Weights[1]) != len(have.Weights[1]) {
			return nil, nil, dataError("%s: the record of the weights does not fit the rules", weightsFile)
		}
		m.Weights = have.Weights
		return m, have, nil
	}
	rules.Paths = ruleweights.Choose(f, relation, rules.Paths, facts, settings, o)
	group := ruleweights.Group(f, relation, rules.Paths, facts, settings, o)
	m := rulemining.NewModel(r.graph, relation, rules, group, settings)
	kept := &learnedModel{Paths: rules.Paths, Group: group}
	if r.weights == "learned" && len(facts) > 0 {
		for side := range 2 {
			if err := r.choose(ctx, f, m, side, facts, o, kept); err != nil {
				return nil, nil, err
			}
		}
	}
	kept.Weights = m.Weights
	return m, kept, nil
}

func (r *run) workers() int {
	if r.threads > 0 {
		return r.threads
	}
	return runtime.GOMAXPROCS(0)
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

	Weights       string  `json:"weights"`
	Rounds        int     `json:"rounds"`
	PathRules     int     `json:"path_rules"`
	ConstantRules int     `json:"constant_rules"`
	UsedPaths     int     `json:"used_path_rules"`
	Value         float64 `json:"value"` // of the convex programs, and their certified gap
	Gap           float64 `json:"gap"`
	SearchS       float64 `json:"search_s"`
	LearnS        float64 `json:"learn_s"`
	CPUS          float64 `json:"cpu_s"` // of this process
	PeakMB        float64 `json:"peak_mb"`
}

// report ranks the answers to valid.txt and test.txt, and writes results, rules and model.
func (r *run) report(ctx context.Context, stdout io.Writer) error {
	out := result{Weights: r.weights, Rounds: r.search.Rounds, SearchS: r.spent, LearnS: r.learned.Seconds}
	out.PathRules, out.ConstantRules = r.search.Count()
	for _, m := range r.learned.Models {
		out.UsedPaths += len(m.Paths)
		for _, report := range m.Report {
			out.Value, out.Gap = out.Value+report.Value, out.Gap+report.Gap
		}
	}
	known := r.known
	valid := new(evaluate.Ranking)
	for i := range r.models {
		for _, rank := range r.learned.Models[int32(i)].Ranks {
			valid.Add(rank)
		}
	}
	if valid.Count() < 2*len(r.links.valid) {
		var err error
		if valid, err = r.rank(ctx, "valid.txt", r.links.valid, known); err != nil {
			return err
		}
	}
	out.ValidMRR, out.ValidHits1 = valid.MRR(), valid.Hits(1)
	if !r.noTest {
		test, err := r.rank(ctx, "test.txt", r.links.test, known)
		if err != nil {
			return err
		}
		out.test(test)
	}
	r.show.StartShare("writing", func() (float64, string) { return 0, "rules and model" })
	if err := r.writeTable(); err != nil {
		return err
	}
	if err := r.writeModel(ctx); err != nil {
		return err
	}
	if r.adds > 0 {
		if err := r.writeAdds(ctx, known); err != nil {
			return err
		}
	}
	out.CPUS, out.PeakMB = usage()
	if err := r.write(resultFile, func(w io.Writer) error { return cli.PrintJSON(w, out) }); err != nil {
		return err
	}
	r.show.Close()
	return cli.PrintJSON(stdout, out)
}

// rank ranks the answers to all queries of a file.
func (r *run) rank(ctx context.Context, name string, facts []rulemining.Triple, k known) (*evaluate.Ranking, error) {
	var done atomic.Int64
	r.show.StartShare("ranking "+name, func() (float64, string) {
		return float64(done.Load()) / float64(2*len(facts)), fmt.Sprintf("%d of %d queries", done.Load(), 2*len(facts))
	})
	return rankAll(ctx, r.graph, r.models, facts, k, r.workers(), &done)
}
