package train

import "context"

// Pretrainer is implemented by models that have a phase before the steps of a run: the network
// learns without labels, as Config.Neural.Pretrain asks, or from its own labels alone.
type Pretrainer interface {
	// Pretrain changes the network's parameters and returns the seconds that this took, now or
	// when a cached result was made; 0 where the configuration has no such phase. note is told
	// of progress. When ctx ends it returns soon, with an error that wraps ctx's.
	Pretrain(ctx context.Context, note func(line string)) (seconds float64, err error)
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
	model, ok := r.model.(Pretrainer)
	if kind := r.cfg.Neural.Pretrain; !ok && kind != "" && kind != "none" {
		return Usage("neural.pretrain", "%s is not for this task", kind)
	}
	if !ok {
		return nil
	}
	var err error
	if r.leads() {
		r.pretrainS, err = model.Pretrain(ctx, r.obs.Note)
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
	return r.spreadNetwork()
}
