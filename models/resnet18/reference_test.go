package resnet18

import (
	"fmt"
	"math"

	"hinge/nn"
)

// reference is ResNet18 written a second time for the tests: float64 loops over
// N×C×H×W, one example of a gradient tape and nothing shared with package nn but
// the exported weights.
type reference struct {
	w    map[string]nn.Tensor[float64]
	eval bool // normalise by the running statistics; there is no gradient then
	grad map[string][]float64
	tape []func() // backward steps, run from the last to the first
}

// val is an activation with its gradient.
type val struct {
	n, c, h, w int
	v, d       []float64
}

func newVal(n, c, h, w int) *val {
	return &val{n, c, h, w, make([]float64, n*c*h*w), make([]float64, n*c*h*w)}
}

func (r *reference) param(name string) (value, grad []float64) {
	t, ok := r.w[name]
	if !ok {
		panic("no parameter " + name)
	}
	if r.grad[name] == nil {
		r.grad[name] = make([]float64, len(t.Data))
	}
	return t.Data, r.grad[name]
}

func (r *reference) conv(name string, x *val, out, k, stride, pad int) *val {
	w, dw := r.param(name + ".weight")
	y := newVal(x.n, out, (x.h+2*pad-k)/stride+1, (x.w+2*pad-k)/stride+1)
	each := func(f func(xi, wi, yi int)) {
		for yi := range y.v {
			ox, oy, o, n := yi%y.w, yi/y.w%y.h, yi/(y.w*y.h)%out, yi/(y.w*y.h*out)
			for c := range x.c {
				for kh := range k {
					for kw := range k {
						iy, ix := oy*stride-pad+kh, ox*stride-pad+kw
						if iy >= 0 && iy < x.h && ix >= 0 && ix < x.w {
							f(((n*x.c+c)*x.h+iy)*x.w+ix, ((o*x.c+c)*k+kh)*k+kw, yi)
						}
					}
				}
			}
		}
	}
	each(func(xi, wi, yi int) { y.v[yi] += x.v[xi] * w[wi] })
	r.tape = append(r.tape, func() {
		each(func(xi, wi, yi int) {
			x.d[xi] += y.d[yi] * w[wi]
			dw[wi] += y.d[yi] * x.v[xi]
		})
	})
	return y
}

func (r *reference) norm(name string, x *val) *val {
	gamma, dgamma := r.param(name + ".weight")
	beta, dbeta := r.param(name + ".bias")
	y := newVal(x.n, x.c, x.h, x.w)
	hw, m := x.h*x.w, float64(x.n*x.h*x.w)
	xhat, inv := make([]float64, len(x.v)), make([]float64, x.c)
	for c := range x.c {
		mean, variance := r.statistics(name, x, c)
		inv[c] = 1 / math.Sqrt(variance+1e-5)
		for i, v := range x.v {
			if i/hw%x.c == c {
				xhat[i] = (v - mean) * inv[c]
				y.v[i] = gamma[c]*xhat[i] + beta[c]
			}
		}
	}
	r.tape = append(r.tape, func() {
		for i, d := range y.d {
			c := i / hw % x.c
			dgamma[c] += d * xhat[i]
			dbeta[c] += d
		}
		sd, sdx := make([]float64, x.c), make([]float64, x.c)
		for i, d := range y.d {
			c := i / hw % x.c
			sd[c] += d
			sdx[c] += d * xhat[i]
		}
		for i, d := range y.d {
			c := i / hw % x.c
			x.d[i] += gamma[c] * inv[c] * (d - sd[c]/m - xhat[i]*sdx[c]/m)
		}
	})
	return y
}

// statistics are the mean and variance of one channel.
func (r *reference) statistics(name string, x *val, c int) (mean, variance float64) {
	if r.eval {
		return r.w[name+".running_mean"].Data[c], r.w[name+".running_var"].Data[c]
	}
	hw, m := x.h*x.w, float64(x.n*x.h*x.w)
	for i, v := range x.v {
		if i/hw%x.c == c {
			mean += v / m
		}
	}
	for i, v := range x.v {
		if i/hw%x.c == c {
			variance += (v - mean) * (v - mean) / m
		}
	}
	return mean, variance
}

func (r *reference) relu(x *val) *val {
	y := newVal(x.n, x.c, x.h, x.w)
	for i, v := range x.v {
		y.v[i] = max(0, v)
	}
	r.tape = append(r.tape, func() {
		for i, d := range y.d {
			if x.v[i] > 0 {
				x.d[i] += d
			}
		}
	})
	return y
}

func (r *reference) add(a, b *val) *val {
	y := newVal(a.n, a.c, a.h, a.w)
	for i := range y.v {
		y.v[i] = a.v[i] + b.v[i]
	}
	r.tape = append(r.tape, func() {
		for i, d := range y.d {
			a.d[i] += d
			b.d[i] += d
		}
	})
	return y
}

func (r *reference) maxPool(x *val) *val {
	y := newVal(x.n, x.c, (x.h-1)/2+1, (x.w-1)/2+1)
	from := make([]int, len(y.v))
	for yi := range y.v {
		ox, oy, plane := yi%y.w, yi/y.w%y.h, yi/(y.w*y.h)
		y.v[yi] = math.Inf(-1)
		for iy := max(0, 2*oy-1); iy <= min(x.h-1, 2*oy+1); iy++ {
			for ix := max(0, 2*ox-1); ix <= min(x.w-1, 2*ox+1); ix++ {
				if xi := (plane*x.h+iy)*x.w + ix; x.v[xi] > y.v[yi] {
					y.v[yi], from[yi] = x.v[xi], xi
				}
			}
		}
	}
	r.tape = append(r.tape, func() {
		for yi, d := range y.d {
			x.d[from[yi]] += d
		}
	})
	return y
}

func (r *reference) average(x *val) *val {
	y := newVal(x.n, x.c, 1, 1)
	hw := x.h * x.w
	for i, v := range x.v {
		y.v[i/hw] += v / float64(hw)
	}
	r.tape = append(r.tape, func() {
		for i := range x.d {
			x.d[i] += y.d[i/hw] / float64(hw)
		}
	})
	return y
}

func (r *reference) linear(name string, x *val, out int) *val {
	w, dw := r.param(name + ".weight")
	b, db := r.param(name + ".bias")
	y := newVal(x.n, out, 1, 1)
	for n := range x.n {
		for o := range out {
			s := b[o]
			for i := range x.c {
				s += w[o*x.c+i] * x.v[n*x.c+i]
			}
			y.v[n*out+o] = s
		}
	}
	r.tape = append(r.tape, func() {
		for n := range x.n {
			for o := range out {
				d := y.d[n*out+o]
				db[o] += d
				for i := range x.c {
					dw[o*x.c+i] += d * x.v[n*x.c+i]
					x.d[n*x.c+i] += d * w[o*x.c+i]
				}
			}
		}
	})
	return y
}

// run returns the output for images [N][H][W] and, unless in evaluation, fills
// r.grad from the gradient by the output.
func (r *reference) run(c Config, images []float64, n, h, w int, gradient func(y []float64) []float64) []float64 {
	r.grad, r.tape = make(map[string][]float64), nil
	x := newVal(n, c.Channels, h, w)
	for i := range x.v {
		x.v[i] = images[i/(c.Channels*h*w)*h*w+i%(h*w)]
	}
	y := r.maxPool(r.relu(r.norm("bn1", r.conv("conv1", x, c.Widths[0], 7, 2, 3))))
	for stage, width := range c.Widths {
		for block := range 2 {
			name := fmt.Sprintf("layer%d.%d", stage+1, block)
			stride, short := 1, y
			if stage > 0 && block == 0 {
				stride = 2
				short = r.norm(name+".downsample.1", r.conv(name+".downsample.0", y, width, 1, 2, 0))
			}
			z := r.relu(r.norm(name+".bn1", r.conv(name+".conv1", y, width, 3, stride, 1)))
			y = r.relu(r.add(r.norm(name+".bn2", r.conv(name+".conv2", z, width, 3, 1, 1)), short))
		}
	}
	y = r.linear("fc", r.average(y), c.Features)
	if c.Head.Out > 0 {
		y = r.linear("head.1", r.relu(r.linear("head.0", y, c.Head.Hidden[0])), c.Head.Out)
	}
	if r.eval {
		return y.v
	}
	copy(y.d, gradient(y.v))
	for i := len(r.tape) - 1; i >= 0; i-- {
		r.tape[i]()
	}
	return y.v
}
