package onnxnet

import (
	"slices"

	"gorgonia.org/gorgonia"

	"hinge/nn"
)

// window reads the attributes of a convolution or pool with sides of a kernel.
func (c *context[T]) window(n *node, x *value[T], kernel []int) (w nn.Window, ok bool) {
	if len(x.shape) != 4 || len(kernel) != 2 {
		c.fail(n, "an input of shape %v and a kernel of %v, want N×C×H×W and two sides", x.shape, kernel)
		return w, false
	}
	two := func(name string) (out [2]int) {
		out = [2]int{1, 1}
		copy(out[:], n.attributes[name].list)
		return out
	}
	w = nn.Window{Kernel: [2]int(kernel), Stride: two("strides"), Dilation: two("dilations"), Ceil: n.integer("ceil_mode", 0) == 1}
	copy(w.Pad[:], n.attributes["pads"].list)
	auto := n.attributes["auto_pad"].text
	for i := range 2 {
		reach := w.Dilation[i]*(w.Kernel[i]-1) + 1
		side := x.shape[2+i]
		pad := max(0, (max(side-1, 0)/w.Stride[i])*w.Stride[i]+reach-side)
		switch auto {
		case "", "NOTSET", "VALID":
		case "SAME_UPPER":
			w.Pad[i], w.Pad[i+2] = pad/2, pad-pad/2
		case "SAME_LOWER":
			w.Pad[i], w.Pad[i+2] = pad-pad/2, pad/2
		default:
			c.fail(n, "auto_pad is %q", auto)
			return w, false
		}
	}
	return w, true
}

// square reports whether a window is one that package nn has the fast layers for.
func square(w nn.Window) bool {
	return w.Kernel[0] == w.Kernel[1] && w.Stride[0] == w.Stride[1] && w.Dilation == [2]int{1, 1} && !w.Ceil &&
		w.Pad[0] == w.Pad[1] && w.Pad[0] == w.Pad[2] && w.Pad[0] == w.Pad[3]
}

// windowed sets the output of a convolution or pool with the given number of channels.
func (c *context[T]) windowed(n *node, y *gorgonia.Node, channels int) {
	if y == nil {
		c.failed = true // package nn has reported it
		return
	}
	s := y.Shape()
	c.set(n, y, true, s[2], channels, s[0], s[1])
}

// read is the node of maps that a layer reads. The second reader of a value, whose first
// is a convolution, has it as a skip connection.
func (c *context[T]) read(name string, v *value[T]) *gorgonia.Node {
	if v.main != nil && c.f.counts[name] == 2 {
		return c.b.Skip("skip "+name, v.node, v.main)
	}
	return c.mapsOf(v)
}

func conv[T nn.Float](c *context[T], n *node) {
	x, w := c.input(n, 0), c.own(n, 1)
	bias := c.own(n, 2)
	if w == nil || len(n.in) > 2 && n.in[2] != "" && bias == nil {
		c.fail(n, "its weights are not the graph's own, or other nodes read them")
		return
	}
	if len(w.shape) != 4 {
		c.fail(n, "weights of shape %v, want two-dimensional convolutions", w.shape)
		return
	}
	win, ok := c.window(n, x, w.shape[2:])
	groups := n.integer("group", 1)
	if !ok || groups < 1 || x.shape[1] != w.shape[1]*groups {
		c.fail(n, "%v channels for weights of shape %v in %d groups", x.shape, w.shape, groups)
		return
	}
	name := n.out[0]
	c.b.Given(map[string]nn.Tensor[T]{name + ".weight": given[T](w)})
	in := c.read(n.in[0], x)
	var y *gorgonia.Node
	if groups == 1 && square(win) {
		y = c.b.Conv(name, in, nn.Conv{Out: w.shape[0], Kernel: win.Kernel[0], Stride: win.Stride[0], Pad: win.Pad[0]})
		if x.maps && x.main == nil && in == x.node {
			x.main = y
		}
	} else {
		y = c.b.GroupConv(name, in, nn.GroupConv{Window: win, Out: w.shape[0], Groups: groups})
	}
	if bias != nil {
		c.b.Given(map[string]nn.Tensor[T]{name + ".bias": given[T](bias)})
		y = c.b.Bias(name, y)
	}
	c.windowed(n, y, w.shape[0])
}

// next is the one node that reads a value, of an operator.
func (c *context[T]) next(name, op string) *node {
	if c.f.counts[name] == 1 && len(c.f.uses[name]) == 1 && c.f.uses[name][0].op == op {
		return c.f.uses[name][0]
	}
	return nil
}

func batchNorm[T nn.Float](c *context[T], n *node) {
	x := c.input(n, 0)
	name := n.out[0]
	for i, suffix := range []string{".weight", ".bias", ".running_mean", ".running_var"} {
		t := c.own(n, 1+i)
		if t == nil || len(x.shape) < 2 || len(t.shape) != 1 || t.shape[0] != x.shape[1] {
			c.fail(n, "its %s is no weight of the graph's own for the channels of %v", suffix[1:], x.shape)
			return
		}
		c.b.Given(map[string]nn.Tensor[T]{name + suffix: given[T](t)})
	}
	if len(x.shape) != 2 && len(x.shape) != 4 {
		c.fail(n, "an input of shape %v, want N×C or N×C×H×W", x.shape)
		return
	}
	norm := nn.BatchNorm{Momentum: 1 - n.float("momentum", 0.9), Epsilon: n.float("epsilon", 1e-5)}
	maps := len(x.shape) == 4
	if add := c.next(name, "Add"); add != nil && maps {
		other := 0
		if add.in[0] == name {
			other = 1
		}
		if v := c.values[add.in[other]]; v != nil && v.maps && slices.Equal(v.shape, x.shape) {
			norm.Residual = c.read(add.in[other], v)
			c.done[add], name = true, add.out[0]
		}
	}
	if relu := c.next(name, "Relu"); relu != nil {
		norm.ReLU = true
		c.done[relu], name = true, relu.out[0]
	}
	in := c.array
	if maps {
		in = c.mapsOf
	}
	y := c.b.BatchNorm(n.out[0], in(x), norm)
	c.values[name] = &value[T]{node: y, shape: x.shape, maps: maps}
	c.failed = y == nil
}

func maxPool[T nn.Float](c *context[T], n *node) {
	x := c.input(n, 0)
	w, ok := c.window(n, x, n.attributes["kernel_shape"].list)
	if !ok {
		return
	}
	if square(w) {
		c.windowed(n, c.b.MaxPool(n.out[0], c.mapsOf(x), w.Kernel[0], w.Stride[0], w.Pad[0]), x.shape[1])
		return
	}
	c.windowed(n, c.b.WindowMax(n.out[0], c.mapsOf(x), w), x.shape[1])
}

func averagePool[T nn.Float](c *context[T], n *node) {
	x := c.input(n, 0)
	if w, ok := c.window(n, x, n.attributes["kernel_shape"].list); ok {
		c.windowed(n, c.b.WindowAverage(n.out[0], c.mapsOf(x), w, n.integer("count_include_pad", 0) == 1), x.shape[1])
	}
}

func globalAveragePool[T nn.Float](c *context[T], n *node) {
	x := c.input(n, 0)
	if len(x.shape) != 4 {
		c.fail(n, "an input of shape %v, want N×C×H×W", x.shape)
		return
	}
	y := c.b.GlobalAvgPool(n.out[0], c.mapsOf(x))
	c.set(n, c.b.Reshape(n.out[0], y, x.shape[0], x.shape[1], 1, 1), false, x.shape[0], x.shape[1], 1, 1)
}

func gemm[T nn.Float](c *context[T], n *node) {
	x, w, bias := c.input(n, 0), c.input(n, 1), c.input(n, 2)
	transA, transB := n.integer("transA", 0) == 1, n.integer("transB", 0) == 1
	alpha, beta := n.float("alpha", 1), n.float("beta", 1)
	if len(x.shape) != 2 || len(w.shape) != 2 {
		c.fail(n, "matrices of shapes %v and %v", x.shape, w.shape)
		return
	}
	if wt, bt := c.own(n, 1), c.own(n, 2); wt != nil && bt != nil && !transA && alpha == 1 && beta == 1 {
		t, in, out := given[T](wt), wt.shape[0], wt.shape[1]
		if transB {
			in, out = out, in
		} else { // package nn has [out, in]
			data := make([]T, len(t.Data))
			for i := range in {
				for o := range out {
					data[o*in+i] = t.Data[i*out+o]
				}
			}
			t.Shape, t.Data = []int{out, in}, data
		}
		if x.shape[1] == in && product(bt.shape) == out {
			b := given[T](bt)
			b.Shape = []int{out}
			c.b.Given(map[string]nn.Tensor[T]{n.out[0] + ".weight": t, n.out[0] + ".bias": b})
			c.set(n, c.b.Linear(n.out[0], c.array(x), out), false, x.shape[0], out)
			return
		}
	}
	a, b := c.array(x), c.array(w)
	as, bs := x.shape, w.shape
	if transA {
		a, as = c.permute(n.out[0], a, as, 1, 0), []int{as[1], as[0]}
	}
	if transB {
		b, bs = c.permute(n.out[0], b, bs, 1, 0), []int{bs[1], bs[0]}
	}
	y := c.b.MatMul(n.out[0], a, b)
	shape := []int{as[0], bs[1]}
	if alpha != 1 {
		y = c.b.Map(n.out[0], y, times(alpha))
	}
	if bias != nil {
		add := &value[T]{node: c.array(bias), shape: bias.shape}
		if beta != 1 {
			add.node = c.b.Map(n.out[0]+" beta", add.node, times(beta))
		}
		c.values[n.out[0]] = &value[T]{node: y, shape: shape}
		c.combine(n, nn.Add, c.values[n.out[0]], add)
		return
	}
	c.set(n, y, false, shape...)
}

// matMul multiplies matrices; axes before the last two are broadcast.
func matMul[T nn.Float](c *context[T], n *node) {
	x, w := c.input(n, 0), c.input(n, 1)
	if len(x.shape) < 2 || len(w.shape) < 2 {
		c.fail(n, "arrays of shapes %v and %v, want matrices", x.shape, w.shape)
		return
	}
	a, b := c.array(x), c.array(w)
	m, k, out := x.shape[len(x.shape)-2], x.shape[len(x.shape)-1], w.shape[len(w.shape)-1]
	if len(w.shape) == 2 { // one product of all rows
		rows := product(x.shape[:len(x.shape)-1])
		y := c.b.MatMul(n.out[0], c.b.Reshape(n.out[0], a, rows, k), b)
		shape := append(slices.Clone(x.shape[:len(x.shape)-1]), out)
		c.set(n, c.b.Reshape(n.out[0]+" rows", y, shape...), false, shape...)
		return
	}
	lead, ok := broadcast(x.shape[:len(x.shape)-2], w.shape[:len(w.shape)-2])
	if !ok {
		c.fail(n, "arrays of shapes %v and %v", x.shape, w.shape)
		return
	}
	a = c.spread(n.out[0], a, x.shape, append(slices.Clone(lead), m, k))
	b = c.spread(n.out[0]+" second", b, w.shape, append(slices.Clone(lead), w.shape[len(w.shape)-2], out))
	shape := append(slices.Clone(lead), m, out)
	c.set(n, c.b.MatMul(n.out[0], a, b), false, shape...)
}

// layerNorm normalises over the axes from one on.
func layerNorm[T nn.Float](c *context[T], n *node) {
	x, scale, bias := c.input(n, 0), c.input(n, 1), c.input(n, 2)
	axis, ok := axisOf(n.integer("axis", -1), len(x.shape))
	if !ok {
		c.fail(n, "axis %d of the shape %v", n.integer("axis", -1), x.shape)
		return
	}
	width := product(x.shape[axis:])
	y := c.b.Reshape(n.out[0], c.array(x), product(x.shape[:axis]), width)
	y = c.b.Reshape(n.out[0]+" rows", c.b.Standardise(n.out[0], y, n.float("epsilon", 1e-5)), x.shape...)
	c.set(n, y, false, x.shape...)
	if scale != nil {
		c.combine(n, nn.Mul, c.values[n.out[0]], scale)
	}
	if bias != nil && !c.failed {
		c.combine(n, nn.Add, c.values[n.out[0]], bias)
	}
}
