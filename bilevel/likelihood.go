package bilevel

import (
	"fmt"

	"gorgonia.org/gorgonia"
)

// Likelihood adds the weighted negative log-likelihood of labels to the graph of the
// neural outputs g, N rows of C probabilities as float32 or float64:
//
//	Σ_i weights[i] · (−log g[i][labels[i]]),
//
// a float64 scalar, so that it can be added to a loss over values. It solves nothing:
// it is for outputs whose label is known, beside a loss that learns the others through
// rules (see Attach). Rows of weight 0 need no label. Below 1e-4 the logarithm goes
// over into its tangent. labels and weights are read at every run.
func Likelihood(g *gorgonia.Node, labels []int, weights []float64) (*gorgonia.Node, error) {
	size, rows := g.Shape().TotalSize(), len(labels)
	if rows == 0 || len(weights) != rows || size%rows != 0 {
		return nil, fmt.Errorf("bilevel: likelihood of %d labels with %d weights in %d outputs", rows, len(weights), size)
	}
	classes := size / rows
	return Function("likelihood", nil, g, func(_, p, _, dp []float64) (sum float64, err error) {
		for i, w := range weights {
			if w == 0 {
				continue
			}
			l := labels[i]
			if l < 0 || l >= classes {
				return 0, fmt.Errorf("bilevel: likelihood: label %d of row %d is not in 0..%d", l, i, classes-1)
			}
			v, slope := negLog(p[i*classes+l])
			sum += w * v
			dp[i*classes+l] = w * slope
		}
		return sum, nil
	})
}
