package nn

import (
	"gorgonia.org/gorgonia"

	"hinge/nn/kernel"
)

// Images turns x [N][H][W] (grey) into the layout of the layers, [H][W][N][C],
// repeating the one channel C times, or x [N][C][H][W] with exactly C channels.
// No gradient flows back to x.
func (b *Builder[T]) Images(name string, x *gorgonia.Node, channels int) *gorgonia.Node {
	if b.failed(name, x) {
		return nil
	}
	in := x.Shape()
	grey := len(in) == 3
	if channels < 1 || !grey && (len(in) != 4 || in[1] != channels) {
		return b.Fail(name, "images must be N×H×W or N×%d×H×W, not shape %v", channels, in)
	}
	n, h, w := in[0], in[len(in)-2], in[len(in)-1]
	pixels := h * w
	o := &op[T]{
		name: "images " + name,
		run: func(v [][]T, out []T) error {
			if !grey || channels == 1 {
				kernel.NCHWToHWNC(out, v[0], n, channels, pixels)
				return nil
			}
			for p := range pixels {
				row := out[p*n*channels:][:n*channels]
				for i := range n {
					for c := range channels {
						row[i*channels+c] = v[0][i*pixels+p]
					}
				}
			}
			return nil
		},
	}
	return b.layer("Images", name, b.apply(o, []int{h, w, n, channels}, x), channels, nil, x)
}
