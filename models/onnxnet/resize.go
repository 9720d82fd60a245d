package onnxnet

import (
	"math"
	"slices"

	"hinge/nn"
)

// resize interpolates along axes: each is a product with the shares of the old numbers in the
// new ones.
func resize[T nn.Float](c *context[T]) {
	x := c.in(0)
	at, mode := c.n.text("coordinate_transformation_mode", "half_pixel"), c.n.text("mode", "nearest")
	scales, sizes := c.in(2), c.in(3)
	old := c.n.op == "Upsample" || c.n.version < 11
	if old {
		at, scales, sizes = "asymmetric", c.in(1), nil
	}
	axes := span(0, len(x.shape), 1)
	if list := c.n.list("axes"); list != nil {
		axes, _ = c.axes(99, len(x.shape))
	}
	var factors, lengths []float64
	if scales != nil {
		c.counts(scales)
		factors = scales.numbers()
	}
	factors = append(factors, doublesOf(c.n.attributes["scales"].GetFloats())...)
	if sizes != nil {
		lengths = sizes.known
	}
	if len(factors) != len(axes) && len(lengths) != len(axes) || c.n.integer("antialias", 0) != 0 || c.n.integer("exclude_outside", 0) != 0 ||
		lengths != nil && c.n.text("keep_aspect_ratio_policy", "stretch") != "stretch" {
		c.fail("scales %v or sizes %v of the axes %v, want one an axis, known before it runs, stretched and without antialias or exclude_outside", factors, lengths, axes)
	}
	y := x
	by := &tensor{kind: kindFloat, shape: []int{len(axes)}, floats: slices.Repeat([]float32{1}, len(axes))} // as scales
	if len(lengths) > 0 && c.f.batch > 0 && x.at.of == examples && slices.Contains(axes, x.at.axis) {
		c.part.put(c.n, 2, by)
		c.part.put(c.n, 3, nil)
	}
	for i, axis := range axes {
		d := c.nominal(x)[axis]
		n, factor := 0, float32(0)
		if len(lengths) > 0 {
			n = int(lengths[i])
		} else {
			factor = float32(factors[i])
			n = int(float32(d) * factor)
		}
		if n == d && (factor == 0 || factor == 1) {
			continue
		}
		if n < 1 {
			c.fail("nothing is left of axis %d of the shape %v", axis, x.shape)
		}
		if c.n.op == "Upsample" && factor < 1 {
			c.fail("a scale of %v, want at least 1: ONNX defines no smaller one; export with operators of version 11 or later", factor)
		}
		c.room(d, n)
		c.room(product(y.shape)/d, n)
		near := c.n.text("nearest_mode", "round_prefer_floor")
		if old {
			near = map[bool]string{true: "ceil", false: "floor"}[factor < 1]
		}
		parts := func(factor float32) []float64 {
			shares := make([]float64, d*n)
			for j := range n {
				p, ok := coordinate(at, j, d, n, factor)
				if !ok || !interpolate(mode, near, p, d, c.n.float("cubic_coeff_a", -0.75), func(k int, share float64) { shares[min(max(k, 0), d-1)*n+j] += share }) {
					c.fail("coordinates %q, mode %q, nearest %q", at, mode, near)
				}
			}
			return shares
		}
		shares := parts(factor)
		if factor == 0 && c.part.inputs[c.n] != nil {
			if by.floats[i] = float32(n) / float32(d); int(float32(d)*by.floats[i]) < n {
				by.floats[i] = math.Nextafter32(by.floats[i], 2*by.floats[i])
			}
			if !slices.EqualFunc(shares, parts(by.floats[i]), func(u, v float64) bool { return math.Abs(u-v) < 1e-3 }) {
				c.part.fixed = c.n.title() + " has sizes for a fixed batch, which scales do not make"
			}
		}
		order, to := lastly(axis, len(y.shape)), c.along(y, axis)
		y = c.permuted(c.multiplied(c.permuted(y, order...), c.constant(kindFloat, shares, d, n)), order...)
		y.at = to
	}
	if y == x {
		identity(c)
		return
	}
	c.out(y)
}

// coordinate is the place in d old numbers of number j of n: exact, or by a factor in 32 bits, as
// the file has it and others compute with it.
func coordinate(mode string, j, d, n int, factor float32) (float64, bool) {
	old := func(x float64) float64 {
		if factor == 0 {
			return x * float64(d) / float64(n)
		}
		return float64(float32(x) / factor)
	}
	half := old(float64(j)+0.5) - 0.5
	switch mode {
	case "half_pixel":
		return half, true
	case "half_pixel_symmetric":
		if factor != 0 {
			middle := float32(d) / 2 * (1 - float32(n)/(factor*float32(d)))
			half = float64(float32(float64(middle) + (float64(j)+0.5)/float64(factor) - 0.5))
		}
		return half, true
	case "pytorch_half_pixel":
		if n == 1 {
			return 0, true
		}
		return half, true
	case "align_corners":
		return float64(j*(d-1)) / float64(max(n-1, 1)), true
	case "asymmetric":
		return old(float64(j)), true
	}
	return 0, false
}

// interpolate calls add with the old numbers that make the one at p, and their shares.
func interpolate(mode, near string, p float64, d int, a float64, add func(k int, share float64)) bool {
	floor := math.Floor(p)
	f := p - floor
	switch mode {
	case "nearest":
		round := map[string]float64{"floor": floor, "ceil": math.Ceil(p), "round_prefer_floor": math.Ceil(p - 0.5), "round_prefer_ceil": math.Floor(p + 0.5)}
		k, ok := round[near]
		add(int(k), 1)
		return ok
	case "linear":
		p = min(max(p, 0), float64(d-1))
		k := int(p)
		add(k, 1-(p-float64(k)))
		add(k+1, p-float64(k))
		return true
	case "cubic":
		weight := func(t float64) float64 {
			if t = math.Abs(t); t <= 1 {
				return ((a+2)*t-(a+3))*t*t + 1
			}
			return ((a*t-5*a)*t+8*a)*t - 4*a
		}
		for k := -1; k <= 2; k++ {
			add(int(floor)+k, weight(f-float64(k)))
		}
		return true
	}
	return false
}

// einsum sums products of one or two arrays over labelled axes.
func einsum[T nn.Float](c *context[T]) {
	text := c.n.text("equation", "")
	in, out, ok := equation(text, len(c.n.in))
	if !ok || len(in) > 2 {
		c.fail("the equation %q, want one or two arrays, each label once in each", text)
	}
	// every array without the labels that it alone has
	x, labels := c.in(0), in[0]
	var other []byte
	if len(in) > 1 {
		other = in[1]
	}
	drop := func(v *value[T], own, beside []byte) (*value[T], []byte) {
		if len(own) != len(v.shape) {
			c.fail("the equation %q for an array of shape %v", text, v.shape)
		}
		var gone []int
		left := []byte{}
		for i, l := range own {
			if slices.Contains(beside, l) || slices.Contains(out, l) {
				left = append(left, l)
			} else {
				gone = append(gone, i)
			}
		}
		if len(gone) > 0 {
			v = c.reduced(nn.ReduceSum, v, gone, false)
		}
		return v, left
	}
	x, labels = drop(x, labels, other)
	if len(in) == 2 {
		y, second := drop(c.in(1), other, labels)
		x, labels = c.contracted(x, y, labels, second, out)
	}
	order := make([]int, len(out))
	for i, l := range out {
		if order[i] = slices.Index(labels, l); order[i] < 0 {
			c.fail("the equation %q has the label %c in its result alone", text, l)
		}
	}
	c.out(c.permuted(x, order...))
}

// contracted is the product of two arrays, [both][left][right] by labels.
func (c *context[T]) contracted(x, y *value[T], a, b, out []byte) (*value[T], []byte) {
	var both, left, right, gone []byte
	for _, l := range a {
		switch shared := slices.Contains(b, l); {
		case shared && slices.Contains(out, l):
			both = append(both, l)
		case shared:
			gone = append(gone, l)
		default:
			left = append(left, l)
		}
	}
	for _, l := range b {
		if !slices.Contains(a, l) {
			right = append(right, l)
		}
	}
	sides := func(v *value[T], of, labels []byte) (s []int) {
		for _, l := range labels {
			s = append(s, v.shape[slices.Index(of, l)])
		}
		return s
	}
	form := func(v *value[T], of []byte, parts ...[]byte) *value[T] {
		var order []int
		for _, l := range slices.Concat(parts...) {
			order = append(order, slices.Index(of, l))
		}
		shape := sides(v, of, parts[0])
		for _, p := range parts[1:] {
			shape = append(shape, product(sides(v, of, p)))
		}
		return c.shaped(c.permuted(v, order...), shape...)
	}
	shape := slices.Concat(sides(x, a, both), sides(x, a, left), sides(y, b, right))
	z := c.multiplied(form(x, a, both, left, gone), form(y, b, both, gone, right))
	return c.shaped(z, shape...), slices.Concat(both, left, right)
}

// equation reads the labels of an equation without dots.
func equation(text string, arrays int) (in [][]byte, out []byte, ok bool) {
	var left, right []byte
	arrow := false
	for i := 0; i < len(text); i++ {
		switch ch := text[i]; {
		case ch == ' ':
		case ch == '-' && i+1 < len(text) && text[i+1] == '>':
			arrow = true
			i++
		case ch == ',' || ch >= 'a' && ch <= 'z' || ch >= 'A' && ch <= 'Z':
			if arrow {
				right = append(right, ch)
			} else {
				left = append(left, ch)
			}
		default:
			return nil, nil, false
		}
	}
	count := map[byte]int{}
	part := []byte{}
	for _, ch := range append(left, ',') {
		if ch != ',' {
			if count[ch]++; slices.Contains(part, ch) {
				return nil, nil, false
			}
			part = append(part, ch)
			continue
		}
		in, part = append(in, part), []byte{}
	}
	if !arrow { // labels of one array, in their order
		for ch := byte('A'); ch <= 'z'; ch++ {
			if count[ch] == 1 {
				right = append(right, ch)
			}
		}
	}
	return in, right, len(in) == arrays
}
