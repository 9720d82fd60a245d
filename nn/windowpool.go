package nn

import (
	"math"

	"gorgonia.org/gorgonia"

	"hinge/nn/kernel"
)

// WindowMax takes the maximum over windows of any form of x [H][W][N][C]. Padding does not
// count; a NaN makes the maximum NaN. The gradient goes to the first of equal entries. MaxPool
// is the faster form for square windows.
func (b *Builder[T]) WindowMax(name string, x *gorgonia.Node, w Window) *gorgonia.Node {
	y := b.window("max "+name, x, w, func(in []int, byOut, byIn [][]pair, _ []int) windowed[T] {
		row := in[2] * in[3]
		at := make([]int32, len(byOut)*row) // pixels of the maxima
		return windowed[T]{
			forward: func(x, y []T, o int) {
				to, at := y[o*row:][:row], at[o*row:][:row]
				for i := range to {
					to[i] = T(math.Inf(-1))
				}
				for k, p := range byOut[o] {
					for i, v := range x[p.in*row:][:row] {
						if k == 0 || v > to[i] || v != v {
							to[i], at[i] = v, int32(p.in)
						}
					}
				}
			},
			backward: func(dy, dx []T, in int) {
				to := dx[in*row:][:row]
				for _, p := range byIn[in] {
					at := at[p.out*row:][:row]
					for i, d := range dy[p.out*row:][:row] {
						if int(at[i]) == in {
							to[i] += d
						}
					}
				}
			},
		}
	})
	return b.layer("WindowMax", name, y, w, nil, x)
}

// Averaging is the With of the Layer of a WindowAverage.
type Averaging struct {
	Window
	Padded bool // padding counts
}

// WindowAverage averages over windows of any form of x [H][W][N][C]; padding counts as
// zeros where padded, else not at all.
func (b *Builder[T]) WindowAverage(name string, x *gorgonia.Node, w Window, padded bool) *gorgonia.Node {
	y := b.window("average "+name, x, w, func(in []int, byOut, byIn [][]pair, inside []int) windowed[T] {
		row := in[2] * in[3]
		share := make([]T, len(byOut))
		for o, list := range byOut {
			if share[o] = 1 / T(len(list)); padded {
				share[o] = 1 / T(inside[o])
			}
		}
		return windowed[T]{
			forward: func(x, y []T, o int) {
				to := y[o*row:][:row]
				clear(to)
				for _, p := range byOut[o] {
					for i, v := range x[p.in*row:][:row] {
						to[i] += share[o] * v
					}
				}
			},
			backward: func(dy, dx []T, in int) {
				to := dx[in*row:][:row]
				for _, p := range byIn[in] {
					for i, d := range dy[p.out*row:][:row] {
						to[i] += share[p.out] * d
					}
				}
			},
		}
	})
	return b.layer("WindowAverage", name, y, Averaging{w, padded}, nil, x)
}

// windowed is the operation of a pool on a pixel of the output, and on the pixel of the
// input's gradient, which is zero before.
type windowed[T Float] struct {
	forward  func(x, y []T, out int)
	backward func(dy, dx []T, in int)
}

// window adds a pool.
func (b *Builder[T]) window(name string, x *gorgonia.Node, w Window, make func(in []int, byOut, byIn [][]pair, inside []int) windowed[T]) *gorgonia.Node {
	if b.failed(name, x) {
		return nil
	}
	in := x.Shape()
	if len(in) != 4 {
		return b.Fail(name, "pooling wants H×W×N×C, not shape %v", in)
	}
	outH, outW, list, inside, err := w.pairs(in[0], in[1])
	if err != nil {
		return b.Fail(name, "%v", err)
	}
	byOut := grouped(list, outH*outW, func(p pair) int { return p.out })
	for _, l := range byOut {
		if len(l) == 0 {
			return b.Fail(name, "the window %+v lies on padding alone somewhere", w)
		}
	}
	f := make(in, byOut, grouped(list, in[0]*in[1], func(p pair) int { return p.in }), inside)
	over := func(pixels int, do func(pixel int)) {
		kernel.Parallel(pixels, max(1, mapGrain/(in[2]*in[3])), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				do(i)
			}
		})
	}
	return b.unary("window "+name, x, []int{outH, outW, in[2], in[3]}, func(x, y []T) error {
		over(outH*outW, func(o int) { f.forward(x, y, o) })
		return nil
	}, readsY, func(dy, _, _, dx []T) {
		clear(dx)
		over(in[0]*in[1], func(i int) { f.backward(dy, dx, i) })
	})
}
