package train

import (
	"context"
	"errors"
	"sync"

	"hinge/optim/collective"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
)

// Run trains the model as configured until the budget, the patience or ctx ends, then tests
// the best weights, or with LastWeights the last, and writes result.json. It returns ErrInterrupted
// if ctx ended first, with the steps, seconds and solves until then.
//
// Shards are computed one after the other. Shards with synchronised batch normalisation wait
// for each other in every layer, so they run in parallel, each as a rank with its own model
// (Options.Another).
func Run(ctx context.Context, cfg config.Config, model learning.Model, opt Options) (record.Result, error) {
	if opt.Comm == nil {
		opt.Comm = collective.Local(1)[0]
	}
	if err := oneConfig(opt.Comm, &cfg); err != nil {
		return record.Result{}, err
	}
	opt.processes = opt.Comm.Size()
	n := cfg.Training.Parts() / opt.processes
	if !cfg.Neural.SyncBatchNorm || n <= 1 || n*opt.processes != cfg.Training.Parts() {
		return runRank(ctx, cfg, model, opt)
	}
	return runLocalShards(ctx, cfg, model, opt, n)
}

// runLocalShards is Run for n shards of this process. The first of its ranks stays on the
// goroutine of the caller.
func runLocalShards(ctx context.Context, cfg config.Config, model learning.Model, opt Options, n int) (res record.Result, err error) {
	if opt.Another == nil {
		return res, config.Usage("neural.sync-batch-norm", "%d shards in a process need as many models, which Options.Another makes; start %d ranks", n, cfg.Training.Parts())
	}
	models := []learning.Model{model}
	for range n - 1 {
		m, err := opt.Another()
		if err != nil {
			return res, err
		}
		models = append(models, m)
	}
	ranks, errs := collective.Nest(opt.Comm, n), make([]error, n)
	var once sync.Once
	rank := func(k int) (res record.Result) {
		opt := opt
		opt.Comm = ranks[k]
		res, errs[k] = runRank(ctx, cfg, models[k], opt)
		known := (*collective.RankError)(nil)
		if errs[k] == nil || errors.As(errs[k], &known) || errors.Is(errs[k], ErrInterrupted) {
			return res
		}
		once.Do(func() { err = errs[k] }) // errors of the other ranks follow from this one
		ranks[k].Abort(ExitCode(errs[k])) // or they wait for this one
		return res
	}
	var others sync.WaitGroup
	for k := 1; k < n; k++ {
		others.Go(func() { rank(k) })
	}
	res = rank(0)
	others.Wait()
	if err != nil {
		return res, err
	}
	return res, known(errs, opt.processes)
}

// known is an error that all ranks know of, as the one of this process has it that made
// it, if it is of this process.
func known(errs []error, processes int) error {
	for _, err := range errs {
		e := (*collective.RankError)(nil)
		switch {
		case !errors.As(err, &e) || e.Err == nil:
		case processes == 1:
			return e.Err
		default:
			return e
		}
	}
	return errs[0]
}

// synchronise joins the batch normalisation of all shards, one on each rank.
func (r *run) synchronise() error {
	if len(r.model.Neural().Buffers()) == 0 {
		return config.Usage("neural.sync-batch-norm", "the network has no batch normalisation; leave it out")
	}
	r.model.Neural().SyncBatchNorm(func(own []float64) ([]float64, error) { return collective.GatherEqual(r.comm, own) })
	return nil
}
