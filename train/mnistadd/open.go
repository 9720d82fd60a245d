package mnistadd

import (
	"hinge/data/mnist"
	"hinge/train"
)

// Open builds the model of a configuration: it grounds the rules, reads the
// images under the data root (empty: those that come with the modules), draws
// the split and builds the network.
func Open(cfg train.Config, digits int, root string) (*Model, error) {
	sym, err := NewSymbolic(digits, cfg.Rules)
	if err != nil {
		return nil, err
	}
	set, err := mnist.Load(root)
	if err != nil {
		return nil, &train.DataError{Err: err}
	}
	split, err := mnist.NewSplit(set.Train, digits, cfg.Additions, cfg.Split)
	if err != nil {
		return nil, &train.UsageError{Key: "additions", Problem: err.Error()}
	}
	return New(cfg, sym, set.Train, split)
}
