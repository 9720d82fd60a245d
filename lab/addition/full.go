package addition

import (
	"context"
	"fmt"

	"hinge/data/mnist"
	"hinge/lab/tables"
	"hinge/tasks/mnistadd"
)

// fullEpochs is the budget of a run of Full, half of Long's.
const fullEpochs = 20

// Full is addition of numbers of N = 1, 2, 4 and 15 digits with all 60,000
// training images, tested on MNIST's own test part, by Long's wider small network. The
// quick form is one epoch of N = 1 and 15.
func Full(o tables.Options) (*tables.Table, error) {
	r := readers[1]
	t := &tables.Table{
		Name: "addn", Title: "MNIST addition of longer numbers, all training images", Unit: "accuracy of the sum (%)",
		Code: "tasks/mnistadd", Shown: []string{singleDigits},
		Text: []string{"One model for every N: the columns of an addition share their rules, and DeepProbLog's circuit grows linearly. " +
			"Training uses the 60,000 images of MNIST's training part in 30,000/N additions, the test the 10,000 of its test part " +
			"in 5,000/N, each image once. Splits differ in the pairs and in the first weights. Recipe *best* with the network and the settings of the " + r.name +
			" in the table below, chosen there at N = 100, and 20 epochs; the last weights are tested, as there is nothing to hold out. The chain " +
			"free energy solves nothing in training; its answers are NeuPSL's MAP states. Energy learns through the value function, from N = 4 on " +
			"by windows of one column (ours) with the settings of the fourth row below, and so does *k-best* (ours). " +
			"The last two rows have the network of the fifth row below, and were run after those above had been seen on the same images. " +
			"What the symbolic half of an epoch takes, by N: `go test ./tasks/mnistadd -run '^$' -bench Epoch`.",
			"Published for N = 4 and 15, with networks of LeNet's size: DeepProofLog 94.0 and 80.8, DeepSoftLog 93.5 ± 0.6 and 77.1 ± 1.6, " +
				"A-NeSI 92.56 ± 0.79 and 76.84 ± 2.82, NeSyDM 92.49 ± 0.98 and 77.29 ± 1.40, PLIA 91.84 ± 0.73 and 79.00 ± 0.73. " +
				"Published seconds an epoch at N = 15: CTSketch 1.70, A-NeSI 52.7."},
	}
	unpooled := readers[3]
	unpooled.network = "plain"
	withoutPools := func(s system) system {
		s.name += ", network without pools"
		return s
	}
	for _, row := range []struct {
		system
		lengths []int
		reader  reader
	}{
		{chain, []int{1, 2, 4, 15}, r}, {systems[3], []int{1, 2}, r}, {systems[3], []int{4, 15}, readers[3]}, {systems[2], []int{1, 2, 4, 15}, r},
		{kBest, []int{15}, readers[3]}, {withoutPools(systems[3]), []int{15}, unpooled}, {withoutPools(kBest), []int{15}, unpooled},
	} {
		for _, n := range row.lengths {
			if o.Quick && (n != 1 && n != 15 || len(row.lengths) == 1) {
				continue
			}
			cfg := best(row.system.system, fmt.Sprintf("mnist-add%d", n), row.loss, mnist.FullSize(n))
			row.reader.change(&cfg)
			options := mnistadd.OptionsOf(&cfg)
			if options.Network = row.reader.network; options.WindowColumns == 0 {
				options.Lead, options.LeadColumns = 0, 0
			}
			if cfg.Training.Epochs = fullEpochs; o.Quick {
				cfg.Training.Epochs = 1
			}
			c, err := cell(o, row.name, fmt.Sprintf("N = %d", n), nil, []int{0, 1, 2}, cfg)
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
