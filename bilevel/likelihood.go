package bilevel

import (
	"fmt"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
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
	at := func(i int) (int, error) {
		if l := labels[i]; l < 0 || l >= classes {
			return 0, fmt.Errorf("bilevel: likelihood: label %d of row %d is not in 0..%d", l, i, classes-1)
		}
		return i*classes + labels[i], nil
	}
	slopes := make([]float64, rows)
	out := tensor.New(tensor.WithShape(1), tensor.Of(tensor.Float64))
	run := func(in []gorgonia.Value) (gorgonia.Value, error) {
		var sum float64
		for i, w := range weights {
			slopes[i] = 0
			if w == 0 {
				continue
			}
			k, err := at(i)
			if err != nil {
				return nil, err
			}
			p, err := element(in[0], k)
			if err != nil {
				return nil, err
			}
			v, slope := negLog(p)
			sum, slopes[i] = sum+w*v, w*slope
		}
		out.Float64s()[0] = sum
		return out, nil
	}
	back := func(dv, dx []float64) {
		clear(dx)
		for i, s := range slopes {
			if s != 0 {
				dx[i*classes+labels[i]] = dv[0] * s
			}
		}
	}
	op := &function{
		name: "likelihood", in: gorgonia.Nodes{g}, back: []backward{back}, run: run,
		out: gorgonia.TensorType{Dims: 1, Of: tensor.Float64}, dims: tensor.Shape{1},
	}
	v, err := op.apply()
	if err != nil {
		return nil, fmt.Errorf("bilevel: likelihood: %w", err)
	}
	return gorgonia.Sum(v)
}

// element returns one number of a value.
func element(v gorgonia.Value, k int) (float64, error) {
	switch d := v.Data().(type) {
	case []float64:
		return d[k], nil
	case []float32:
		return float64(d[k]), nil
	}
	return 0, fmt.Errorf("bilevel: neural outputs are %v, want float32 or float64", v.Dtype())
}
