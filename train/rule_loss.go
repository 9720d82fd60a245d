package train

import (
	"hinge/bilevel"
	"hinge/nn"
	"hinge/train/checkpoint"
)

// RuleLoss is the part of a Model that learns rule weights beside a network by a
// loss of package bilevel: a model embeds it and has Weights, WeightGradient,
// EndEpoch, Warm and SetWarm.
type RuleLoss struct {
	Objective *bilevel.Objective

	weights  []float64 // w_sy, bound to the graph
	gradient func() []float64
}

// NewRuleLoss compiles the graph of a network with the loss of o on its output (see
// bilevel.Attach). Learning starts from w, on the unit simplex, which becomes the
// storage of the weights.
func NewRuleLoss(o *bilevel.Objective, g *nn.Graph[float32], w []float64) (*RuleLoss, error) {
	gradient, err := bilevel.Attach(o, g, w)
	if err != nil {
		return nil, err
	}
	return &RuleLoss{Objective: o, weights: w, gradient: gradient}, nil
}

// Weights implements Model.
func (l *RuleLoss) Weights() []float64 { return l.weights }

// WeightGradient implements Model.
func (l *RuleLoss) WeightGradient() []float64 { return l.gradient() }

// EndEpoch implements EpochEnder.
func (l *RuleLoss) EndEpoch(norm float64) (bilevel.Outcome, error) {
	return l.Objective.EndEpoch(l.weights, norm)
}

// Warm implements Model.
func (l *RuleLoss) Warm() []checkpoint.Tensor { return ObjectiveTensors(l.Objective) }

// SetWarm implements Model.
func (l *RuleLoss) SetWarm(get func(name string) (checkpoint.Tensor, error)) error {
	return RestoreObjective(l.Objective, get)
}
