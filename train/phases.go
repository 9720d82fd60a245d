package train

import (
	"context"
	"fmt"
	"slices"

	"hinge/optim/collective"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
)

// endEpoch ends the epoch of the model and records the outcome.
func (r *run) endEpoch(m *record.Metric) error {
	if r.state.Step%r.perEpoch != 0 {
		return nil
	}
	out, err := r.model.Loss().EndEpoch(*m.GradNorm)
	if err != nil {
		return fmt.Errorf("train: end of epoch %d: %w", m.Epoch, err)
	}
	if out.Tested {
		m.Outcome = &out
	}
	if out.Done {
		r.end(record.StoppedGap)
		r.obs.Note(fmt.Sprintf("the learning problem is solved after step %d", r.state.Step))
	}
	return nil
}

// takeRules takes the table of the rules from the newest step, unless that was one of the sitting before. It
// describes the last pass, which the last rank has.
func (r *run) takeRules() error {
	if rules := r.model.Loss().Rules(); rules != nil {
		r.state.Rules = rules
	}
	return r.tell(&r.state.Rules, r.comm.Size()-1)
}

// rules is the last table, with the weights in place.
func (r *run) rules() []learning.Rule {
	rules, weights := slices.Clone(r.state.Rules), r.model.Loss().Weights()
	for i := range rules {
		rules[i].Weight = weights[i]
	}
	return rules
}

// ErrPretrainInterrupted is returned by Run when its context ended in the
// pre-training. It is an ErrInterrupted.
var ErrPretrainInterrupted error = interruptedEarly{}

type interruptedEarly struct{}

func (interruptedEarly) Error() string {
	return "train: interrupted in the pre-training, before the first step; start the run again"
}

func (interruptedEarly) Is(target error) bool { return target == ErrInterrupted }

// pretrain pre-trains the network of a run that begins, on rank 0. The other ranks get its weights.
func (r *run) pretrain(ctx context.Context) error {
	if r.opt.Resume {
		return nil
	}
	model, ok := r.model.(learning.Pretrainer)
	if kind := r.cfg.Neural.Pretrain; !ok && kind != "" && kind != "none" {
		return config.Usage("neural.pretrain", "%s is not for this task", kind)
	}
	if !ok {
		return nil
	}
	var err error
	if r.leads() {
		if err = r.hold(); err == nil && Begun(r.opt.Dir) {
			err = r.occupied()
		}
		if err == nil {
			r.pretrainS, err = model.Pretrain(ctx, r.obs.Note)
		}
		if err != nil && ctx.Err() != nil {
			err = ErrPretrainInterrupted
		}
	}
	if err := r.agree(err); err != nil {
		return err
	}
	if err := r.tell(&r.pretrainS, 0); err != nil || r.pretrainS == 0 || r.comm.Size() == 1 {
		return err
	}
	for _, p := range append(r.model.Neural().Params(), r.model.Neural().Buffers()...) {
		if err := collective.Broadcast(r.comm, p.Value, 0); err != nil {
			return fmt.Errorf("train: the first weights: %w", err)
		}
	}
	return nil
}

// start begins a run with the weights of files. Every rank reads them.
func (r *run) start() error {
	init := r.cfg.Neural.Init
	for _, part := range []learning.Part{learning.ValidPart, learning.TestPart} {
		if !(part == learning.TestPart && r.cfg.Training.NoTest) && r.model.Examples(part) == 0 {
			return &learning.DataError{Err: fmt.Errorf("train: the part %s has no examples with true values; validation needs some, and the test without training.no-test", part)}
		}
	}
	if r.opt.Resume {
		return nil
	}
	note := r.obs.Note
	if !r.leads() {
		note = func(string) {}
	}
	return r.model.Neural().StartFrom(init, note)
}
