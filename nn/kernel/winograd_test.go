package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// winogradShapes have every kind of segment, in all pairs that matter, several
// panels, and slices and blocks of the batch that do not come out even.
var winogradShapes = []ConvShape{
	{N: 3, H: 2, W: 2, InC: 32, OutC: 64, K: 3, Stride: 1, Pad: 1},
	{N: 5, H: 4, W: 4, InC: 64, OutC: 32, K: 3, Stride: 1, Pad: 1},
	{N: 2, H: 7, W: 7, InC: 32, OutC: 32, K: 3, Stride: 1, Pad: 1},
	{N: 19, H: 3, W: 4, InC: 32, OutC: 96, K: 3, Stride: 1, Pad: 1},
	{N: 6, H: 2, W: 6, InC: 96, OutC: 32, K: 3, Stride: 1, Pad: 1},
	{N: 1, H: 8, W: 3, InC: 32, OutC: 32, K: 3, Stride: 1, Pad: 1},
	{N: 2*sliceRows + 3, H: 3, W: 2, InC: 32, OutC: 32, K: 3, Stride: 1, Pad: 1},
}

func TestWinogradAgainstDefinition(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for i, s := range winogradShapes {
			checkConv(t, s, newConv(s, newWinograd[float32](s)), uint64(i), 1e-5)
		}
	})
	for i, s := range winogradShapes {
		checkConv(t, s, newConv(s, newWinograd[float64](s)), uint64(i), 1e-12)
	}
}

// The panels of AVX-512 are as wide as two groups.
func TestWinogradWithWidePanels(t *testing.T) {
	defer current.Store(current.Load())
	current.Store(&path{name: "wide", nr: 32})
	for i, s := range winogradShapes {
		checkConv(t, s, newConv(s, newWinograd[float32](s)), uint64(i), 1e-5)
	}
}

func randomWinograd(rng *rand.Rand) ConvShape {
	lengths := []int{2, 3, 4, 6, 7, 8}
	return ConvShape{
		N: 1 + rng.IntN(9), H: lengths[rng.IntN(6)], W: lengths[rng.IntN(6)],
		InC: 32 + 32*rng.IntN(2), OutC: 32 + 32*rng.IntN(2), K: 3, Stride: 1, Pad: 1,
	}
}

func TestWinogradFiniteDifferences(t *testing.T) {
	rng := newRand(122)
	for _, s := range []ConvShape{winogradShapes[0], winogradShapes[2], winogradShapes[5]} {
		checkConvGradient(t, rng, s, newConv(s, newWinograd[float64](s)), 10)
	}
}

func TestWinogradFolded(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		rng := newRand(123)
		for _, s := range winogradShapes[:4] {
			conv := newConv(s, newWinograd[float32](s))
			x, w, res := normals[float32](rng, s.InLen()), normals[float32](rng, s.WeightLen()), normals[float32](rng, s.OutLen())
			scale, shift := normals[float32](rng, s.OutC), normals[float32](rng, s.OutC)
			sum, _, _ := refConv{s}.all(to64(x), to64(w), make([]float64, s.OutLen()))
			for mode := range 4 {
				relu, r := mode&1 != 0, res
				if mode&2 != 0 {
					r = nil
				}
				y, want := guard[float32](s.OutLen()), make([]float64, s.OutLen())
				for i := range want {
					want[i] = sum[i]*float64(scale[i%s.OutC]) + float64(shift[i%s.OutC])
					if r != nil {
						want[i] += float64(r[i])
					}
					if relu {
						want[i] = max(want[i], 0)
					}
				}
				conv.ForwardFolded(x, w, scale, shift, r, y.buf, relu)
				near(t, label("%+v, rectifier %v, residual %v", s, relu, r != nil), y.buf, want, 1e-5)
				y.intact(t, "y")
			}
		}
	})
}

func TestWinogradDoesNotDependOnThreads(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, s := range []ConvShape{
			{N: 21, H: 7, W: 7, InC: 64, OutC: 32, K: 3, Stride: 1, Pad: 1},
			{N: sliceRows + 9, H: 2, W: 2, InC: 96, OutC: 96, K: 3, Stride: 1, Pad: 1},
		} {
			sameForAllThreads(t, s, newConv(s, newWinograd[float32](s)))
		}
	})
}

func TestWinogradDoesNotAllocate(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		s := ConvShape{N: 16, H: 4, W: 4, InC: 64, OutC: 32, K: 3, Stride: 1, Pad: 1}
		conv := newConv(s, newWinograd[float32](s))
		x, w, y := make([]float32, s.InLen()), make([]float32, s.WeightLen()), make([]float32, s.OutLen())
		scale := make([]float32, s.OutC)
		step := func() {
			conv.Forward(x, w, y)
			conv.ForwardFolded(x, w, scale, scale, nil, y, true)
			conv.BackwardInput(y, w, x)
			conv.BackwardWeight(x, y, w)
		}
		step()
		if n := testing.AllocsPerRun(10, step); n > 0 {
			t.Errorf("%v allocations per step", n)
		}
	})
}

// relative returns the root mean square and the largest deviation, in units of
// those of want.
func relative(got []float32, want []float64) (rms, worst float64) {
	var d2, w2, top float64
	for i, v := range want {
		d := float64(got[i]) - v
		d2, w2, worst, top = d2+d*d, w2+v*v, max(worst, math.Abs(d)), max(top, math.Abs(v))
	}
	return math.Sqrt(d2 / w2), worst / top
}

// On the layers of ResNet18 the errors of float32 are at most four times those of
// the plain sum, and the worst is below 4e-6 of the largest value.
func TestWinogradAccuracy(t *testing.T) {
	rng := newRand(125)
	for _, s := range []ConvShape{
		{N: 4, H: 7, W: 7, InC: 64, OutC: 64, K: 3, Stride: 1, Pad: 1},
		{N: 4, H: 4, W: 4, InC: 128, OutC: 128, K: 3, Stride: 1, Pad: 1},
		{N: 4, H: 2, W: 2, InC: 256, OutC: 256, K: 3, Stride: 1, Pad: 1},
	} {
		x, w, dy := normals[float32](rng, s.InLen()), normals[float32](rng, s.WeightLen()), normals[float32](rng, s.OutLen())
		all := func(f func(y, dx, dw []float32)) [3][]float32 {
			r := [3][]float32{make([]float32, s.OutLen()), make([]float32, s.InLen()), make([]float32, s.WeightLen())}
			f(r[0], r[1], r[2])
			return r
		}
		run := func(c *Conv[float32]) [3][]float32 {
			return all(func(y, dx, dw []float32) {
				c.Forward(x, w, y)
				c.BackwardInput(dy, w, dx)
				c.BackwardWeight(x, dy, dw)
			})
		}
		ref := newConv[float64](s, nil)
		want := [3][]float64{make([]float64, s.OutLen()), make([]float64, s.InLen()), make([]float64, s.WeightLen())}
		ref.Forward(to64(x), to64(w), want[0])
		ref.BackwardInput(to64(dy), to64(w), want[1])
		ref.BackwardWeight(to64(x), to64(dy), want[2])
		plain, fast := run(newConv[float32](s, nil)), run(newConv(s, newWinograd[float32](s)))
		for i, name := range []string{"y", "dx", "dw"} {
			rms, _ := relative(plain[i], want[i])
			got, worst := relative(fast[i], want[i])
			t.Logf("%d×%d %s: %.2g, plainly %.2g; worst %.2g", s.H, s.W, name, got, rms, worst)
			if got > 4*rms || worst > 4e-6 {
				t.Errorf("%d×%d %s: error %.3g, plainly %.3g; worst %.3g", s.H, s.W, name, got, rms, worst)
			}
		}
	}
}

// What is not a number reaches every pixel that it reaches in the plain sum, of
// its own image only.
func TestWinogradPropagatesNaN(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, s := range winogradShapes[:3] {
			rng := newRand(126)
			x, w, y := normals[float32](rng, s.InLen()), normals[float32](rng, s.WeightLen()), make([]float32, s.OutLen())
			const image = 1
			x[(s.N+image)*s.InC] = float32(math.NaN()) // of pixel (0, 1)
			conv := newConv(s, newWinograd[float32](s))
			conv.ForwardFolded(x, w, normals[float32](rng, s.OutC), normals[float32](rng, s.OutC), nil, y, true)
			for i, v := range y {
				pixel, n := i/(s.N*s.OutC), i/s.OutC%s.N
				near := n == image && pixel/s.W < 2 && pixel%s.W < 3
				if nan := v != v; near && !nan || nan && n != image {
					t.Fatalf("%+v: pixel %d of image %d: %v", s, pixel, n, v)
				}
			}
		}
	})
}

func TestGainsByWinograd(t *testing.T) {
	layer := func(n, side, c int) ConvShape {
		return ConvShape{N: n, H: side, W: side, InC: c, OutC: c, K: 3, Stride: 1, Pad: 1}
	}
	strided, narrow := layer(64, 7, 64), layer(64, 7, 64)
	strided.Stride = 2
	narrow.OutC = 40
	for _, c := range []struct {
		s    ConvShape
		want bool
	}{
		{layer(64, 7, 64), true}, {layer(1, 7, 64), false}, {layer(3, 7, 64), true},
		{layer(16, 4, 128), true}, {layer(4, 4, 128), false},
		{layer(60, 2, 256), true}, {layer(16, 2, 256), false}, {layer(240, 2, 32), false},
		{layer(64, 1, 512), false}, {layer(64, 5, 64), false}, {layer(64, 14, 64), false},
		{strided, false}, {narrow, false},
	} {
		if got := c.s.gainsByWinograd(); got != c.want {
			t.Errorf("%+v: %v, want %v", c.s, got, c.want)
		}
		if (NewConv[float32](c.s).fast != nil) != c.want {
			t.Errorf("%+v: not computed that way", c.s)
		}
	}
}
