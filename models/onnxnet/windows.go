package onnxnet

import (
	"math"
	"slices"

	"gorgonia.org/gorgonia"

	"hinge/nn"
)

// sliding is what a convolution or a pool slides over the axes from the third on.
type sliding struct {
	kernel, stride, dilation, before, after []int
	ceil                                    bool
}

// window reads the attributes of a convolution or pool with sides of a kernel.
func (c *context[T]) window(x *value[T], kernel []int) sliding {
	d := len(x.shape) - 2
	if d < 1 || len(kernel) != d || slices.Min(kernel) < 1 {
		c.fail("an input of shape %v and a kernel of %v, want N×C× sides, and as many of the kernel", x.shape, kernel)
	}
	pads := c.n.listOf("pads", 0, 2*d)
	w := sliding{kernel: kernel, stride: c.n.listOf("strides", 1, d), dilation: c.n.listOf("dilations", 1, d), ceil: c.n.integer("ceil_mode", 0) == 1}
	if len(w.stride) != d || len(w.dilation) != d || len(pads) != 2*d || slices.Min(w.stride) < 1 || slices.Min(w.dilation) < 1 || slices.Min(pads) < 0 {
		c.fail("strides %v, dilations %v and pads %v for %d axes", w.stride, w.dilation, pads, d)
	}
	w.before, w.after = slices.Clone(pads[:d]), slices.Clone(pads[d:])
	auto := c.n.text("auto_pad", "NOTSET")
	for i := range d {
		side := x.shape[2+i]
		pad := max(0, (max(side-1, 0)/w.stride[i])*w.stride[i]+w.reach(i)-side)
		switch auto {
		case "", "NOTSET", "VALID":
		case "SAME_UPPER":
			w.before[i], w.after[i] = pad/2, pad-pad/2
		case "SAME_LOWER":
			w.before[i], w.after[i] = pad-pad/2, pad/2
		default:
			c.fail("auto_pad is %q", auto)
		}
		if room := side + w.before[i] + w.after[i] - w.reach(i); room < 0 && (!w.ceil || room <= -w.stride[i]) {
			c.fail("a kernel of %v on an input of shape %v", kernel, x.shape)
		}
	}
	if auto == "SAME_UPPER" || auto == "SAME_LOWER" {
		c.part.pads[c.n] = slices.Concat(w.before, w.after)
	}
	return w
}

func (w *sliding) reach(i int) int { return w.dilation[i]*(w.kernel[i]-1) + 1 }

// flat is the window of two axes in package nn.
func (w *sliding) flat() nn.Window {
	return nn.Window{Kernel: [2]int(w.kernel), Stride: [2]int(w.stride), Dilation: [2]int(w.dilation),
		Pad: [4]int{w.before[0], w.before[1], w.after[0], w.after[1]}, Ceil: w.ceil}
}

// square reports whether a window is one that package nn has the fast layers for.
func square(w nn.Window) bool {
	return w.Kernel[0] == w.Kernel[1] && w.Stride[0] == w.Stride[1] && w.Dilation == [2]int{1, 1} && !w.Ceil &&
		w.Pad[0] == w.Pad[1] && w.Pad[0] == w.Pad[2] && w.Pad[0] == w.Pad[3]
}

// taps lists, for each window on sides, the places of its taps, -1 beside the sides; inside
// counts those that are on the sides or their padding.
func (w *sliding) taps(sides []int) (out, list, inside []int) {
	for i, side := range sides {
		room := side + w.before[i] + w.after[i] - w.reach(i)
		n := room/w.stride[i] + 1
		if w.ceil && room%w.stride[i] > 0 && n*w.stride[i] < side+w.before[i] {
			n++
		}
		out = append(out, n)
	}
	each(out, func(o []int) {
		count := 0
		each(w.kernel, func(k []int) {
			at, padded := 0, true
			for i, side := range sides {
				p := o[i]*w.stride[i] - w.before[i] + k[i]*w.dilation[i]
				padded = padded && p < side+w.after[i]
				if p < 0 || p >= side {
					at = -1
				}
				if at >= 0 {
					at = at*side + p
				}
			}
			list = append(list, at)
			if padded {
				count++
			}
		})
		inside = append(inside, count)
	})
	return out, list, inside
}

// transposed lists the same for a transposed convolution: the inputs that reach an output
// through its taps.
func (w *sliding) transposed(sides, out []int) (list []int) {
	each(out, func(o []int) {
		each(w.kernel, func(k []int) {
			at := 0
			for i, side := range sides {
				p := o[i] + w.before[i] - k[i]*w.dilation[i]
				if p < 0 || p%w.stride[i] != 0 || p/w.stride[i] >= side {
					at = -1
				}
				if at >= 0 {
					at = at*side + p/w.stride[i]
				}
			}
			list = append(list, at)
		})
	})
	return list
}

// each calls f for every index of a shape, the last axis first.
func each(shape []int, f func(at []int)) {
	at := make([]int, len(shape))
	for range product(shape) {
		f(at)
		for axis := len(shape) - 1; axis >= 0; axis-- {
			if at[axis]++; at[axis] < shape[axis] {
				break
			}
			at[axis] = 0
		}
	}
}

// gathered is the array [N][C][windows][taps] of x [N][C][sides...].
func (c *context[T]) gathered(x *value[T], list []int, taps int, edge *float64) *value[T] {
	n, channels, side := x.shape[0], x.shape[1], product(x.shape[2:])
	index := make([]int, 0, n*channels*len(list))
	beside := -1
	vs := []*value[T]{x}
	if edge != nil {
		beside = product(x.shape)
		vs = append(vs, c.constant(x.kind, []float64{*edge}, 1))
	}
	for row := range n * channels {
		for _, at := range list {
			if at < 0 {
				index = append(index, beside)
			} else {
				index = append(index, row*side+at)
			}
		}
	}
	y := c.elements([]int{n, channels, len(list) / taps, taps}, index, vs...)
	y.at = c.along(x, span(1, len(x.shape), 1)...)
	return y
}

// maxPool, and averagePool, of whatever number of axes.
func maxPool[T nn.Float](c *context[T]) {
	x := c.in(0)
	w := c.window(x, c.n.list("kernel_shape"))
	if len(c.n.out) > 1 && c.f.counts[c.n.out[1]] > 0 {
		c.fail("its output %s, places of maxima, is read, which is not made here", c.n.out[1])
	}
	if len(w.kernel) != 2 || x.known != nil {
		out, list, _ := w.taps(x.shape[2:])
		edge := math.Inf(-1)
		c.pooled(c.reduced(nn.ReduceMax, c.gathered(x, list, product(w.kernel), &edge), []int{3}, false), out)
		return
	}
	flat := w.flat()
	node := c.mapsOf(x)
	if square(flat) && flat.Pad[0] <= flat.Kernel[0]/2 {
		c.windowed(c.b.MaxPool(c.n.out[0], node, flat.Kernel[0], flat.Stride[0], flat.Pad[0]), x, x.shape[1])
		return
	}
	c.windowed(c.b.WindowMax(c.n.out[0], node, flat), x, x.shape[1])
}

func averagePool[T nn.Float](c *context[T]) {
	x := c.in(0)
	w := c.window(x, c.n.list("kernel_shape"))
	padded := c.n.integer("count_include_pad", 0) == 1
	if len(w.kernel) == 2 {
		c.windowed(c.b.WindowAverage(c.n.out[0], c.mapsOf(x), w.flat(), padded), x, x.shape[1])
		return
	}
	out, list, inside := w.taps(x.shape[2:])
	y := c.reduced(nn.ReduceSum, c.gathered(x, list, product(w.kernel), nil), []int{3}, false)
	shares := make([]float64, len(inside))
	for i, taps := range slices.Collect(slices.Chunk(list, product(w.kernel))) {
		count := len(slices.DeleteFunc(slices.Clone(taps), func(at int) bool { return at < 0 }))
		if padded {
			count = inside[i]
		}
		shares[i] = 1 / float64(max(count, 1))
	}
	c.pooled(c.combined(multiple, y, c.constant(x.kind, shares, len(shares))), out)
}

// pooled is y [N][C][windows] with its sides as axes.
func (c *context[T]) pooled(y *value[T], sides []int) {
	c.out(c.shaped(y, append(slices.Clone(y.shape[:2]), sides...)...))
}

// windowed sets the output of a layer over maps with the given number of channels.
func (c *context[T]) windowed(y *gorgonia.Node, x *value[T], channels int) {
	if y == nil {
		panic(refused{}) // package nn has said it
	}
	s := y.Shape()
	c.out(&value[T]{node: y, maps: true, shape: []int{s[2], channels, s[0], s[1]}, kind: x.kind, at: c.along(x, 1, 2, 3)})
}

// global reduces the axes from the third on.
func global[T nn.Float](f nn.Reduction) operator[T] {
	return func(c *context[T]) {
		x := c.in(0)
		if len(x.shape) < 3 {
			c.fail("an input of shape %v, want N×C× sides", x.shape)
		}
		if f == nn.ReduceMean && len(x.shape) == 4 && x.known == nil {
			y := c.b.GlobalAvgPool(c.n.out[0], c.mapsOf(x))
			s := []int{x.shape[0], x.shape[1], 1, 1}
			c.out(&value[T]{node: c.b.Reshape(c.label("flat"), y, s...), shape: s, kind: x.kind, at: c.along(x, 1, 2, 3)})
			return
		}
		c.out(c.reduced(f, x, span(2, len(x.shape), 1), true))
	}
}
