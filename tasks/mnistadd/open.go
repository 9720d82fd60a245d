package mnistadd

import (
	"fmt"

	"hinge/data/mnist"
	"hinge/train/config"
	"hinge/train/learning"
)

// Open builds the model of a configuration: it grounds the rules (NeuPSL only),
// reads the images under the data root (empty: those that come with the
// modules), draws the split and builds the network. As many additions as all
// 60,000 training images make are the full task, tested on MNIST's test part.
func Open(cfg config.Config, digits int, root string) (learning.Model, error) {
	if cfg.Split > mnist.MaxSplit {
		return nil, &config.UsageError{Key: "split", Problem: fmt.Sprintf("%d is above %d", cfg.Split, mnist.MaxSplit)}
	}
	var sym *Symbolic
	if cfg.NeuPSL() {
		var err error
		if sym, err = NewSymbolic(digits, cfg.Rules); err != nil {
			return nil, err
		}
	}
	set, err := mnist.Load(root)
	if err != nil {
		return nil, &learning.DataError{Err: err}
	}
	part, draw := set.All(), mnist.NewSplit
	if OptionsOf(&cfg).Additions == mnist.FullSize(digits) {
		draw = func(all *mnist.Part, digits, _, index int) (*mnist.Split, error) {
			return mnist.NewFullSplit(all, digits, index)
		}
	}
	split, err := draw(part, digits, OptionsOf(&cfg).Additions, cfg.Split)
	if err != nil {
		return nil, &config.UsageError{Key: "additions", Problem: err.Error()}
	}
	if sym == nil {
		return NewBaseline(cfg, part, split)
	}
	return New(cfg, sym, part, split)
}
