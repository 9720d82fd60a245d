package sudoku

import (
	"context"
	"strings"

	"hinge/train/learning"
	"hinge/train/simclr"
)

// Pretrain implements learning.Pretrainer: SimCLR on the images of the valid training
// boards, in front of a fresh head. The twins show hardly any others.
func (m *Model) Pretrain(ctx context.Context, note func(line string)) (seconds float64, err error) {
	kind := m.cfg.Neural.Pretrain
	if kind == "" || kind == "none" {
		return 0, nil
	}
	own := OptionsOf(&m.cfg)
	c := simclr.Reference(m.cfg.Seed)
	if kind == "best" {
		c = simclr.Mild(m.cfg.Seed)
		c.Epochs, c.Batch = own.PretrainEpochs, 256
	}
	c.Backbone = network(own.Network, m.split.Train.Side)
	images := m.cells(learning.TrainPart, learning.All(m.boards.Len(learning.TrainPart)))
	tensors, seconds, err := simclr.Pretrain(ctx, c, m.images, images, simclr.Options{Note: note})
	if err != nil {
		return 0, err
	}
	inBackbone := func(name string) bool { return !strings.HasPrefix(name, "head.") }
	return seconds, m.Net.Params().ImportWhere(inBackbone, tensors)
}

var _ learning.Pretrainer = (*Model)(nil)
