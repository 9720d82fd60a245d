package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/nn/difference"
)

// refConv is the definition of the three convolutions in float64.
type refConv struct{ s ConvShape }

func (r refConv) each(f func(x, w, y int)) {
	s := r.s
	for oh := range s.OutH() {
		for ow := range s.OutW() {
			for kh := range s.K {
				for kw := range s.K {
					ih, iw := oh*s.Stride-s.Pad+kh, ow*s.Stride-s.Pad+kw
					if ih < 0 || ih >= s.H || iw < 0 || iw >= s.W {
						continue
					}
					for n := range s.N {
						for ci := range s.InC {
							for co := range s.OutC {
								f(((ih*s.W+iw)*s.N+n)*s.InC+ci, s.WeightIndex(kh*s.K+kw, ci, co), ((oh*s.OutW()+ow)*s.N+n)*s.OutC+co)
							}
						}
					}
				}
			}
		}
	}
}

// all returns the output and both gradients.
func (r refConv) all(x, w, dy []float64) (y, dx, dw []float64) {
	y, dx, dw = make([]float64, r.s.OutLen()), make([]float64, r.s.InLen()), make([]float64, r.s.WeightLen())
	r.each(func(i, k, o int) {
		y[o] += x[i] * w[k]
		dx[i] += dy[o] * w[k]
		dw[k] += x[i] * dy[o]
	})
	return y, dx, dw
}

// resnetShapes are the convolutions of ResNet18 on 28×28 maps with one channel,
// narrowed so that the naive reference stays quick.
var resnetShapes = []ConvShape{
	{N: 8, H: 28, W: 28, InC: 1, OutC: 16, K: 7, Stride: 2, Pad: 3},
	{N: 2, H: 28, W: 28, InC: 3, OutC: 16, K: 7, Stride: 2, Pad: 3},
	{N: 8, H: 7, W: 7, InC: 16, OutC: 16, K: 3, Stride: 1, Pad: 1},
	{N: 8, H: 7, W: 7, InC: 16, OutC: 32, K: 3, Stride: 2, Pad: 1},
	{N: 8, H: 7, W: 7, InC: 16, OutC: 32, K: 1, Stride: 2},
	{N: 8, H: 4, W: 4, InC: 32, OutC: 32, K: 3, Stride: 1, Pad: 1},
	{N: 8, H: 2, W: 2, InC: 48, OutC: 64, K: 3, Stride: 2, Pad: 1},
	{N: 64, H: 1, W: 1, InC: 64, OutC: 64, K: 3, Stride: 1, Pad: 1},
}

var oddShapes = []ConvShape{
	{N: 1, H: 1, W: 1, InC: 1, OutC: 1, K: 1, Stride: 1},
	{N: 1, H: 5, W: 3, InC: 5, OutC: 7, K: 1, Stride: 1},
	{N: 3, H: 4, W: 5, InC: 5, OutC: 3, K: 1, Stride: 1, Pad: 1},
	{N: 7, H: 1, W: 1, InC: 2, OutC: 17, K: 3, Stride: 1, Pad: 1},
	{N: 5, H: 2, W: 1, InC: 3, OutC: 33, K: 5, Stride: 2, Pad: 2},
	{N: 13, H: 3, W: 4, InC: 19, OutC: 31, K: 5, Stride: 1, Pad: 2},
	{N: 2, H: 9, W: 8, InC: 4, OutC: 5, K: 7, Stride: 2, Pad: 0},
	{N: 3, H: 6, W: 6, InC: 9, OutC: 8, K: 2, Stride: 3, Pad: 0},
	{N: 3, H: 2, W: 2, InC: 4, OutC: 4, K: 3, Stride: 2, Pad: 3},
	{N: 3, H: 2, W: 2, InC: 6, OutC: 4, K: 3, Stride: 2, Pad: 3},
	// One image: sides filled in, taps put together along a row, and all of them.
	{N: 1, H: 4, W: 4, InC: 6, OutC: 40, K: 3, Stride: 1, Pad: 1},
	{N: 1, H: 5, W: 4, InC: 32, OutC: 32, K: 3, Stride: 2, Pad: 1},
	{N: 1, H: 1, W: 5, InC: 6, OutC: 64, K: 5, Stride: 1, Pad: 2},
	{N: 1, H: 6, W: 7, InC: 6, OutC: 16, K: 3, Stride: 1},
	{N: 1, H: 5, W: 3, InC: 6, OutC: 24, K: 3, Stride: 1},
	// Several row blocks, several slices of the weight gradient.
	{N: 2*blockRows + 5, H: 2, W: 1, InC: 5, OutC: 7, K: 3, Stride: 1, Pad: 1},
	{N: blockRows + 1, H: 3, W: 2, InC: 1, OutC: 3, K: 3, Stride: 1, Pad: 1},
	{N: 40, H: 6, W: 6, InC: 6, OutC: 9, K: 3, Stride: 1, Pad: 1},
	{N: 50, H: 3, W: 4, InC: 7, OutC: 18, K: 1, Stride: 1},
}

func randomConv(rng *rand.Rand) ConvShape {
	for {
		s := ConvShape{
			N: 1 + rng.IntN(9), H: 1 + rng.IntN(6), W: 1 + rng.IntN(6), InC: 1 + rng.IntN(20), OutC: 1 + rng.IntN(40),
			K: []int{1, 3, 5, 7}[rng.IntN(4)], Stride: 1 + rng.IntN(2), Pad: rng.IntN(4),
		}
		if s.Validate() == nil {
			return s
		}
	}
}

func runConv[T Float](t *testing.T, s ConvShape, seed uint64, tol float64) {
	t.Helper()
	checkConv(t, s, NewConv[T](s), seed, tol)
}

// checkConv checks all that a convolution computes against the definition.
func checkConv[T Float](t *testing.T, s ConvShape, conv *Conv[T], seed uint64, tol float64) {
	t.Helper()
	rng := newRand(seed)
	name := label("%T %+v", T(0), s)
	x, w := guardCopy(normals[T](rng, s.InLen())), guardCopy(normals[T](rng, s.WeightLen()))
	dy := guardCopy(normals[T](rng, s.OutLen()))
	y, dx := guard[T](s.OutLen()), guard[T](s.InLen())
	dw := guardCopy(make([]T, s.WeightLen()))
	for range 2 { // the second round runs on used workspaces
		conv.Forward(x.buf, w.buf, y.buf)
		conv.BackwardInput(dy.buf, w.buf, dx.buf)
		conv.BackwardWeight(x.buf, dy.buf, dw.buf)
	}
	wantY, wantDX, wantDW := refConv{s}.all(to64(x.buf), to64(w.buf), to64(dy.buf))
	near(t, name+" y", y.buf, wantY, tol)
	near(t, name+" dx", dx.buf, wantDX, tol)
	conv.BackwardInputAdd(dy.buf, w.buf, x.buf, dx.buf)
	for i, v := range x.buf {
		wantDX[i] += float64(v)
	}
	near(t, name+" dx plus x", dx.buf, wantDX, tol)
	near(t, name+" dw", dw.buf, wantDW, tol)
	for _, g := range []guarded[T]{x, w, dy, y, dx, dw} {
		g.intact(t, name)
	}
}

// float64 takes the portable path whatever is in use.
func TestConvAgainstDefinition(t *testing.T) {
	shapes := append(resnetShapes, oddShapes...)
	eachPath(t, func(t *testing.T) {
		for i, s := range shapes {
			runConv[float32](t, s, uint64(i), 1e-5)
		}
	})
	for i, s := range shapes {
		runConv[float64](t, s, uint64(i), 1e-12)
	}
}

func TestConvRandomShapes(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		rng := newRand(4)
		for i := range 100 {
			runConv[float32](t, randomConv(rng), uint64(i), 1e-5)
		}
	})
}

func TestConvFiniteDifferences(t *testing.T) {
	rng := newRand(5)
	for _, s := range oddShapes {
		checkConvGradient(t, rng, s, NewConv[float64](s), 20)
	}
}

// checkConvGradient compares both gradients of a convolution with differences in some places.
func checkConvGradient(t *testing.T, rng *rand.Rand, s ConvShape, conv *Conv[float64], places int) {
	t.Helper()
	x, w, r := normals[float64](rng, s.InLen()), normals[float64](rng, s.WeightLen()), normals[float64](rng, s.OutLen())
	y, dx, dw := make([]float64, s.OutLen()), make([]float64, s.InLen()), make([]float64, s.WeightLen())
	loss := func() float64 { conv.Forward(x, w, y); return dot(y, r) }
	conv.BackwardInput(r, w, dx)
	conv.BackwardWeight(x, r, dw)
	assert.NoError(t, difference.Check(label("dx %+v", s), x, dx, places, 1e-6, loss))
	assert.NoError(t, difference.Check(label("dw %+v", s), w, dw, places, 1e-6, loss))
}

func TestConvDoesNotDependOnThreads(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, s := range []ConvShape{
			{N: 8, H: 28, W: 28, InC: 1, OutC: 40, K: 7, Stride: 2, Pad: 3},
			{N: 16, H: 7, W: 7, InC: 32, OutC: 32, K: 3, Stride: 1, Pad: 1},
			{N: 64, H: 1, W: 1, InC: 160, OutC: 100, K: 3, Stride: 1, Pad: 1},
			{N: 50, H: 3, W: 4, InC: 32, OutC: 48, K: 1, Stride: 1},
			{N: 144, H: 7, W: 7, InC: 8, OutC: 8, K: 3, Stride: 1, Pad: 1},
			{N: 144, H: 7, W: 7, InC: 12, OutC: 12, K: 3, Stride: 1, Pad: 1},
			{N: 144, H: 7, W: 7, InC: 4, OutC: 20, K: 3, Stride: 2, Pad: 1},
		} {
			sameForAllThreads(t, s, NewConv[float32](s))
		}
	})
}

// sameForAllThreads checks that results and gradients, also those that something is added to, have the same bits
// whatever the number of threads.
func sameForAllThreads(t *testing.T, s ConvShape, conv *Conv[float32]) {
	t.Helper()
	rng := newRand(6)
	x, w, dy := normals[float32](rng, s.InLen()), normals[float32](rng, s.WeightLen()), normals[float32](rng, s.OutLen())
	scale, shift := normals[float32](rng, s.OutC), normals[float32](rng, s.OutC)
	sameOnThreads(t, label("%+v", s), func() []float32 {
		y, folded, dw := make([]float32, s.OutLen()), make([]float32, s.OutLen()), make([]float32, s.WeightLen())
		dx, added := make([]float32, s.InLen()), make([]float32, s.InLen())
		conv.Forward(x, w, y)
		conv.ForwardFolded(x, w, scale, shift, dy, folded, true)
		conv.BackwardInput(dy, w, dx)
		conv.BackwardInputAdd(dy, w, x, added)
		conv.BackwardWeight(x, dy, dw)
		return slices.Concat(y, folded, dx, added, dw)
	})
}

func TestConvDoesNotAllocate(t *testing.T) {
	for _, s := range []ConvShape{
		{N: 16, H: 28, W: 28, InC: 1, OutC: 64, K: 7, Stride: 2, Pad: 3},
		{N: 16, H: 4, W: 4, InC: 64, OutC: 40, K: 3, Stride: 1, Pad: 1},
	} {
		conv := NewConv[float32](s)
		x, w, y := make([]float32, s.InLen()), make([]float32, s.WeightLen()), make([]float32, s.OutLen())
		step := func() {
			conv.Forward(x, w, y)
			conv.BackwardInput(y, w, x)
			conv.BackwardWeight(x, y, w)
		}
		step()
		if n := testing.AllocsPerRun(10, step); n > 0 {
			t.Errorf("%+v: %v allocations per step", s, n)
		}
	}
}

func TestConvPanicsOnBadArguments(t *testing.T) {
	s := ConvShape{N: 1, H: 4, W: 4, InC: 2, OutC: 2, K: 3, Stride: 1, Pad: 1}
	x := make([]float32, s.InLen())
	mustPanic(t, "weights", func() { NewConv[float32](s).Forward(x, x, x) })
	mustPanic(t, "shape", func() { NewConv[float32](ConvShape{}) })
}
