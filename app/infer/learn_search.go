package infer

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"hinge/app/cli"
	"hinge/symbolic/infer"
	"hinge/train/weights"
	"hinge/train/weights/search"
)

// stoppedSearch means that a search has made all its trials.
const stoppedSearch weights.Stopped = "search"

// bySearch learns by trying weights: each trial infers the targets and rates them by
// the evaluation of the model. An interrupted search goes on from a journal in the folder
// of -out, which is removed when the search is done.
func (l *learned) bySearch(c *command, plan *plan, data weights.Problem) error {
	if data.Score == nil {
		return cli.Usage("%s: %s needs an evaluator: a predicate with evaluations", plan.File, plan.loss)
	}
	ctx, cancel := context.WithCancelCause(c.stop.ctx)
	defer cancel(nil)
	if seconds := plan.options.Timeout; seconds > 0 {
		timer := time.AfterFunc(time.Duration(seconds*float64(time.Second)), func() { cancel(context.DeadlineExceeded) })
		defer timer.Stop()
	}
	begin := time.Now()
	l.start = l.program.Weights()
	l.Result = &weights.Result{Stopped: stoppedSearch}
	var trials atomic.Int64
	c.progress.start("learning by "+plan.loss, func() string { return count(int(trials.Load()), "trial") })
	var inferred infer.Result
	p := search.Problem{Start: slices.Clone(l.start), Seed: plan.Options.Seed,
		Score: func(_ context.Context, w []float64, budget float64) (float64, error) {
			if err := l.tryWeights(w, budget, &inferred); err != nil {
				return 0, err
			}
			return data.Score(inferred.Y)
		},
		Observe: func(n int, _ []float64, _ float64) {
			trials.Store(int64(n))
			c.stop.hold()
		}}
	journal := ""
	if plan.out != "" {
		journal = filepath.Join(plan.out, "search.jsonl")
	}
	r, err := search.Run(ctx, p, plan.search, journal)
	late := errors.Is(context.Cause(ctx), context.DeadlineExceeded)
	if r == nil && late {
		r = &search.Result{Weights: slices.Clone(l.start), Score: math.NaN()} // no trial in time
	}
	switch {
	case r == nil:
		return err
	case err == nil:
		if journal != "" {
			err = os.Remove(journal)
		}
	case c.stop.ctx.Err() != nil:
		l.Stopped, err = stoppedInterrupt, nil
		if journal != "" {
			c.progress.note("infer: the same command goes on with the search from " + journal)
		}
	case late:
		l.Stopped, err = stoppedTimeout, nil
	}
	if err != nil {
		return err
	}
	l.Weights, l.Kept, l.BestScore, l.BestEpoch, l.Epochs = r.Weights, r.Trials, r.Score, r.At, r.Trials
	l.WallS = time.Since(begin).Seconds()
	return nil
}

// tryWeights infers with weights that are divided by the largest one. A budget below 1
// allows each component a gap of 0.01 divided by the budget; a budget of 1 allows none.
// There is no warm start, since a score must not depend on the trials before it.
func (l *learned) tryWeights(w []float64, budget float64, r *infer.Result) error {
	scaled := slices.Clone(w)
	if top := slices.Max(w); top > 0 {
		for i := range scaled {
			scaled[i] /= top
		}
	}
	s := infer.Settings{Workers: l.threads}
	if budget < 1 {
		s.GapAbsolute = referenceGap / budget
		s.FeasibilityTolerance, s.StationarityTolerance = referenceViolation, s.GapAbsolute
	}
	begin := time.Now()
	err := l.inferWith(scaled, s, r)
	l.SolverS += time.Since(begin).Seconds()
	l.Solves++
	if err == nil && !r.Status.OK() {
		l.Unsolved++
	}
	return err
}
