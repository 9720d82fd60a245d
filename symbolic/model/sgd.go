package model

import (
	"math"
	"strings"
)

// SGD are the options of the reference's incremental gradient methods (sgd.*), with its
// defaults.
type SGD struct {
	// Extension is NONE, ADAGRAD or ADAM.
	Extension string
	// Iterations is the most passes, 0 where the model does not say.
	Iterations int
	// Rate is the learning rate, Decay the exponent with which it falls, unless it is
	// Constant (learningrate, inversescaleexp, learningschedule).
	Rate, Decay float64
	Constant    bool
	// Beta1 and Beta2 are Adam's.
	Beta1, Beta2 float64
	// Coordinate takes coordinate steps.
	Coordinate bool
	// Break ends when the p-norm of the gradient, p = Norm, is at most Threshold.
	Break           bool
	Threshold, Norm float64
}

var defaultSGD = SGD{Extension: "NONE", Rate: 1, Decay: 1, Beta1: 0.9, Beta2: 0.999, Break: true, Threshold: 0.01, Norm: math.Inf(1)}

// method is the name in package infer of a method, given the extension.
func (o *SGD) method(name string) string {
	if name == "sgd" && o.Extension != "NONE" {
		return strings.ToLower(o.Extension)
	}
	return name
}

// sgdSettings are the options of the incremental gradient methods.
func (l *loader) sgdSettings() []setting {
	o := &l.m.Options.SGD
	schedule := ""
	fraction := func(to *float64) func(*option) error {
		return l.number(to, "a number between 0 and 1", func(v float64) bool { return v > 0 && v < 1 })
	}
	return []setting{
		{"sgd.extension", l.word(&o.Extension, "NONE", "ADAGRAD", "ADAM")},
		{"sgd.maxiterations", l.count(&o.Iterations)},
		{"sgd.learningrate", l.positive(&o.Rate)},
		{"sgd.inversescaleexp", l.positive(&o.Decay)},
		{"sgd.learningschedule", func(e *option) error {
			err := l.word(&schedule, "STEPDECAY", "CONSTANT")(e)
			o.Constant = schedule == "CONSTANT"
			return err
		}},
		{"sgd.adambeta1", fraction(&o.Beta1)},
		{"sgd.adambeta2", fraction(&o.Beta2)},
		{"sgd.coordinatestep", l.truth(&o.Coordinate)},
		{"sgd.firstorderbreak", l.truth(&o.Break)},
		{"sgd.firstorderthreshold", l.nonNegative(&o.Threshold)},
		{"sgd.firstordernorm", l.number(&o.Norm, "a number ≥ 1, or Infinity", func(v float64) bool { return v >= 1 })},
	}
}
