package kernel

import (
	"math"
	"testing"
)

// lengths cross every vector width, block and thread boundary.
var lengths = []int{0, 1, 3, 7, 8, 9, 31, 32, 33, 100, 1023, workElems, workElems + 5, 3*workElems + 17}

func TestScaleLerpRelu(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, n := range lengths {
			rng := newRand(uint64(n))
			x, y, z := guardCopy(normals[float32](rng, n)), guardCopy(normals[float32](rng, n)), guard[float32](n)
			x64, y64, want := to64(x.buf), to64(y.buf), make([]float64, n)
			for i := range want {
				want[i] = y64[i] + 0.125*(x64[i]-y64[i])
			}
			Lerp(0.125, x.buf, y.buf)
			near(t, "lerp", y.buf, want, 1e-6)
			Swap(x.buf, y.buf)
			near(t, "swapped x", x.buf, want, 1e-6)
			near(t, "swapped y", y.buf, x64, 0)
			Swap(x.buf, y.buf)
			for i := range want {
				want[i] = max(x64[i], 0)
			}
			Relu(x.buf, z.buf)
			near(t, "relu", z.buf, want, 0)
			dy := append([]float32(nil), y.buf...)
			for i := range want {
				want[i] = 0
				if z.buf[i] > 0 {
					want[i] = float64(dy[i])
				}
			}
			ReluBackward(dy, z.buf, y.buf)
			near(t, "relu backward", y.buf, want, 0)
			for i := range want {
				want[i] = 3 * x64[i]
			}
			Scale(3, x.buf)
			near(t, "scale", x.buf, want, 1e-6)
			for _, g := range []guarded[float32]{x, y, z} {
				g.intact(t, label("n = %d", n))
			}
		}
	})
}

// A network that diverged must show it.
func TestReluKeepsNaN(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		x := make([]float32, 19)
		for i := range x {
			x[i] = float32(math.NaN())
		}
		y := make([]float32, 19)
		Relu(x, y)
		AddBias(x, make([]float32, 19), true, 1, 19)
		for i, v := range y {
			if v == v || x[i] == x[i] {
				t.Fatalf("element %d: %v and %v, want NaN", i, v, x[i])
			}
		}
	})
}

func TestBiasAndColumnSums(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, s := range bnShapes {
			rng := newRand(31)
			x, bias := guardCopy(normals[float32](rng, s.rows*s.c)), guardCopy(normals[float32](rng, s.c))
			sums, want := guard[float32](s.c), make([]float64, s.c)
			for i, v := range x.buf {
				want[i%s.c] += float64(v)
			}
			ColumnSums(x.buf, sums.buf, s.rows, s.c)
			near(t, "sums", sums.buf, want, 1e-5)
			for _, relu := range []bool{false, true} {
				all := make([]float64, len(x.buf))
				for i, v := range x.buf {
					all[i] = float64(v + bias.buf[i%s.c])
					if relu {
						all[i] = max(0, all[i])
					}
				}
				AddBias(x.buf, bias.buf, relu, s.rows, s.c)
				near(t, "bias", x.buf, all, 0)
			}
			for _, g := range []guarded[float32]{x, bias, sums} {
				g.intact(t, label("%+v", s))
			}
		}
		sums := []float32{5, 6}
		ColumnSums(nil, sums, 0, 2)
		equalBits(t, "no rows", sums, []float32{0, 0})
	})
}

func TestSumSquares(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, n := range lengths {
			x := normals[float32](newRand(uint64(n)), n)
			var want float64
			for _, v := range x {
				want += float64(v) * float64(v)
			}
			var first float64
			threads(func(p int) {
				got := SumSquares(x)
				if math.Abs(got-want) > 1e-12*want {
					t.Fatalf("n = %d: %v, want %v", n, got, want)
				}
				if p == 1 {
					first = got
				}
				if got != first {
					t.Fatalf("n = %d: %v with %d threads, %v with one", n, got, p, first)
				}
			})
		}
	})
}

// Squares that overflow float32 must not overflow the sum.
func TestSumSquaresOfLargeValues(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		x := make([]float32, 40)
		for i := range x {
			x[i] = 1e30
		}
		if got := SumSquares(x); math.Abs(got/40e60-1) > 1e-6 {
			t.Errorf("%v, want about 40e60", got)
		}
	})
}

// Slices of other lengths than the others' are refused before anything is written, whichever
// is the wrong one.
func TestElementwisePanicsOnLength(t *testing.T) {
	for name, c := range map[string]struct {
		lengths []int
		f       func(s [][]float32)
	}{
		"lerp":          {[]int{40, 40}, func(s [][]float32) { Lerp(1, s[0], s[1]) }},
		"relu":          {[]int{40, 40}, func(s [][]float32) { Relu(s[0], s[1]) }},
		"relu backward": {[]int{40, 40, 40}, func(s [][]float32) { ReluBackward(s[0], s[1], s[2]) }},
		"bias":          {[]int{40, 8}, func(s [][]float32) { AddBias(s[0], s[1], false, 5, 8) }},
		"sums":          {[]int{40, 8}, func(s [][]float32) { ColumnSums(s[0], s[1], 5, 8) }},
	} {
		for wrong := range c.lengths {
			for _, by := range []int{-1, 1} {
				var s, before [][]float32
				for n, length := range c.lengths {
					if n == wrong {
						length += by
					}
					s = append(s, normals[float32](newRand(uint64(n)), length))
					before = append(before, append([]float32(nil), s[n]...))
				}
				mustPanic(t, label("%s, argument %d too long by %d", name, wrong, by), func() { c.f(s) })
				for n := range s {
					equalBits(t, label("%s, argument %d too long by %d: argument %d", name, wrong, by, n), s[n], before[n])
				}
			}
		}
		var s [][]float32
		for _, length := range c.lengths {
			s = append(s, make([]float32, length))
		}
		c.f(s) // the lengths above are right except for the wrong one
	}
}
