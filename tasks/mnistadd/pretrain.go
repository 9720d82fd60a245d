package mnistadd

import (
	"context"
	"strings"

	"hinge/train/learning"
	"hinge/train/simclr"
)

// Pretrain implements learning.Pretrainer: SimCLR on the images of the training
// additions, in front of a fresh head.
func (r *reader) Pretrain(ctx context.Context, note func(line string)) (seconds float64, err error) {
	kind := r.cfg.Neural.Pretrain
	if kind == "" || kind == "none" {
		return 0, nil
	}
	c := simclr.Reference(r.cfg.Seed)
	if kind == "best" {
		c = simclr.Mild(r.cfg.Seed)
	}
	c.Backbone = backbone(&r.cfg)
	tensors, seconds, err := simclr.Pretrain(ctx, c, r.part, r.split.Train.Images, simclr.Options{Note: note})
	if err != nil {
		return 0, err
	}
	inBackbone := func(name string) bool {
		return !strings.HasPrefix(name, "head.") && !strings.HasPrefix(name, "sum.")
	}
	return seconds, r.network.Net.Params().ImportWhere(inBackbone, tensors)
}

var _ learning.Pretrainer = (*reader)(nil)
