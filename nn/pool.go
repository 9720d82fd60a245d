package nn

import (
	"gorgonia.org/gorgonia"

	"hinge/nn/kernel"
)

// MaxPool takes the maximum over side×side windows of x [H][W][N][C], stride ≥ 1 pixels apart;
// pad pixels around the map, at most side/2, count as -∞. The gradient goes to the first maximum
// of each window.
func (b *Builder[T]) MaxPool(name string, x *gorgonia.Node, side, stride, pad int) *gorgonia.Node {
	if b.failed(name, x) {
		return nil
	}
	in := x.Shape()
	if len(in) != 4 {
		return b.Fail(name, "max pooling wants H×W×N×C, not shape %v", in)
	}
	if side > 15 && stride > 0 { // the taps of a window are no bytes then
		return b.WindowMax(name, x, Window{Kernel: [2]int{side, side}, Stride: [2]int{stride, stride}, Pad: [4]int{pad, pad, pad, pad}})
	}
	s := kernel.PoolShape{H: in[0], W: in[1], N: in[2], C: in[3], K: side, Stride: stride, Pad: pad}
	if err := s.Validate(); err != nil {
		return b.Fail(name, "%v", err)
	}
	index := make([]uint8, s.OutLen())
	y := b.unary("maxpool "+name, x, []int{s.OutH(), s.OutW(), s.N, s.C}, func(x, y []T) error {
		kernel.MaxPoolForward(s, x, y, index)
		return nil
	}, 0, func(dy, _, _, dx []T) { kernel.MaxPoolBackward(s, dy, index, dx) })
	return b.layer("MaxPool", name, y, []int{side, stride, pad}, nil, x)
}

// GlobalAvgPool averages x [H][W][N][C] over all pixels, giving [N][C].
func (b *Builder[T]) GlobalAvgPool(name string, x *gorgonia.Node) *gorgonia.Node {
	if b.failed(name, x) {
		return nil
	}
	in := x.Shape()
	if len(in) != 4 {
		return b.Fail(name, "global average pooling wants H×W×N×C, not shape %v", in)
	}
	pixels := in[0] * in[1]
	y := b.unary("avgpool "+name, x, in[2:], func(x, y []T) error {
		kernel.GlobalAvgPool(x, y, pixels)
		return nil
	}, 0, func(dy, _, _, dx []T) { kernel.GlobalAvgPoolBackward(dy, dx, pixels) })
	return b.layer("GlobalAvgPool", name, y, nil, nil, x)
}
