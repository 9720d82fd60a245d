package onnx

import (
	"fmt"
	"math"
	"slices"
)

// evaluate runs a file's nodes in plain float64 loops, in the meaning that the
// operators' definitions give them (set 13).
func (f *file) evaluate(x array) (array, error) {
	values := map[string]array{f.in: x}
	for name, t := range f.tensors {
		values[name] = t
	}
	for _, o := range f.nodes {
		in := make([]array, len(o.in))
		for i, name := range o.in {
			v, ok := values[name]
			if !ok {
				return array{}, fmt.Errorf("%s reads %s before it is made", o.name, name)
			}
			in[i] = v
		}
		y, err := o.run(in)
		if err != nil {
			return array{}, fmt.Errorf("%s: %w", o.name, err)
		}
		if _, dup := values[o.out[0]]; dup {
			return array{}, fmt.Errorf("%s is made twice", o.out[0])
		}
		values[o.out[0]] = y
	}
	return values[f.out], nil
}

func newArray(shape ...int) array {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return array{shape, make([]float64, n)}
}

func (o *op) run(in []array) (array, error) {
	x := in[0]
	switch o.kind {
	case "Conv":
		return o.conv(x, in[1]), nil
	case "BatchNormalization":
		y := newArray(x.shape...)
		plane := x.shape[2] * x.shape[3]
		for i, v := range x.data {
			c := i / plane % x.shape[1]
			y.data[i] = in[1].data[c]*(v-in[3].data[c])/math.Sqrt(in[4].data[c]+o.floats["epsilon"]) + in[2].data[c]
		}
		return y, nil
	case "Relu":
		y := newArray(x.shape...)
		for i, v := range x.data {
			y.data[i] = max(0, v)
		}
		return y, nil
	case "Add":
		if !slices.Equal(x.shape, in[1].shape) {
			return x, fmt.Errorf("shapes %v and %v", x.shape, in[1].shape)
		}
		y := newArray(x.shape...)
		for i, v := range x.data {
			y.data[i] = v + in[1].data[i]
		}
		return y, nil
	case "MaxPool":
		return o.maxPool(x), nil
	case "GlobalAveragePool":
		y := newArray(x.shape[0], x.shape[1], 1, 1)
		plane := x.shape[2] * x.shape[3]
		for i, v := range x.data {
			y.data[i/plane] += v / float64(plane)
		}
		return y, nil
	case "Flatten":
		axis, rows := o.ints["axis"][0], 1
		for _, d := range x.shape[:axis] {
			rows *= d
		}
		return array{[]int{rows, len(x.data) / rows}, x.data}, nil
	case "Gemm":
		return o.gemm(x, in[1], in[2])
	case "Mean":
		y := newArray(x.shape...)
		for _, v := range in {
			for i := range y.data {
				y.data[i] += v.data[i] / float64(len(in))
			}
		}
		return y, nil
	case "Reshape":
		y, rest := array{data: x.data}, len(x.data)
		for _, d := range in[1].data {
			y.shape = append(y.shape, int(d))
			if d > 0 {
				rest /= int(d)
			}
		}
		y.shape[slices.Index(y.shape, -1)] = rest
		return y, nil
	case "Identity":
		return x, nil
	}
	return x, fmt.Errorf("no operator %q", o.kind)
}

// windows calls f for every pair of an output and an input pixel under its kernel.
func (o *op) windows(h, w, outH, outW int, f func(out, in, tap int)) {
	k, s, p := o.ints["kernel_shape"], o.ints["strides"], o.ints["pads"]
	for oy := range outH {
		for ox := range outW {
			for ky := range k[0] {
				for kx := range k[1] {
					y, x := oy*s[0]-p[0]+ky, ox*s[1]-p[1]+kx
					if y >= 0 && y < h && x >= 0 && x < w {
						f(oy*outW+ox, y*w+x, ky*k[1]+kx)
					}
				}
			}
		}
	}
}

// side is the length of an output axis.
func (o *op) side(n, axis int) int {
	p := o.ints["pads"]
	return (n+p[axis]+p[axis+2]-o.ints["kernel_shape"][axis])/o.ints["strides"][axis] + 1
}

func (o *op) conv(x, w array) array {
	h, wd := x.shape[2], x.shape[3]
	y := newArray(x.shape[0], w.shape[0], o.side(h, 0), o.side(wd, 1))
	plane, in, taps := y.shape[2]*y.shape[3], h*wd, w.shape[2]*w.shape[3]
	for n := range y.shape[0] {
		for c := range y.shape[1] {
			out := y.data[(n*y.shape[1]+c)*plane:][:plane]
			for k := range x.shape[1] {
				from := x.data[(n*x.shape[1]+k)*in:][:in]
				kernel := w.data[(c*w.shape[1]+k)*taps:][:taps]
				o.windows(h, wd, y.shape[2], y.shape[3], func(i, j, tap int) { out[i] += from[j] * kernel[tap] })
			}
		}
	}
	return y
}

func (o *op) maxPool(x array) array {
	h, w := x.shape[2], x.shape[3]
	y := newArray(x.shape[0], x.shape[1], o.side(h, 0), o.side(w, 1))
	plane, in := y.shape[2]*y.shape[3], h*w
	for i := range y.data {
		y.data[i] = math.Inf(-1)
	}
	for c := range x.shape[0] * x.shape[1] {
		out, from := y.data[c*plane:][:plane], x.data[c*in:][:in]
		o.windows(h, w, y.shape[2], y.shape[3], func(i, j, _ int) { out[i] = max(out[i], from[j]) })
	}
	return y
}

func (o *op) gemm(x, w, b array) (array, error) {
	if len(o.ints["transB"]) != 1 || o.ints["transB"][0] != 1 || len(o.floats) > 0 {
		return x, fmt.Errorf("attributes %v, %v", o.ints, o.floats)
	}
	n, in, out := x.shape[0], x.shape[1], w.shape[0]
	y := newArray(n, out)
	for i := range n {
		for j := range out {
			y.data[i*out+j] = b.data[j]
			for k := range in {
				y.data[i*out+j] += x.data[i*in+k] * w.data[j*in+k]
			}
		}
	}
	return y, nil
}
