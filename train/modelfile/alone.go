package modelfile

import (
	"gorgonia.org/gorgonia"

	"hinge/bilevel"
)

// labelsAlone is the loss of the rules where the networks learn from their own labels alone,
// which are terms beside it: zero, so that the rule weights stay.
type labelsAlone struct{ bilevel.Stateless }

// Express is zero, with derivatives of zero.
func (labelsAlone) Express(w, g *gorgonia.Node) (*gorgonia.Node, error) {
	return bilevel.Function("no rules", w, g, func(_, _, _, _ []float64) (float64, error) { return 0, nil })
}

// Satisfaction is zero: no rule was looked at.
func (labelsAlone) Satisfaction(out []float64) bool {
	clear(out)
	return true
}
