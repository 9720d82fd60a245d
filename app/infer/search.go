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
	"hinge/symbolic/model"
	"hinge/train/weights"
	"hinge/train/weights/search"
)

// stoppedSearch tells that a search has tried what it wanted to.
const stoppedSearch weights.Stopped = "search"

// searchMethod is the search that a model names, with its options.
func searchMethod(o *model.Learning) search.Method {
	s := &o.Search
	draws := search.Draws{Alpha: s.Alpha, Uniform: !s.Dirichlet}
	switch o.Method {
	case "GridSearch":
		return search.Grid{Values: s.Grid}
	case "RandomGridSearch":
		return search.RandomGrid{Values: s.Grid, Locations: s.RandomLocations}
	case "GuidedRandomGridSearch":
		return search.GuidedRandomGrid{Values: s.Grid, Seeds: s.GuidedSeeds, Explore: s.GuidedExplore, Locations: s.RandomLocations}
	case "ContinuousRandomGridSearch":
		return search.ContinuousRandom{Draws: draws, Locations: s.ContinuousLocations}
	case "Hyperband":
		return search.Hyperband{Draws: draws, Size: s.BracketSize, Brackets: s.Brackets, Survival: s.Survival}
	}
	return search.GaussianProcess{Draws: draws, Candidates: s.Candidates, Trials: s.Trials, Explore: s.Explore,
		Scale: s.Scale, Relevance: s.Relevance, Space: search.Space(s.Space), Full: !s.EarlyStop, NoStart: !s.UseStart}
}

// searchWith learns by trying weights: each trial infers the targets and rates them by
// the model's evaluation. A journal in the folder of -out lets an interrupted search go
// on; it goes when the search is done.
func (j *job) searchWith(o *model.Learning, l *learned) error {
	problem, err := j.learningProblem()
	if err != nil {
		return err
	}
	if problem.Score == nil {
		return cli.Usage("%s: %s needs an evaluator: a predicate with evaluations", j.m.File, o.Method)
	}
	ctx, cancel := context.WithCancelCause(j.stop.ctx)
	defer cancel(nil)
	if o.Timeout > 0 {
		timer := time.AfterFunc(time.Duration(o.Timeout*float64(time.Second)), func() { cancel(context.DeadlineExceeded) })
		defer timer.Stop()
	}
	begin := time.Now()
	l.start = j.program.Weights()
	l.Result = &weights.Result{Stopped: stoppedSearch}
	var trials atomic.Int64
	j.progress.start("learning by "+o.Method, func() string { return count(int(trials.Load()), "trial") })
	p := search.Problem{Start: slices.Clone(l.start), Seed: j.m.Options.Seed,
		Score: func(_ context.Context, w []float64, budget float64) (float64, error) {
			y, err := j.tryWeights(w, budget, l.Result)
			if err != nil {
				return 0, err
			}
			return problem.Score(y)
		},
		Observe: func(n int, _ []float64, _ float64) {
			trials.Store(int64(n))
			j.stop.hold()
		}}
	journal := ""
	if j.out != "" {
		journal = filepath.Join(j.out, "search.jsonl")
	}
	r, err := search.Run(ctx, p, searchMethod(o), journal)
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
	case j.stop.ctx.Err() != nil:
		l.Stopped, err = stoppedInterrupt, nil
		if journal != "" {
			j.progress.note("infer: the same command goes on with the search from " + journal)
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

// tryWeights infers with weights that are divided by the largest. A budget below 1
// allows a gap of 0.01 over the budget a component, 1 none. There is no warm start: a
// score must not depend on the trials before it.
func (j *job) tryWeights(w []float64, budget float64, r *weights.Result) ([]float64, error) {
	scaled := slices.Clone(w)
	if top := slices.Max(w); top > 0 {
		for i := range scaled {
			scaled[i] /= top
		}
	}
	if err := j.instance.SetWeights(scaled); err != nil {
		return nil, err
	}
	s := infer.Settings{Workers: j.threads}
	if budget < 1 {
		s.GapAbsolute = referenceGap / budget
		s.FeasibilityTolerance, s.StationarityTolerance = referenceViolation, s.GapAbsolute
	}
	begin := time.Now()
	if err := infer.Solve(j.instance, nil, s, &j.result); err != nil {
		return nil, err
	}
	r.SolverS += time.Since(begin).Seconds()
	r.Solves++
	if j.result.Status == infer.Infeasible {
		return nil, j.infeasible(j.result.Certificate)
	}
	if !j.result.Status.OK() {
		r.Unsolved++
	}
	return j.result.Y, nil
}

// steps counts what learning did: steps, or trials of a search.
func (l *learned) steps(n int) string {
	if l.Stopped == stoppedSearch {
		return count(n, "trial")
	}
	return count(n, "step")
}
