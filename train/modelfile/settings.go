package modelfile

import (
	"fmt"

	"hinge/train"
)

// Settings are the section "model" of a configuration.
type Settings struct {
	// File is the path of the model file.
	File string `toml:"file"`
	// RulesWeight is the factor of the loss of the rules, which learns from the true
	// values of the targets, beside that of the labels. With 0 the networks learn
	// from labels alone and the rule weights stay; inference has the rules all the
	// same.
	RulesWeight float64 `toml:"rules-weight"`
	// LabelWeight is the factor of the cross entropy of the true values of the
	// networks' own predicates, where there are such.
	LabelWeight float64 `toml:"label-weight"`
	// LabelEpochs is the number of steps at the start, before those of the run, that
	// learn from those labels alone, with Adam at LabelRate.
	LabelEpochs int     `toml:"label-epochs"`
	LabelRate   float64 `toml:"label-rate"`
}

// Validate reports the first setting that makes no sense.
func (s *Settings) Validate() error {
	problem := func(key, format string, args ...any) error {
		return &train.UsageError{Key: "model." + key, Problem: fmt.Sprintf(format, args...)}
	}
	switch {
	case s.File == "":
		return problem("file", "missing; name a model file")
	case !(s.RulesWeight >= 0):
		return problem("rules-weight", "%v is negative", s.RulesWeight)
	case !(s.LabelWeight >= 0):
		return problem("label-weight", "%v is negative", s.LabelWeight)
	case s.LabelEpochs < 0:
		return problem("label-epochs", "%d is negative", s.LabelEpochs)
	case s.LabelEpochs > 0 && !(s.LabelRate > 0):
		return problem("label-rate", "%v is not a positive number", s.LabelRate)
	}
	return nil
}

// Defaults returns the configuration of a model file.
func Defaults(file, loss string) (train.Config, Settings) {
	c := train.CitationDefaults("citation-demo", loss, "paper")
	c.Task, c.Citation, c.Additions = "model", nil, 1
	c.Training.Epochs, c.Training.Patience, c.Training.ValidEvery = 200, 100, 5
	c.Symbolic.Solver = "auto"
	return c, Settings{File: file, RulesWeight: 1, LabelWeight: 1, LabelRate: 1e-2}
}
