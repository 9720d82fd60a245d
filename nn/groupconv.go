package nn

import (
	"gorgonia.org/gorgonia"

	"hinge/nn/kernel"
)

// GroupConv describes a convolution with windows of any form and with channels in groups,
// where each output sees one group. Conv is a special, and much faster, case.
type GroupConv struct {
	Window
	// Out is the number of output channels; Groups divides it and the number of input
	// channels, 0 means 1.
	Out, Groups int
}

// GroupConv convolves x [H][W][N][In] to [H'][W'][N][Out], without bias. Parameter:
// name.weight [Out, In/Groups, kernel height, kernel width], kaiming normal by fan-out.
func (b *Builder[T]) GroupConv(name string, x *gorgonia.Node, c GroupConv) *gorgonia.Node {
	if b.failed(name, x) {
		return nil
	}
	in, groups := x.Shape(), max(c.Groups, 1)
	if len(in) != 4 || c.Out < 1 || in[3]%groups != 0 || c.Out%groups != 0 {
		return b.Fail(name, "a convolution of shape %v to %d channels in %d groups", in, c.Out, groups)
	}
	outH, outW, list, _, err := c.pairs(in[0], in[1])
	if err != nil {
		return b.Fail(name, "%v", err)
	}
	taps := c.Kernel[0] * c.Kernel[1]
	k := &groupConv[T]{n: in[2], inC: in[3], outC: c.Out, groups: groups, taps: taps,
		byOut: grouped(list, outH*outW, func(p pair) int { return p.out }),
		byIn:  grouped(list, in[0]*in[1], func(p pair) int { return p.in }),
		byTap: grouped(list, taps, func(p pair) int { return p.tap }),
	}
	k.w, k.dw = make([]T, c.Out*in[3]/groups*taps), make([]T, c.Out*in[3]/groups*taps)
	p, w := b.param(Param[T]{Name: name + ".weight", Shape: []int{c.Out, in[3] / groups, c.Kernel[0], c.Kernel[1]}, Decay: true},
		kaimingNormal[T](c.Out*taps))
	o := &op[T]{name: "groupconv " + name, run: always(func(v [][]T, y []T) {
		k.products(k.byOut, v[0], v[1], y, k.inC, k.outC, false)
	})}
	o.each(func(dy *gorgonia.Node) *gorgonia.Node {
		return b.gradient("dx "+o.name, in, func(v [][]T, dx []T) {
			k.products(k.byIn, v[0], v[1], dx, k.outC, k.inC, true)
		}, dy, w)
	}, func(dy *gorgonia.Node) *gorgonia.Node {
		return b.paramGradient("dw "+o.name, p, func(v [][]T, dw []T) { k.backwardWeight(v[0], v[1], dw) }, x, dy)
	})
	return b.layer("GroupConv", name, b.apply(o, []int{outH, outW, in[2], c.Out}, x, w), c, []*Param[T]{p}, x)
}

// groupConv is the arithmetic: for each pair of pixels a product of matrices of every
// group, or of every channel by itself.
type groupConv[T Float] struct {
	n, inC, outC, groups, taps int
	byOut, byIn, byTap         [][]pair
	w, dw                      []T // [tap][group][in][out], scratch
}

// each calls f with the position of every weight in the scratch and in the exported order.
func (k *groupConv[T]) each(f func(scratch, exported int)) {
	in, out := k.inC/k.groups, k.outC/k.groups
	for o := range k.outC {
		for i := range in {
			for tap := range k.taps {
				f(((tap*k.groups+o/out)*in+i)*out+o%out, (o*in+i)*k.taps+tap)
			}
		}
	}
}

// depthwise reports whether every channel is a group.
func (k *groupConv[T]) depthwise() bool { return k.groups == k.inC && k.inC == k.outC }

// over calls f for all pixels, on several threads where f is plain loops.
func (k *groupConv[T]) over(pixels int, f func(pixel int)) {
	if !k.depthwise() { // products of matrices divide themselves
		for i := range pixels {
			f(i)
		}
		return
	}
	kernel.Parallel(pixels, max(1, mapGrain/(k.n*k.inC)), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f(i)
		}
	})
}

// pixel is a matrix [N][channels] of a map.
func (k *groupConv[T]) pixel(x []T, i, channels int) []T { return x[i*k.n*channels:][:k.n*channels] }

// products overwrites each pixel of y, with outC channels, by the sum over its pairs of the
// other pixel, in x with inC channels, times the weights of the tap. back means that the pairs
// are listed by their input pixel, and that the weights are transposed.
func (k *groupConv[T]) products(pairs [][]pair, x, w, y []T, inC, outC int, back bool) {
	k.each(func(s, e int) { k.w[s] = w[e] })
	in, out := inC/k.groups, outC/k.groups
	size, width := k.groups*in*out, k.outC/k.groups
	k.over(len(pairs), func(i int) {
		to := k.pixel(y, i, outC)
		clear(to)
		for _, p := range pairs[i] {
			other := p.in
			if back {
				other = p.out
			}
			from, w := k.pixel(x, other, inC), k.w[p.tap*size:][:size]
			if k.depthwise() {
				for i := 0; i < len(to); i += outC {
					a, b := from[i:i+outC], to[i:i+outC]
					for c, v := range w {
						b[c] += a[c] * v
					}
				}
				continue
			}
			for g := range k.groups {
				kernel.Gemm(false, back, k.n, out, in, 1, from[g*in:], inC, w[g*in*out:], width, 1, to[g*out:], outC)
			}
		}
	})
}

func (k *groupConv[T]) backwardWeight(x, dy, dw []T) {
	in, out := k.inC/k.groups, k.outC/k.groups
	clear(k.dw)
	k.over(k.taps, func(tap int) {
		to := k.dw[tap*k.groups*in*out:][:k.groups*in*out]
		for _, p := range k.byTap[tap] {
			a, d := k.pixel(x, p.in, k.inC), k.pixel(dy, p.out, k.outC)
			if k.depthwise() {
				for i := 0; i < len(a); i += k.outC {
					a, d := a[i:i+k.outC], d[i:i+k.outC]
					for c := range to {
						to[c] += a[c] * d[c]
					}
				}
				continue
			}
			for g := range k.groups {
				kernel.Gemm(true, false, in, out, k.n, 1, a[g*in:], k.inC, d[g*out:], k.outC, 1, to[g*in*out:], out)
			}
		}
	})
	k.each(func(s, e int) { dw[e] = k.dw[s] })
}

// Bias adds to x, whose last axis are the channels, the parameter name.bias [channels],
// of zeros unless its values are Given.
func (b *Builder[T]) Bias(name string, x *gorgonia.Node) *gorgonia.Node {
	rows, c := b.rows(name, x)
	if b.err != nil {
		return nil
	}
	shape := x.Shape()
	p, bias := b.param(Param[T]{Name: name + ".bias", Shape: []int{c}}, constant[T](0))
	o := &op[T]{name: "bias " + name, run: always(func(v [][]T, y []T) {
		copy(y, v[0])
		kernel.AddBias(y, v[1], false, rows, c)
	})}
	o.each(func(dy *gorgonia.Node) *gorgonia.Node {
		return b.gradient("dx "+o.name, shape, copied[T], dy)
	}, func(dy *gorgonia.Node) *gorgonia.Node {
		return b.paramGradient("db "+o.name, p, func(v [][]T, db []T) { kernel.ColumnSums(v[0], db, rows, c) }, dy)
	})
	return b.layer("Bias", name, b.apply(o, shape, x, bias), nil, []*Param[T]{p}, x)
}
