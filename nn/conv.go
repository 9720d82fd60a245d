package nn

import (
	"cmp"

	"gorgonia.org/gorgonia"

	"hinge/nn/kernel"
)

// Conv describes a square two-dimensional convolution without bias.
type Conv struct {
	// Out is the number of output channels, Kernel the filter's side.
	Out, Kernel int
	// Stride is the step in both directions; 0 means 1.
	Stride int
	// Pad is the number of zero pixels around the map.
	Pad int
}

// Conv convolves x [H][W][N][In] to [H'][W'][N][Out], H' = ⌊(H+2·Pad-Kernel)/Stride⌋+1.
// Parameter: name.weight [Out, In, Kernel, Kernel], kaiming normal by fan-out.
func (b *Builder[T]) Conv(name string, x *gorgonia.Node, c Conv) *gorgonia.Node {
	if b.failed(name, x) {
		return nil
	}
	c.Stride = cmp.Or(c.Stride, 1)
	in := x.Shape()
	if len(in) != 4 {
		return b.Fail(name, "a convolution wants H×W×N×C, not shape %v", in)
	}
	s := kernel.ConvShape{H: in[0], W: in[1], N: in[2], InC: in[3],
		OutC: c.Out, K: c.Kernel, Stride: c.Stride, Pad: c.Pad}
	if err := s.Validate(); err != nil {
		return b.Fail(name, "%v", err)
	}
	p, w := b.param(Param[T]{
		Name: name + ".weight", Shape: []int{c.Out, s.InC, c.Kernel, c.Kernel},
		Decay: true, layout: convolution, Live: s.LiveRanges(),
	}, kaimingNormal[T](c.Out*c.Kernel*c.Kernel))
	if b.err != nil {
		return nil
	}

	conv := kernel.NewConv[T](s)
	conv.Keep(p.kept)
	o := &op[T]{
		name: "conv " + name,
		conv: conv,
		run:  always(func(in [][]T, out []T) { conv.Forward(in[0], in[1], out) }),
	}
	o.each(func(dy *gorgonia.Node) *gorgonia.Node {
		return b.convInputGrad(o, conv, dy, w)
	}, func(dy *gorgonia.Node) *gorgonia.Node {
		return b.paramGradient("dw "+name, p, func(in [][]T, out []T) { conv.BackwardWeight(in[0], in[1], out) }, x, dy)
	})
	if b.needsGrad(x) {
		b.joins[o] = true
	}
	y := b.apply(o, []int{s.OutH(), s.OutW(), s.N, s.OutC}, x, w)
	return b.layer("Conv", name, y, c, []*Param[T]{p}, x)
}

// convInputGrad is the node of dx, to which a shortcut's gradient is added.
func (b *Builder[T]) convInputGrad(o *op[T], conv *kernel.Conv[T], dy, w *gorgonia.Node) *gorgonia.Node {
	in := []*gorgonia.Node{dy, w}
	if o.join != nil {
		in = append(in, o.join.grad)
	}
	return b.gradient("dx "+o.name, o.in[0].Shape(), func(in [][]T, out []T) {
		if len(in) == 3 {
			conv.BackwardInputAdd(in[0], in[1], in[2], out)
		} else {
			conv.BackwardInput(in[0], in[1], out)
		}
	}, in...)
}
