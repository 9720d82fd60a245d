package addition

import (
	"context"
	"fmt"

	"hinge/data/mnist"
	"hinge/reproduce/tables"
)

// Full is addition of numbers of N = 1, 2, 4 and 15 digits with all 60,000
// training images, tested on MNIST's own test part. The quick form is one epoch of
// N = 1 and 15.
func Full(o tables.Options) (*tables.Table, error) {
	t := &tables.Table{
		Name: "addn", Title: "MNIST addition of longer numbers, all training images", Unit: "accuracy of the sum (%)",
		Code: "tasks/mnistadd",
		Text: []string{"One model for every N: the columns of an addition share their rules, and DeepProbLog's circuit grows linearly. " +
			"Training uses the 60,000 images of MNIST's training part in 30,000/N additions, the test the 10,000 of its test part " +
			"in 5,000/N, each image once. Recipe *best*; the last weights are tested, as there is nothing to hold out. The chain " +
			"free energy solves nothing in training; its answers are NeuPSL's MAP states. " +
			"What the symbolic half of an epoch takes, by N: `go test ./tasks/mnistadd -run '^$' -bench Epoch`.",
			"Published for N = 4 and 15, with smaller networks: DeepProofLog 94.0 and 80.8, DeepSoftLog 93.5 ± 0.6 and 77.1 ± 1.6, " +
				"A-NeSI 92.56 ± 0.79 and 76.84 ± 2.82, NeSyDM 92.49 ± 0.98 and 77.29 ± 1.40, PLIA 91.84 ± 0.73 and 79.00 ± 0.73. " +
				"Published seconds an epoch at N = 15: CTSketch 1.70, A-NeSI 52.7."},
	}
	numbers := []int{1, 2, 4, 15}
	if o.Quick {
		numbers = []int{1, 15}
	}
	for _, s := range []system{systems[2], chain} {
		for _, n := range numbers {
			task := fmt.Sprintf("mnist-add%d", n)
			cfg := best(s.system, task, s.loss, mnist.FullSize(n))
			if o.Quick {
				cfg.Training.Epochs = 1
			}
			c, err := cell(o, s.name, fmt.Sprintf("N = %d", n), nil, []int{0}, cfg)
			if err != nil {
				return nil, err
			}
			inner, epochs := c.Run, float64(cfg.Training.Epochs)
			c.Run = func(ctx context.Context, split int) (tables.Outcome, error) {
				out, err := inner(ctx, split)
				if err == nil {
					out.More["Seconds an epoch, with its validations"] = out.WallS / epochs
				}
				return out, err
			}
			t.Cells = append(t.Cells, c)
		}
	}
	return t, nil
}
