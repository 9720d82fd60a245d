package train

import (
	"context"

	"hinge/train/config"
	"hinge/train/learning"
)

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

// start begins a run with the weights of files. Every rank reads them.
func (r *run) start() error {
	init := r.cfg.Neural.Init
	if r.opt.Resume {
		return nil
	}
	note := r.obs.Note
	if !r.leads() {
		note = func(string) {}
	}
	return r.model.Neural().StartFrom(init, note)
}
