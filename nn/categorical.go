package nn

import (
	"cmp"

	"gorgonia.org/gorgonia"
)

// Categorical returns the beliefs softmax(logits) of logits [N][C] and, behind them, K =
// s.Draws one-hot draws, together [1+K][N][C]. Draw k follows softmax(logits/σ_k): its class
// is the largest entry of logits + σ_k·G with standard Gumbel noise G. The σ_k grow
// geometrically from 1 to s.Noise. The gradient of the logits is the gradient of the beliefs:
// draws have none. The noise is drawn as in GumbelSoftmax.
func (b *Builder[T]) Categorical(name string, logits *gorgonia.Node, s Sampling) *gorgonia.Node {
	if b.failed(name, logits) {
		return nil
	}
	in, loud := logits.Shape(), cmp.Or(s.Noise, 1)
	if len(in) != 2 || s.Draws < 1 || !(loud >= 1) {
		b.Fail(name, "draws of classes want logits N×C, at least one draw, and noise of at least 1, not shape %v, %d draws and noise %v", in, s.Draws, loud)
		return nil
	}
	n, classes := in[0], in[1]
	d := newDraws[T](name, n, classes, s.Draws, loud)
	o := &op[T]{
		name: "categorical " + name,
		run: func(v [][]T, out []T) error {
			softmaxRows(out, v[0], n, classes, 1)
			return d.each(b.state, v[0], out[n*classes:], func(_ int, row []T) {
				best := 0
				for i, z := range row {
					if z > row[best] {
						best = i
					}
				}
				clear(row)
				row[best] = 1
			})
		},
	}
	var y *gorgonia.Node
	o.diff = func(dy *gorgonia.Node) gorgonia.Nodes {
		return gorgonia.Nodes{b.gradient("dx categorical "+name, in, func(v [][]T, dx []T) error {
			softmaxRowsGrad(dx, v[0], v[1], n, classes, 1)
			return nil
		}, y, dy)}
	}
	y = b.apply(o, []int{1 + s.Draws, n, classes}, logits)
	return y
}
