package onnxnet

import (
	"cmp"
	"math"
	"slices"

	"gorgonia.org/gorgonia"

	"hinge/nn"
	"hinge/nn/kernel"
)

// read is the node of maps that a layer reads. The second reader of a value, whose first
// is a convolution, has it as a skip connection.
func (c *context[T]) read(name string, v *value[T]) *gorgonia.Node {
	if v.main != nil && c.f.counts[name] == 2 {
		return c.b.Skip("skip "+name, v.node, v.main)
	}
	return c.mapsOf(v)
}

func conv[T nn.Float](c *context[T]) {
	x, w, bias := c.in(0), c.in(1), c.in(2)
	groups := c.n.integer("group", 1)
	if len(w.shape) != len(x.shape) || len(x.shape) < 3 || groups < 1 || x.shape[1] != w.shape[1]*groups || w.shape[0]%groups != 0 {
		c.fail("channels of %v for weights of shape %v in %d groups", x.shape, w.shape, groups)
	}
	win := c.window(x, w.shape[2:])
	name := c.n.out[0]
	if own := c.own(1); own != nil && len(w.shape) == 4 && x.known == nil {
		c.b.Given(map[string]nn.Tensor[T]{name + ".weight": c.given(own)})
		in := c.read(c.n.in[0], x)
		var y *gorgonia.Node
		if flat := win.flat(); groups == 1 && square(flat) {
			y = c.b.Conv(name, in, nn.Conv{Out: w.shape[0], Kernel: flat.Kernel[0], Stride: flat.Stride[0], Pad: flat.Pad[0]})
			if x.maps && x.main == nil && in == x.node {
				x.main = y
			}
		} else {
			y = c.b.GroupConv(name, in, nn.GroupConv{Window: flat, Out: w.shape[0], Groups: groups})
		}
		if b := c.own(2); b != nil && slices.Equal(b.shape, []int{w.shape[0]}) {
			c.b.Given(map[string]nn.Tensor[T]{name + ".bias": c.given(b)})
			y, bias = c.b.Bias(name, y), nil
		}
		c.windowed(y, x, w.shape[0])
	} else {
		out, list, _ := win.taps(x.shape[2:])
		c.convolved(x, w, list, out, groups)
	}
	c.biased(bias)
}

// convolved is the product of the taps of x [N][In][sides] and weights [Out][In/groups][taps].
func (c *context[T]) convolved(x, w *value[T], list, out []int, groups int) {
	n, in, taps := x.shape[0], x.shape[1], product(w.shape[2:])
	windows := len(list) / taps
	g := c.gathered(x, list, taps, nil)
	g = c.permuted(c.shaped(g, n, groups, in/groups, windows, taps), 1, 0, 3, 2, 4)
	g = c.shaped(g, groups, n*windows, in/groups*taps)
	k := c.permuted(c.shaped(w, groups, w.shape[0]/groups, in/groups*taps), 0, 2, 1)
	y := c.multiplied(g, k) // [groups][N·windows][Out/groups]
	y = c.permuted(c.shaped(y, groups, n, windows, w.shape[0]/groups), 1, 0, 3, 2)
	c.pooled(c.shaped(y, n, w.shape[0], windows), out)
}

// biased adds a number a channel to the output.
func (c *context[T]) biased(bias *value[T]) {
	if bias == nil {
		return
	}
	y := c.values[c.n.out[0]]
	if len(bias.shape) != 1 || bias.shape[0] != y.shape[1] {
		c.fail("a bias of shape %v for %d channels", bias.shape, y.shape[1])
	}
	c.out(c.combined(sum, y, c.channels(bias, len(y.shape))))
}

// channels is a vector as numbers of the second of some axes.
func (c *context[T]) channels(v *value[T], rank int) *value[T] {
	s := slices.Repeat([]int{1}, rank-1)
	s[0] = product(v.shape)
	return c.shaped(v, s...)
}

func convTranspose[T nn.Float](c *context[T]) {
	x, w := c.in(0), c.in(1)
	groups := c.n.integer("group", 1)
	if len(w.shape) != len(x.shape) || len(x.shape) < 3 || groups < 1 || x.shape[1] != w.shape[0] || w.shape[0]%groups != 0 {
		c.fail("channels of %v for weights of shape %v in %d groups", x.shape, w.shape, groups)
	}
	if auto := c.n.text("auto_pad", "NOTSET"); auto != "NOTSET" && auto != "VALID" {
		c.fail("auto_pad is %q, want pads", auto)
	}
	d := len(x.shape) - 2
	win := sliding{kernel: w.shape[2:], stride: c.n.listOf("strides", 1, d), dilation: c.n.listOf("dilations", 1, d)}
	pads, extra, given := c.n.listOf("pads", 0, 2*d), c.n.listOf("output_padding", 0, d), c.n.list("output_shape")
	if len(pads) != 2*d || len(extra) != d || len(win.stride) != d || len(win.dilation) != d || slices.Min(win.stride) < 1 || given != nil {
		c.fail("strides %v, dilations %v, pads %v, output_padding %v and output_shape %v for %d axes; want no output_shape", win.stride, win.dilation, pads, extra, given, d)
	}
	win.before = pads[:d]
	var out []int
	for i := range d {
		out = append(out, win.stride[i]*(x.shape[2+i]-1)+extra[i]+win.reach(i)-pads[i]-pads[d+i])
	}
	if slices.Min(out) < 1 {
		c.fail("nothing is left of the shape %v", x.shape)
	}
	// [In][Out/groups][taps] as [Out][In/groups][taps]
	in, taps := w.shape[0], product(w.shape[2:])
	k := c.permuted(c.shaped(w, groups, in/groups, w.shape[1], taps), 0, 2, 1, 3)
	c.convolved(x, c.shaped(k, groups*w.shape[1], in/groups, taps), win.transposed(x.shape[2:], out), out, groups)
	c.biased(c.in(2))
}

// next is the one node that reads a value, of an operator.
func (c *context[T]) next(name, op string) *node {
	if c.f.counts[name] == 1 && len(c.f.uses[name]) == 1 && c.f.uses[name][0].op == op && c.f.uses[name][0] != c.f.last {
		return c.f.uses[name][0]
	}
	return nil
}

func batchNorm[T nn.Float](c *context[T]) {
	x := c.in(0)
	name := c.n.out[0]
	if len(x.shape) < 2 {
		c.fail("an input of shape %v, want N×C× sides", x.shape)
	}
	given := map[string]nn.Tensor[T]{}
	for i, suffix := range []string{".weight", ".bias", ".running_mean", ".running_var"} {
		if v := c.in(1 + i); len(v.shape) != 1 || v.shape[0] != x.shape[1] {
			c.fail("its %s of shape %v for the channels of %v", suffix[1:], v.shape, x.shape)
		}
		if t := c.own(1 + i); t != nil {
			given[name+suffix] = c.given(t)
		}
	}
	if c.n.float("epsilon", 1e-5) == 0 && slices.Contains(c.in(4).numbers(), 0) {
		c.fail("a variance of 0 without an epsilon, by which nothing can be divided")
	}
	if whole := c.b.Whole && !c.b.Training && c.n.integer("training_mode", 0) == 1; len(given) < 4 || whole {
		c.normBy(x, whole)
		return
	}
	c.b.Given(given)
	// A zero would be the layer's default; this number rounds to 0 where it is used.
	own := func(v float64) float64 { return cmp.Or(v, math.SmallestNonzeroFloat64) }
	norm := nn.BatchNorm{Momentum: own(1 - c.n.float("momentum", 0.9)), Epsilon: own(c.n.float("epsilon", 1e-5))}
	maps, names := len(x.shape) == 4, []string{name} // of the result; a Shape may read any
	if add := c.next(name, "Add"); add != nil && maps {
		other := 0
		if add.in[0] == name {
			other = 1
		}
		if v := c.values[add.in[other]]; v != nil && v.maps && slices.Equal(v.shape, x.shape) {
			norm.Residual = c.read(add.in[other], v)
			c.done[add], name = true, add.out[0]
			names = append(names, name)
		}
	}
	if relu := c.next(name, "Relu"); relu != nil {
		norm.ReLU = true
		c.done[relu], names = true, append(names, relu.out[0])
	}
	in, back := x, x.shape
	if len(x.shape) == 3 || len(x.shape) > 4 {
		in = c.shaped(x, x.shape[0], x.shape[1], product(x.shape[2:]), 1)
	}
	y := &value[T]{shape: in.shape, kind: x.kind, maps: len(in.shape) == 4, at: c.along(x, span(1, len(x.shape), 1)...)}
	node := c.array
	if y.maps {
		node = c.mapsOf
	}
	if y.node = c.b.BatchNorm(c.n.out[0], node(in), norm); y.node == nil {
		panic(refused{}) // package nn has said it
	}
	if !slices.Equal(in.shape, back) {
		y = c.shaped(y, back...)
	}
	for _, name := range names {
		c.values[name] = y
	}
}

// normBy normalises by statistics that other nodes share, which stay as they are, or by those of
// a batch that is the whole.
func (c *context[T]) normBy(x *value[T], whole bool) {
	var v [4]*value[T]
	for i := range v {
		v[i] = c.in(1 + i)
		if i > 1 && v[i].numbers() != nil {
			v[i] = c.constant(v[i].kind, v[i].numbers(), v[i].shape...)
		}
		v[i] = c.channels(v[i], len(x.shape))
	}
	if whole {
		axes := slices.DeleteFunc(span(0, len(x.shape), 1), func(a int) bool { return a == 1 })
		v[2] = c.reduced(nn.ReduceMean, x, axes, true)
		d := c.combined(minus, x, v[2])
		v[3] = c.reduced(nn.ReduceMean, c.combined(multiple, d, d), axes, true)
	}
	e := c.n.float("epsilon", 1e-5)
	spread := c.mapped(v[3], scalar("deviation", func(s float64) float64 { return 1 / math.Sqrt(s+e) }, func(_, y float64) float64 { return -y * y * y / 2 }))
	y := c.combined(multiple, c.combined(minus, x, v[2]), spread)
	c.out(c.combined(sum, c.combined(multiple, y, v[0]), v[1]))
}

func gemm[T nn.Float](c *context[T]) {
	x, w, bias := c.in(0), c.in(1), c.in(2)
	transA, transB := c.n.integer("transA", 0) == 1, c.n.integer("transB", 0) == 1
	alpha, beta := c.n.float("alpha", 1), c.n.float("beta", 1)
	if len(x.shape) != 2 || len(w.shape) != 2 {
		c.fail("matrices of shapes %v and %v", x.shape, w.shape)
	}
	if wt, bt := c.own(1), c.own(2); wt != nil && bt != nil && !transA && alpha == 1 && beta == 1 && x.known == nil {
		t, in, out := c.given(wt), wt.shape[0], wt.shape[1]
		if transB {
			in, out = out, in
		} else { // package nn has [out, in]
			data := make([]T, len(t.Data))
			kernel.Transpose(data, t.Data, in, out)
			t.Shape, t.Data = []int{out, in}, data
			c.part.turned[t.Name] = true
		}
		if x.shape[1] == in && len(bt.shape) > 0 && product(bt.shape) == out && bt.shape[len(bt.shape)-1] == out {
			b := c.given(bt)
			b.Shape = []int{out}
			c.b.Given(map[string]nn.Tensor[T]{c.n.out[0] + ".weight": t, c.n.out[0] + ".bias": b})
			c.out(&value[T]{node: c.b.Linear(c.n.out[0], c.array(x), out), shape: []int{x.shape[0], out}, kind: x.kind, at: c.along(x, 1)})
			return
		}
		delete(c.part.turned, t.Name)
	}
	if transA {
		x = c.permuted(x, 1, 0)
	}
	if transB {
		w = c.permuted(w, 1, 0)
	}
	y := c.multiplied(x, w)
	if alpha != 1 {
		y = c.mapped(y, times(alpha))
	}
	if bias != nil && beta != 0 {
		if beta != 1 {
			bias = c.mapped(bias, times(beta))
		}
		y = c.combined(sum, y, bias)
	}
	c.out(y)
}

// matMul multiplies matrices; a vector is a row on the left and a column on the right.
func matMul[T nn.Float](c *context[T]) {
	x, y := c.in(0), c.in(1)
	if len(x.shape) == 0 || len(y.shape) == 0 {
		c.fail("arrays of shapes %v and %v, want matrices", x.shape, y.shape)
	}
	row, column := len(x.shape) == 1, len(y.shape) == 1
	if row {
		x = c.shaped(x, 1, x.shape[0])
	}
	if column {
		y = c.shaped(y, y.shape[0], 1)
	}
	z := c.multiplied(x, y)
	if row || column {
		s := slices.Clone(z.shape)
		if column {
			s = s[:len(s)-1]
		}
		if row {
			s = slices.Delete(s, len(z.shape)-2, len(z.shape)-1)
		}
		z = c.shaped(z, s...)
	}
	c.out(z)
}
