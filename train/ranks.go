package train

import (
	"context"
	"encoding/json"
	"hash/crc32"
	"reflect"
	"strings"
	"time"

	"hinge/optim/collective"
	"hinge/train/checkpoint"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
)

// newRun is a run of the ranks of opt, or of this process alone.
func newRun(cfg *config.Config, model learning.Model, opt Options) *run {
	r := &run{cfg: cfg, opt: opt, obs: opt.Observer, model: model, comm: opt.Comm, began: time.Now()}
	if r.comm == nil {
		r.comm = collective.Local(1)[0]
	}
	if r.obs == nil || !r.leads() {
		r.obs = Nobody{}
	}
	if !r.leads() {
		r.opt.Report = nil
	}
	return r
}

// oneConfig returns an error of all ranks that names the settings of one that are others on rank 0.
func oneConfig(c collective.Comm, cfg *config.Config) error {
	if c.Size() == 1 {
		return nil
	}
	text, err := cfg.Encode()
	if err == nil {
		text, err = collective.BroadcastText(c, text, 0)
	}
	var first config.Config
	if err == nil {
		err = first.Decode("the settings of rank 0", text)
	}
	if err == nil {
		if changed := first.Diff(cfg); len(changed) > 0 {
			err = config.Usage("settings", "rank 0 has others than this rank (%s); start all ranks with the same settings", strings.Join(changed, ", "))
		}
	}
	return collective.Agree(c, err, ExitCode)
}

// leads reports whether this is rank 0, which validates, tests and writes.
func (r *run) leads() bool { return r.comm.Rank() == 0 }

// agree makes an error of one rank one of all.
func (r *run) agree(err error) error { return collective.Agree(r.comm, err, ExitCode) }

// hold keeps other processes out of the run folder, until the end of the run.
func (r *run) hold() (err error) {
	if r.release == nil {
		if r.release, err = record.Hold(r.opt.Dir); err != nil {
			return config.Usage("out", "%v", err)
		}
	}
	return nil
}

// prepareAll prepares all ranks, rank 0 first: it makes the run folder.
func (r *run) prepareAll() error {
	var err error
	if r.leads() {
		if err = r.hold(); err == nil {
			err = r.prepare(checkpoint.Options{Keep: r.cfg.Training.Keep})
		}
	}
	if err := r.agree(err); err != nil {
		return err
	}
	if !r.leads() {
		err = r.prepare(checkpoint.Options{ReadOnly: true})
	}
	if err := r.agree(err); err != nil {
		return err
	}
	first := r.state.Step
	if err := r.tell(&first, 0); err != nil {
		return err
	}
	if first != r.state.Step {
		err = config.Usage("out", "%s is at step %d here, at step %d on rank 0: it must lie on a file system that all ranks share", r.opt.Dir, r.state.Step, first)
	}
	return r.agree(err)
}

// alike returns an error, the same on all ranks, where they have not read the same.
func (r *run) alike() error {
	unlike, err := collective.Unlike(r.comm, crc32.Checksum([]byte(content(r.model, learning.TrainPart, learning.ValidPart)), castagnoli))
	if err == nil && unlike != "" {
		err = config.Usage("data", "rules or data, or their order, are not those of rank 0: %s; give all ranks the same files", unlike)
	}
	return r.agree(err)
}

// tell gives the value that v points to on the rank root to all, as JSON.
func (r *run) tell(v any, root int) error {
	if r.comm.Size() == 1 {
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if text, err = collective.BroadcastText(r.comm, text, root); err != nil || r.comm.Rank() == root {
		return err
	}
	reflect.ValueOf(v).Elem().SetZero() // a field that the text leaves out is zero
	return json.Unmarshal(text, v)
}

// gradient runs the loss on the batch of a step, all shards of it.
func (r *run) gradient(ctx context.Context, step learning.Step) (learning.Work, error) {
	if r.epoch != step.Epoch {
		r.batches, r.epoch = r.cfg.Batches(r.model.Examples(learning.TrainPart), step.Epoch), step.Epoch
	}
	batch := r.batches[step.Number%r.perEpoch]
	if r.sums == nil {
		return r.model.Gradient(step, batch)
	}
	work, agreed, err := r.sums.gradient(step, batch, requests{stop: ctx.Err() != nil, save: r.leads() && r.minuteGone(), late: r.leads() && r.late()})
	r.agreed = agreed
	return work, err
}

// checkpointDue reports whether a checkpoint is to be written with this step: by its number,
// or by the clock of rank 0.
func (r *run) checkpointDue() bool {
	if every := r.cfg.Training.CheckpointEvery; every > 0 {
		return r.state.Step%every == 0
	}
	return r.agreed.save || r.comm.Size() == 1 && r.minuteGone()
}

func (r *run) minuteGone() bool { return time.Since(r.savedAt) >= checkpointInterval }

// evaluated is Model.Evaluate on rank 0, whose score all ranks get; none leaves it before it is
// done. The test is rank 0's alone.
func (r *run) evaluated(ctx context.Context, part learning.Part) (s learning.Score, err error) {
	if r.comm.Size() > 1 {
		ctx = context.WithoutCancel(ctx)
	}
	if r.leads() {
		s, err = r.model.Evaluate(ctx, part)
	}
	if part.Final() || r.comm.Size() == 1 {
		return s, err
	}
	if err := r.agree(err); err != nil {
		return s, err
	}
	return s, r.tell(&s, 0)
}

// whole calls f on rank 0 with what all ranks remember.
func (r *run) whole(f func() error) error {
	if r.comm.Size() == 1 {
		return f()
	}
	if err := r.same(); err != nil {
		return err
	}
	var failed error
	err := r.model.Loss().Whole(func() error {
		if r.leads() {
			failed = f()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.agree(failed)
}
