package train

import (
	"math"
	"slices"

	"hinge/nn"
)

// leastOutput replaces outputs that are zero in single precision, so that no single view
// excludes a class.
const leastOutput = 1e-7

// MeanOfViews returns the outputs for inputs of which a network has read several views (test-time
// augmentation): the softmaxes and sigmoids of the mean of the views' logits. views[v] are the
// outputs for view v, [inputs][outputs of all heads]. The mean of logits is the normalised
// geometric mean of the outputs. It stays sharp, while the arithmetic mean of a few views that
// disagree would be flat, and inference would decide between near ties.
func MeanOfViews[T nn.Float](views [][]T, heads ...nn.Head) []T {
	z := make([]float64, len(views[0]))
	mean := func(at int, of func(p float64) float64) {
		for _, outputs := range views {
			z[at] += of(float64(outputs[at]))
		}
		z[at] /= float64(len(views))
	}
	log := func(p float64) float64 { return math.Log(max(p, leastOutput)) }
	out := make([]T, len(z))
	for row := 0; row < len(z); row += heads[len(heads)-1].To {
		for _, h := range heads {
			if h.Sigmoid {
				for at := row + h.From; at < row+h.To; at++ {
					mean(at, func(p float64) float64 { return log(p) - log(1-p) })
					out[at] = T(1 / (1 + math.Exp(-z[at])))
				}
				continue
			}
			for at := row + h.From; at < row+h.To; at++ {
				mean(at, log)
			}
			z := z[row+h.From : row+h.To]
			top, sum := slices.Max(z), 0.0
			for k, v := range z {
				z[k] = math.Exp(v - top)
				sum += z[k]
			}
			for k, v := range z {
				out[row+h.From+k] = T(v / sum)
			}
		}
	}
	return out
}
