package kernel

import (
	"fmt"
	"unsafe"
)

// PoolShape describes max pooling over K×K windows on H×W maps of C channels
// for a batch of N, with Pad pixels of −∞ on every side.
type PoolShape struct {
	N, H, W, C, K, Stride, Pad int
}

// OutH is the height of the output map, ⌊(H + 2·Pad − K) / Stride⌋ + 1.
func (s PoolShape) OutH() int { return (s.H+2*s.Pad-s.K)/s.Stride + 1 }

// OutW is the width of the output map.
func (s PoolShape) OutW() int { return (s.W+2*s.Pad-s.K)/s.Stride + 1 }

// InLen is the length of the input, [H][W][N][C].
func (s PoolShape) InLen() int { return s.H * s.W * s.N * s.C }

// OutLen is the length of the output, [OutH][OutW][N][C].
func (s PoolShape) OutLen() int { return s.OutH() * s.OutW() * s.N * s.C }

// Validate reports the first reason why the shape cannot be computed: a
// dimension below one, a window of more than 15×15 (its index would not fit a
// byte), one larger than the padded map, or a padding above K/2, which would
// allow windows without a pixel.
func (s PoolShape) Validate() error {
	switch {
	case s.N < 1 || s.H < 1 || s.W < 1 || s.C < 1 || s.Stride < 1:
		return fmt.Errorf("kernel: pooling %+v has a dimension below 1", s)
	case s.K < 1 || s.K > 15:
		return fmt.Errorf("kernel: pooling with K = %d, want 1 to 15", s.K)
	case s.Pad < 0 || 2*s.Pad > s.K:
		return fmt.Errorf("kernel: pooling with Pad = %d, want 0 to K/2 = %d", s.Pad, s.K/2)
	case s.K > s.H+2*s.Pad || s.K > s.W+2*s.Pad:
		return fmt.Errorf("kernel: a %d×%d window does not fit a %d×%d map padded by %d", s.K, s.K, s.H, s.W, s.Pad)
	}
	return nil
}

// window returns the first tap of a window that lies on the map and the one
// after the last, along an axis of the given size.
func (s PoolShape) window(o, size int) (lo, hi int) {
	return max(0, s.Pad-o*s.Stride), min(s.K, size+s.Pad-o*s.Stride)
}

func (s PoolShape) check(op string, in, out, index int) {
	if err := s.Validate(); err != nil {
		panic(err)
	}
	need(op, "x", in, s.InLen())
	need(op, "y", out, s.OutLen())
	need(op, "index", index, s.OutLen())
}

// tapAt is one pixel of a window: the offset of the pixel and the tap that it is.
type tapAt [2]int

// poolLanes is the number of elements that the assembly of a maximum takes at a time.
const poolLanes = 32

// MaxPoolForward writes the largest value of each window to y and its place in
// the window, kh·K + kw, to index; among equal values the first wins. It panics
// if the shape is not valid.
func MaxPoolForward[T Float](s PoolShape, x, y []T, index []uint8) {
	s.check("MaxPoolForward", len(x), len(y), len(index))
	ow, pixel := s.OutW(), s.N*s.C
	Parallel(s.OutH()*ow, grainFor(workElems, pixel*s.K*s.K), func(lo, hi int) {
		var buf [225]tapAt
		row, col := lo/ow, lo%ow
		for o := lo; o < hi; {
			list, n := s.taps(buf[:0], row, col, pixel), 1
			if w0, w1 := s.window(col, s.W); w0 == 0 && w1 == s.K { // so are those of the pixels on its right
				n = min((s.W+s.Pad-s.K)/s.Stride+1-col, hi-o)
			}
			if n = poolRow(list, n, pixel, s.Stride*pixel, x, y[o*pixel:hi*pixel], index[o*pixel:hi*pixel]); n == 0 {
				poolMax(list, x, y[o*pixel:][:pixel], index[o*pixel:][:pixel])
				n = 1
			}
			o += n
			if col += n; col == ow {
				row, col = row+1, 0
			}
		}
	})
}

// poolRow is poolMax for up to n output pixels one after the other, with windows step apart, and
// returns how many it has dealt with. It changes the list. What vectors write beyond a pixel is
// overwritten by the pixels behind it, so y and index reach to the last pixel that will be written.
func poolRow[T Float](list []tapAt, n, pixel, step int, x, y []T, index []uint8) int {
	wide, last := ceilDiv(pixel, poolLanes)*poolLanes, list[len(list)-1][0]
	if !vectors[T]() || len(y) < wide || len(x) < last+wide {
		return 0
	}
	n = min(n, (len(y)-wide)/pixel+1, (len(x)-wide-last)/step+1)
	for i := range n {
		poolMaxVec(wide, len(list), (*[2]int)(unsafe.SliceData(list)), at32(x), at32(y[i*pixel:]), &index[i*pixel])
		for k := range list {
			list[k][0] += step
		}
	}
	return n
}

// taps appends the pixels of the window of an output pixel to list.
func (s PoolShape) taps(list []tapAt, row, col, pixel int) []tapAt {
	h0, h1 := s.window(row, s.H)
	w0, w1 := s.window(col, s.W)
	for kh := h0; kh < h1; kh++ {
		for kw := w0; kw < w1; kw++ {
			in := (row*s.Stride-s.Pad+kh)*s.W + col*s.Stride - s.Pad + kw
			list = append(list, tapAt{in * pixel, kh*s.K + kw})
		}
	}
	return list
}

// poolMax writes the maximum over the pixels of the list to y and their taps to
// index.
func poolMax[T Float](list []tapAt, x, y []T, index []uint8) {
	done := 0
	if vectors[T]() {
		poolMaxVec(len(y), len(list), (*[2]int)(unsafe.SliceData(list)), at32(x), at32(y), unsafe.SliceData(index))
		done = len(y) &^ (poolLanes - 1)
	}
	if done == len(y) {
		return
	}
	for n, t := range list {
		from := x[t[0]:][:len(y)]
		for i := done; i < len(y); i++ {
			if v := from[i]; n == 0 || v > y[i] || v != v { // not a number stays so
				y[i], index[i] = v, uint8(t[1])
			}
		}
	}
}

// MaxPoolBackward overwrites dx with the gradient of MaxPoolForward: each
// element of dy goes to the input that was the maximum.
func MaxPoolBackward[T Float](s PoolShape, dy []T, index []uint8, dx []T) {
	s.check("MaxPoolBackward", len(dx), len(dy), len(index))
	oh, ow, pixel := s.OutH(), s.OutW(), s.N*s.C
	Parallel(s.H*s.W, grainFor(workElems, pixel*4), func(lo, hi int) {
		var buf [225]tapAt
		for in := lo; in < hi; in++ {
			h, w := in/s.W+s.Pad, in%s.W+s.Pad
			list := buf[:0]
			for ph := max(0, ceilDiv(h-s.K+1, s.Stride)); ph <= min(oh-1, h/s.Stride); ph++ {
				for pw := max(0, ceilDiv(w-s.K+1, s.Stride)); pw <= min(ow-1, w/s.Stride); pw++ {
					list = append(list, tapAt{(ph*ow + pw) * pixel, (h-ph*s.Stride)*s.K + w - pw*s.Stride})
				}
			}
			poolAdd(list, dy, index, dx[in*pixel:][:pixel])
		}
	})
}

// poolAdd overwrites dx with the sum, over the output pixels of the list, of
// the elements of dy whose index is the tap.
func poolAdd[T Float](list []tapAt, dy []T, index []uint8, dx []T) {
	done := 0
	if vectors[T]() {
		poolAddVec(len(dx), len(list), (*[2]int)(unsafe.SliceData(list)), at32(dy), unsafe.SliceData(index), at32(dx))
		done = len(dx) &^ 7
	}
	clear(dx[done:])
	for _, t := range list {
		from, at := dy[t[0]:][:len(dx)], index[t[0]:][:len(dx)]
		for i := done; i < len(dx); i++ {
			if at[i] == uint8(t[1]) {
				dx[i] += from[i]
			}
		}
	}
}
