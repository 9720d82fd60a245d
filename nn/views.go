package nn

import (
	"fmt"
	"math"
	"slices"
)

// leastOutput replaces outputs that are zero in single precision, so that no single view
// excludes a class.
const leastOutput = 1e-7

// MeanOfViews returns the outputs for inputs of which a network reads several views (test-time
// augmentation): the softmaxes and sigmoids of the mean of the views' logits. read(v) returns the
// outputs for view v, [inputs][outputs of all heads]; those of a single view are returned as they
// are. An error of read is returned. There is at least one view and one head, and the heads are in
// the order of the outputs, the last of which ends a row.
//
// The mean of logits is the normalised geometric mean of the outputs. It stays sharp, while the
// arithmetic mean of a few views that disagree would be flat, and inference would decide between
// near ties.
func MeanOfViews[T Float](views int, read func(view int) ([]T, error), heads ...Head) ([]T, error) {
	var z []float64 // sums of logits
	var out []T
	width := heads[len(heads)-1].To
	log := func(p float64) float64 { return math.Log(max(p, leastOutput)) }
	for view := range views {
		outputs, err := read(view)
		if err != nil || views == 1 {
			return outputs, err
		}
		if view == 0 {
			z, out = make([]float64, len(outputs)), make([]T, len(outputs))
		}
		for row := 0; row < len(z); row += width {
			for _, h := range heads {
				for at := row + h.From; at < row+h.To; at++ {
					p := float64(outputs[at])
					if h.Sigmoid {
						z[at] += log(p) - log(1-p)
					} else {
						z[at] += log(p)
					}
				}
			}
		}
	}
	for i := range z {
		z[i] /= float64(views)
	}
	for row := 0; row < len(z); row += width {
		for _, h := range heads {
			mean := z[row+h.From : row+h.To]
			if !h.Sigmoid {
				Softmax(mean, mean, len(mean))
			}
			for k, v := range mean {
				if h.Sigmoid {
					v = 1 / (1 + math.Exp(-v))
				}
				out[row+h.From+k] = T(v)
			}
		}
	}
	return out, nil
}

// Softmax writes the softmax of each row of z, classes long, to p, which may be z, for
// computations outside a graph. It panics if the lengths do not fit.
func Softmax(p, z []float64, classes int) {
	if len(p) != len(z) || len(z)%classes != 0 {
		panic(fmt.Sprintf("nn: %d logits and %d probabilities in rows of %d", len(z), len(p), classes))
	}
	for i := 0; i < len(z); i += classes {
		in, out := z[i:i+classes], p[i:i+classes]
		top, sum := slices.Max(in), 0.0
		for k, v := range in {
			out[k] = math.Exp(v - top)
			sum += out[k]
		}
		for k := range out {
			out[k] /= sum
		}
	}
}
