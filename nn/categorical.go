package nn

import (
	"cmp"

	"gorgonia.org/gorgonia"

	"hinge/nn/kernel"
)

// Categorical returns beliefs and draws of them: of logits [N][C] the beliefs softmax(logits)
// and, behind them, K = s.Draws one-hot draws, together [1+K][N][C]. Draw k is one of
// softmax(logits/σ_k), as the largest of logits + σ_k·G with standard Gumbel noise G; the
// σ_k grow geometrically from 1 to s.Noise. The gradient of the logits is that of the
// beliefs: draws have none. Noise is that of GumbelSoftmax.
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
	sigma := make([]T, s.Draws)
	for k := range sigma {
		sigma[k] = T(geometric(loud, k, s.Draws))
	}
	rows, noise := s.Draws*n, newNoise(name, s.Draws*n)
	grain := max(1, softmaxGrain/classes)
	o := &op[T]{
		name: "categorical " + name,
		run: func(v [][]T, out []T) error {
			if err := b.state.check(); err != nil {
				return err
			}
			kernel.Parallel(n, grain, func(lo, hi int) {
				for i := lo * classes; i < hi*classes; i += classes {
					softmaxRow(out[i:i+classes], v[0][i:i+classes], 1)
				}
			})
			draws := out[n*classes:]
			kernel.Parallel(len(noise), 1, func(lo, hi int) {
				for block := lo; block < hi; block++ {
					source := noise[block].start(b.state)
					for r := block * noiseRows; r < min((block+1)*noiseRows, rows); r++ {
						row, x := draws[r*classes:][:classes], v[0][r%n*classes:]
						best, top := 0, T(0)
						for i := range row {
							row[i] = 0
							if z := x[i] + sigma[r/n]*T(gumbel(source.ExpFloat64())); i == 0 || z > top {
								best, top = i, z
							}
						}
						row[best] = 1
					}
				}
			})
			return nil
		},
	}
	var y *gorgonia.Node
	o.diff = func(dy *gorgonia.Node) gorgonia.Nodes {
		return gorgonia.Nodes{b.gradient("dx categorical "+name, in, func(v [][]T, dx []T) error {
			kernel.Parallel(n, 4*grain, func(lo, hi int) {
				clear(dx[lo*classes : hi*classes])
				softmaxGrad(dx, v[0], v[1], lo, hi, classes, 1)
			})
			return nil
		}, y, dy)}
	}
	y = b.apply(o, []int{1 + s.Draws, n, classes}, logits)
	return y
}
