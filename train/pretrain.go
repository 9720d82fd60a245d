package train

import "context"

// Pretrainer is implemented by models whose network can be pre-trained without
// labels, as Config.Neural.Pretrain asks.
type Pretrainer interface {
	// Pretrain overwrites the network's parameters and returns the seconds the
	// pre-training took, now or when its cached result was made. note is told of
	// progress. When ctx ends it returns soon, with an error that wraps ctx's;
	// the next call goes on from there.
	Pretrain(ctx context.Context, note func(line string)) (seconds float64, err error)
}

// ErrPretrainInterrupted is returned by Run when its context ended in the
// pre-training. It is an ErrInterrupted.
var ErrPretrainInterrupted error = interruptedEarly{}

type interruptedEarly struct{}

func (interruptedEarly) Error() string {
	return "train: interrupted in the pre-training, which is kept; start the run again to go on"
}

func (interruptedEarly) Is(target error) bool { return target == ErrInterrupted }

// pretrain pre-trains the network of a run that begins, on rank 0.
func (r *run) pretrain(ctx context.Context) error {
	kind := r.cfg.Neural.Pretrain
	if kind == "" || kind == "none" || r.opt.Resume {
		return nil
	}
	if err := r.cfg.Validate(); err != nil {
		return err
	}
	model, ok := r.model.(Pretrainer)
	if !ok {
		return Usage("neural.pretrain", "%s is not for this task", kind)
	}
	var err error
	if r.leads() {
		r.pretrainS, err = model.Pretrain(ctx, r.obs.Note)
		if err != nil && ctx.Err() != nil {
			err = ErrPretrainInterrupted
		}
	}
	if err := r.agree(err); err != nil || r.comm.Size() == 1 {
		return err
	}
	return r.spreadNetwork()
}
