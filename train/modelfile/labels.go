package modelfile

import (
	"math"

	"gonum.org/v1/gonum/floats"
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
