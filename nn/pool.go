package nn

import (
	"gorgonia.org/gorgonia"

	"hinge/nn/kernel"
)

// MaxPool takes the maximum over side×side windows of x [H][W][N][C]; padding
// counts as -∞. The gradient goes to the first maximum of each window.
func (b *Builder[T]) MaxPool(name string, x *gorgonia.Node, side, stride, pad int) *gorgonia.Node {
	if b.failed(name, x) {
		return nil
	}
	in := x.Shape()
	if len(in) != 4 {
		b.Fail(name, "max pooling wants H×W×N×C, not shape %v", in)
		return nil
	}
	s := kernel.PoolShape{H: in[0], W: in[1], N: in[2], C: in[3], K: side, Stride: stride, Pad: pad}
	if err := s.Validate(); err != nil {
		b.Fail(name, "%v", err)
		return nil
	}
	index := make([]uint8, s.OutLen())
	o := &op[T]{
		name: "maxpool " + name,
		run: func(v [][]T, y []T) error {
			kernel.MaxPoolForward(s, v[0], y, index)
			return nil
		},
	}
	o.diff = func(dy *gorgonia.Node) gorgonia.Nodes {
		return gorgonia.Nodes{b.gradient("dx "+o.name, in, func(v [][]T, dx []T) error {
			kernel.MaxPoolBackward(s, v[0], index, dx)
			return nil
		}, dy)}
	}
	return b.layer("MaxPool", name, b.apply(o, []int{s.OutH(), s.OutW(), s.N, s.C}, x), []int{side, stride, pad}, nil, x)
}

// GlobalAvgPool averages x [H][W][N][C] over all pixels, giving [N][C].
func (b *Builder[T]) GlobalAvgPool(name string, x *gorgonia.Node) *gorgonia.Node {
	if b.failed(name, x) {
		return nil
	}
	in := x.Shape()
	if len(in) != 4 {
		b.Fail(name, "global average pooling wants H×W×N×C, not shape %v", in)
		return nil
	}
	pixels := in[0] * in[1]
	o := &op[T]{
		name: "avgpool " + name,
		run: func(v [][]T, y []T) error {
			kernel.GlobalAvgPool(v[0], y, pixels)
			return nil
		},
	}
	o.diff = func(dy *gorgonia.Node) gorgonia.Nodes {
		return gorgonia.Nodes{b.gradient("dx "+o.name, in, func(v [][]T, dx []T) error {
			kernel.GlobalAvgPoolBackward(v[0], dx, pixels)
			return nil
		}, dy)}
	}
	return b.layer("GlobalAvgPool", name, b.apply(o, in[2:], x), nil, nil, x)
}
