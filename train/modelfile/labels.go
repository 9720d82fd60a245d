package modelfile

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gorgonia.org/gorgonia"

	"hinge/bilevel"
)

// labelLoss is the cross entropy of true values t of the network's own outputs, summed
// over the labels, and adds its derivatives for the logits z, [entities][outputs], to dz:
//
//	−Σ t log p  for a softmax,   −Σ t log p + (1 − t) log (1 − p)  for a sigmoid.
//
// Both are weighted. The beliefs p are those without noise.
func (n *network[T]) labelLoss(labels []label, weight float64, z, dz []float64) float64 {
	sum := 0.0
	for _, l := range labels {
		h, at := n.of(l.output), l.entity*n.width
		k := at + l.output
		if h.Output == "sigmoid" {
			sum += l.truth*softplus(-z[k]) + (1-l.truth)*softplus(z[k])
			dz[k] += weight * (1/(1+math.Exp(-z[k])) - l.truth)
			continue
		}
		shift := floats.LogSumExp(z[at+h.from : at+h.to])
		sum += l.truth * (shift - z[k])
		for c := at + h.from; c < at+h.to; c++ {
			dz[c] += weight * l.truth * math.Exp(z[c]-shift)
		}
		dz[k] -= weight * l.truth
	}
	return weight * sum
}

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

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
