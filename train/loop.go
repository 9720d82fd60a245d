package train

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"hinge/optim"
	"hinge/optim/collective"
	"hinge/train/checkpoint"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
)

// ErrInterrupted is returned by Run when its context ended: the step was
// finished and a checkpoint written.
var ErrInterrupted = errors.New("train: interrupted; a checkpoint was written, go on with -resume")

// checkpointInterval is the time between checkpoints without a step count.
const checkpointInterval = time.Minute

// Options are the inputs of a run besides its configuration and its model.
type Options struct {
	// Dir is the run folder; it is created.
	Dir string
	// Resume goes on from the newest good checkpoint in Dir. Without it Dir
	// must not hold a checkpoint.
	Resume bool
	// Observer, if not nil, is called for what happens.
	Observer Observer
	// Version goes into result.json.
	Version string
	// LookEvery is the number of steps between further validations that only show the progress
	// of a run and choose no weights. 0 means none.
	LookEvery int
	// Report, if not nil, makes a page of a run folder: at the end of a sitting and
	// every ReportEvery steps, or where that is 0 after validations, as long as this
	// takes little of the time. An error is only noted. See package report.
	Report      func(dir string) error
	ReportEvery int
	// Comm are the ranks that share the run, nil for this process alone. All of them
	// call Run with one configuration, whose Training.Shards they divide, and see one
	// file system; rank 0 validates, tests and writes, and has the result. An error that
	// is no *collective.RankError is of one rank alone, whose caller must abort the others.
	Comm collective.Comm
	// Another makes a model like the one that is given to Run, for each further shard of
	// this process (Neural.SyncBatchNorm).
	Another func() (learning.Model, error)

	processes int // that Run was called in
}

// run is the state of one sitting.
type run struct {
	cfg   *config.Config
	opt   Options
	obs   Observer
	model learning.Model
	learn *learner
	store *checkpoint.Store
	log   *record.Log
	temp  optim.ExpDecay
	// release gives the run folder free; nil before it is held, and on ranks other than 0.
	release func()

	state     runState
	perEpoch  int
	total     int
	comm      collective.Comm
	sums      *sums    // nil where a batch is one pass
	agreed    requests // by any rank, with the last step
	batches   [][]int  // of the current epoch
	epoch     int      // they belong to
	began     time.Time
	wallStart float64
	pretrainS float64
	// evaluateOnly loads weights to judge them, not to go on.
	evaluateOnly bool
	saved        point     // of the newest checkpoint
	savedAt      time.Time // and its time
	validated    int       // step of the newest validation or look
	reportedAt   time.Time // end of the last writing of the page
	reportTook   time.Duration
	still        standstill
	spread       float64 // Work.DrawSpread of the last step
	idle         int     // steps in a row that moved nothing
}

// runRank is Run for one rank.
func runRank(ctx context.Context, cfg config.Config, model learning.Model, opt Options) (res record.Result, err error) {
	r := newRun(&cfg, model, opt)
	defer func() {
		if errors.Is(err, ErrInterrupted) {
			r.describe(&res)
		}
	}()
	if err := cfg.Validate(); err != nil {
		return record.Result{}, err
	}
	if err := r.agree(r.start()); err != nil {
		return record.Result{}, err
	}
	defer func() {
		if r.release != nil {
			r.release()
		}
	}()
	if err := r.alike(); err != nil {
		return record.Result{}, err
	}
	if err := r.pretrain(ctx); err != nil {
		return record.Result{}, err
	}
	if err := r.open(); err != nil {
		return record.Result{}, err
	}
	defer r.log.Close() //nolint:errcheck // every line was written by its own call
	r.obs.Start(r.plan())
	if steps := r.cfg.Training.Steps; steps > r.total {
		r.obs.Note(fmt.Sprintf("training.epochs = %d ends the run after %d of the %d steps of training.steps; 0 is no bound", r.cfg.Training.Epochs, r.total, steps))
	}
	defer r.obs.Done()

	if r.unjudged() || len(r.model.Neural().Params()) == 0 && !r.state.Early.Seen {
		// The weights that rules have from the start are an answer too.
		if err := r.interrupt(ctx, r.validate(ctx)); err != nil {
			return record.Result{}, err
		}
	}
	for !r.ended() {
		if err := r.interrupt(ctx, r.step(ctx)); err != nil {
			return record.Result{}, err
		}
		if r.checkpointDue() && !r.ended() { // the last one follows the last validation
			if err := r.save(); err != nil {
				return record.Result{}, err
			}
		}
		if r.reportDue() {
			r.report()
		}
	}
	if r.unjudged() { // out of patience between two validations
		if err := r.interrupt(ctx, r.validate(ctx)); err != nil {
			return record.Result{}, err
		}
	}
	return r.finish(ctx)
}

// interrupt returns err, the error of a step or of a validation. Where the context has ended it
// writes a checkpoint first and returns ErrInterrupted; a validation that was left is made up for
// when the run goes on.
func (r *run) interrupt(ctx context.Context, err error) error {
	ended := r.comm.Size() == 1 && ctx.Err() != nil
	if err != nil && !(ended && errors.Is(err, ctx.Err())) || !ended && !r.agreed.stop {
		return err
	}
	if r.unjudged() {
		if err := r.takeRules(); err != nil {
			return err
		}
	}
	if err := r.save(); err != nil {
		return err
	}
	r.report()
	return ErrInterrupted
}

// step takes one gradient step and validates when it is time.
func (r *run) step(ctx context.Context) error {
	n := r.state.Step
	step := learning.Step{Number: n, Epoch: n / r.perEpoch, Progress: float64(n) / float64(r.total)}
	step.Temperature = r.temp.At(step.Epoch)
	work, err := r.gradient(ctx, step)
	if err != nil {
		return fmt.Errorf("train: step %d: %w", n+1, err)
	}
	before := slices.Clone(r.model.Loss().Weights())
	norm, err := r.learn.apply(step)
	if err != nil {
		return err
	}
	r.state.Step++
	r.spread = work.DrawSpread
	r.count(work, &r.state.Solves)
	m := record.Metric{
		Step: r.state.Step, Epoch: step.Epoch, Split: learning.TrainPart, Loss: &work.Loss, Terms: work.Terms,
		LearningRate: r.learn.rate.At(n), Temperature: step.Temperature, GradNorm: &norm,
	}
	m.Add(work)
	if err := r.endEpoch(&m); err != nil {
		return err
	}
	r.noteIdle(step, norm, before)
	r.stop(before)
	if err := r.log.Write(m); err != nil {
		return err
	}
	r.obs.Step(r.state.Step, m)
	if r.validationDue() {
		return r.validate(ctx)
	}
	if every := r.opt.LookEvery; every > 0 && r.state.Step%r.cfg.Training.ValidEvery%every == 0 {
		return r.look(ctx, step)
	}
	return nil
}

// validationDue reports whether the newest step ends with a validation.
func (r *run) validationDue() bool {
	return r.state.Step%r.cfg.Training.ValidEvery == 0 || r.state.Step == r.total || r.state.Done
}

// unjudged reports whether the newest step still needs a validation: one that the sitting before left, or the
// one that follows the last step where its weights are tested.
func (r *run) unjudged() bool {
	return r.state.Judged < r.state.Step && (r.validationDue() || r.testsLast() && r.ended())
}

// testsLast reports whether the last weights are an answer, and a tie ends patience.
func (r *run) testsLast() bool {
	return r.cfg.Training.LastWeights || len(r.model.Neural().Params()) == 0
}

// look measures the averaged weights on validation data and changes nothing.
func (r *run) look(ctx context.Context, step learning.Step) error {
	return r.learn.averaged(func() error {
		m, err := r.evaluate(ctx, learning.ValidPart, step.Epoch)
		if err != nil {
			return err
		}
		r.validated = r.state.Step
		r.obs.Valid(r.state.Step, m, Looked)
		return nil
	})
}

// validate measures the averaged weights and keeps them if they are the best so far, or if the
// last weights are to be tested.
func (r *run) validate(ctx context.Context) error {
	return r.learn.averaged(func() error {
		m, err := r.score(ctx, learning.ValidPart, r.lastEpoch())
		if err != nil {
			return err
		}
		if err := r.takeRules(); err != nil {
			return err
		}
		m.Rules = r.state.Rules
		if text := r.still.note(&m, r.total, r.spread, r.cfg); text != "" {
			r.obs.Note(text)
		}
		if err := r.log.Write(m); err != nil {
			return err
		}
		r.validated, r.state.Judged = r.state.Step, r.state.Step
		fate := Passed
		if r.state.Early.update(r.state.Step, m.Accuracy, m.Parts, &r.cfg.Training) {
			fate = Kept
			r.learn.keepBest()
		}
		r.obs.Valid(r.state.Step, m, fate)
		return nil
	})
}

// evaluate scores the weights in place and logs the result.
func (r *run) evaluate(ctx context.Context, part learning.Part, epoch int) (record.Metric, error) {
	m, err := r.score(ctx, part, epoch)
	if err != nil {
		return record.Metric{}, err
	}
	return m, r.log.Write(m)
}

// score measures the weights in place.
func (r *run) score(ctx context.Context, part learning.Part, epoch int) (record.Metric, error) {
	s, err := r.evaluated(ctx, part)
	if err != nil {
		return record.Metric{}, fmt.Errorf("train: %s after step %d: %w", part, r.state.Step, err)
	}
	r.count(s.Work, &r.state.Evaluated)
	m := record.Metric{
		Step: r.state.Step, Epoch: epoch, Split: part, Figure: s.Figure, Parts: s.Parts, Networks: s.Networks,
		Entropy: s.Entropy, Examples: s.Examples,
	}
	if s.Examples > 0 {
		m.Accuracy = &s.Accuracy
	}
	r.state.Figure = s.Figure
	m.Add(s.Work)
	return m, nil
}

// count sums up work, its solves in one of two counters.
func (r *run) count(w learning.Work, solves *int) {
	s := &r.state
	*solves += w.Solves
	s.SolverS, s.NeuralS, s.CommS = s.SolverS+w.SolverSeconds, s.NeuralS+w.NeuralSeconds, s.CommS+w.CommSeconds
	s.Unsolved += w.Unsolved
	s.GapSum = learning.Finite(s.GapSum + w.MeanGap*float64(w.Solves))
	s.WorstGap, s.WorstViolation = max(s.WorstGap, w.WorstGap), max(s.WorstViolation, w.WorstViolation)
}

// save writes a checkpoint of the current point, unless there is one.
func (r *run) save() error {
	if r.saved == r.state.point() {
		return nil
	}
	r.state.AdamStep = r.learn.adam.State().Step
	if r.learn.ema != nil {
		r.state.AverageStep = r.learn.ema.State().Step
	}
	r.state.WallS = r.wallStart + time.Since(r.began).Seconds()
	if err := r.whole(func() error {
		return r.store.Save(int64(r.state.Step), r.state, r.learn.tensors())
	}); err != nil {
		return fmt.Errorf("train: checkpoint of step %d: %w", r.state.Step, err)
	}
	r.saved, r.savedAt = r.state.point(), time.Now()
	r.obs.Note(fmt.Sprintf("checkpoint of step %d written", r.state.Step))
	return nil
}

// finish saves, judges the best weights and writes result.json.
func (r *run) finish(ctx context.Context) (record.Result, error) {
	if err := r.save(); err != nil {
		return record.Result{}, err
	}
	r.learn.restoreBest()
	if !r.leads() {
		return record.Result{}, nil
	}
	res, err := r.judge(ctx, r.evaluate)
	if err != nil && ctx.Err() != nil {
		return record.Result{}, ErrInterrupted
	}
	if err != nil {
		return record.Result{}, err
	}
	if err := r.show(); err != nil {
		r.obs.Note(fmt.Sprintf("nothing to show of the test: %v", err))
	}
	if err := record.WriteResult(r.opt.Dir, res); err != nil {
		return record.Result{}, err
	}
	// The newest checkpoint has the last weights and the best; older ones were kept in case it
	// was damaged.
	if err := r.store.Trim(); err != nil {
		r.obs.Note(err.Error())
	}
	r.report()
	return res, nil
}

func (r *run) lastEpoch() int { return max(r.state.Step-1, 0) / r.perEpoch }
