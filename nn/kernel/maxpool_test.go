package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/nn/difference"
)

// refPool calls f with the input of the maximum of every window.
func refPool(s PoolShape, x []float64, f func(in, tap, out int)) {
	pixel := s.N * s.C
	for o := range s.OutH() * s.OutW() {
		for i := range pixel {
			best, at := -1, 0
			for t := range s.K * s.K {
				h, w := o/s.OutW()*s.Stride-s.Pad+t/s.K, o%s.OutW()*s.Stride-s.Pad+t%s.K
				if h < 0 || h >= s.H || w < 0 || w >= s.W {
					continue
				}
				if in := (h*s.W+w)*pixel + i; best < 0 || x[in] > x[best] {
					best, at = in, t
				}
			}
			f(best, at, o*pixel+i)
		}
	}
}

func randomPool(rng *rand.Rand) PoolShape {
	for {
		s := PoolShape{N: 1 + rng.IntN(7), H: 1 + rng.IntN(9), W: 1 + rng.IntN(9), C: 1 + rng.IntN(40), K: 1 + rng.IntN(5), Stride: 1 + rng.IntN(3), Pad: rng.IntN(3)}
		if s.Validate() == nil {
			return s
		}
	}
}

func runPool[T Float](t *testing.T, s PoolShape, seed uint64) {
	t.Helper()
	rng := newRand(seed)
	name := label("%T %+v", T(0), s)
	x, dy := guardCopy(normals[T](rng, s.InLen())), guardCopy(normals[T](rng, s.OutLen()))
	for i := range x.buf {
		x.buf[i] = T(int(4 * x.buf[i])) // many ties
	}
	y, dx := guard[T](s.OutLen()), guard[T](s.InLen())
	index := guard[uint8](s.OutLen())
	MaxPoolForward(s, x.buf, y.buf, index.buf)
	MaxPoolBackward(s, dy.buf, index.buf, dx.buf)
	wy, wdx := make([]float64, s.OutLen()), make([]float64, s.InLen())
	x64 := to64(x.buf)
	refPool(s, x64, func(in, tap, out int) {
		wy[out] = x64[in]
		wdx[in] += float64(dy.buf[out])
		if got := index.buf[out]; int(got) != tap {
			t.Fatalf("%s: index[%d] = %d, want %d", name, out, got, tap)
		}
	})
	near(t, name+" y", y.buf, wy, 0)
	near(t, name+" dx", dx.buf, wdx, 1e-6)
	index.intact(t, name+" index")
	for _, g := range []guarded[T]{x, dy, y, dx} {
		g.intact(t, name)
	}
}

func TestMaxPoolAgainstDefinition(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		rng := newRand(21)
		runPool[float32](t, PoolShape{N: 8, H: 14, W: 14, C: 64, K: 3, Stride: 2, Pad: 1}, 1)
		for i := range 60 {
			runPool[float32](t, randomPool(rng), uint64(i))
			runPool[float64](t, randomPool(rng), uint64(i))
		}
	})
}

// TestMaxPoolKeepsNaN: what is not a number makes the maximum so, at whichever tap and channel it is.
func TestMaxPoolKeepsNaN(t *testing.T) {
	for _, c := range []int{1, 5, 8, 31, 32, 33, 70} {
		for _, side := range []int{2, 3, 6} {
			s := PoolShape{N: 2, H: side, W: side, C: c, K: 2, Stride: 1}
			for tap := range 4 {
				x, y, index := make([]float32, s.InLen()), make([]float32, s.OutLen()), make([]uint8, s.OutLen())
				at := ((tap/2)*side + tap%2) * s.N * s.C
				for i := range s.N * s.C {
					x[at+i] = float32(math.NaN())
				}
				MaxPoolForward(s, x, y, index)
				for i, v := range y[:s.N*s.C] {
					if v == v || int(index[i]) != tap {
						t.Fatalf("%+v, tap %d, value %d: maximum %v at tap %d", s, tap, i, v, index[i])
					}
				}
			}
		}
	}
}

func TestMaxPoolDoesNotDependOnThreads(t *testing.T) {
	s := PoolShape{N: 32, H: 14, W: 14, C: 64, K: 3, Stride: 2, Pad: 1}
	rng := newRand(22)
	x, dy := normals[float32](rng, s.InLen()), normals[float32](rng, s.OutLen())
	sameOnThreads(t, "dx", func() []float32 {
		y, dx, index := make([]float32, s.OutLen()), make([]float32, s.InLen()), make([]uint8, s.OutLen())
		MaxPoolForward(s, x, y, index)
		MaxPoolBackward(s, dy, index, dx)
		return dx
	})
}

func TestPoolShapeValidate(t *testing.T) {
	for want, s := range map[string]PoolShape{
		"below 1":       {N: 1, H: 1, W: 1, K: 1, Stride: 1},
		"K = 16":        {N: 1, H: 20, W: 20, C: 1, K: 16, Stride: 1},
		"Pad = 2":       {N: 1, H: 9, W: 9, C: 1, K: 3, Stride: 1, Pad: 2},
		"does not fit":  {N: 1, H: 2, W: 9, C: 1, K: 3, Stride: 1},
		"Pad = -1":      {N: 1, H: 9, W: 9, C: 1, K: 3, Stride: 1, Pad: -1},
		"want 1 to 15":  {N: 1, H: 9, W: 9, C: 1, K: 0, Stride: 1},
		"a dimension b": {N: 1, H: 9, W: 9, C: 1, K: 3},
	} {
		assert.ErrorContainsf(t, s.Validate(), want, "%+v", s)
	}
	mustPanic(t, "forward", func() { MaxPoolForward[float32](PoolShape{}, nil, nil, nil) })
}

func TestGlobalAvgPool(t *testing.T) {
	rng := newRand(23)
	const pixels, n = 49, 30
	x, r := normals[float64](rng, pixels*n), normals[float64](rng, n)
	y, dx := make([]float64, n), make([]float64, pixels*n)
	loss := func() float64 { GlobalAvgPool(x, y, pixels); return dot(y, r) }
	GlobalAvgPoolBackward(r, dx, pixels)
	assert.NoError(t, difference.Check("dx", x, dx, 30, 1e-6, loss))
	var want float64
	for p := range pixels {
		want += x[p*n+7] / pixels
	}
	loss()
	near(t, "y", y[7:8], []float64{want}, 1e-12)
}
