package kernel

import "fmt"

// ConvShape describes a square two-dimensional convolution on feature maps of
// H×W pixels for a batch of N, from InC to OutC channels, with a K×K filter,
// the same stride in both directions and Pad zero pixels on every side.
type ConvShape struct {
	N, H, W, InC, OutC, K, Stride, Pad int
}

// OutH is the height of the output map, ⌊(H + 2·Pad − K) / Stride⌋ + 1.
func (s ConvShape) OutH() int { return (s.H+2*s.Pad-s.K)/s.Stride + 1 }

// OutW is the width of the output map.
func (s ConvShape) OutW() int { return (s.W+2*s.Pad-s.K)/s.Stride + 1 }

// InLen is the length of the input, [H][W][N][InC].
func (s ConvShape) InLen() int { return s.H * s.W * s.N * s.InC }

// OutLen is the length of the output, [OutH][OutW][N][OutC].
func (s ConvShape) OutLen() int { return s.OutH() * s.OutW() * s.N * s.OutC }

// WeightLen is the number of weights; WeightIndex tells their order.
func (s ConvShape) WeightLen() int { return s.K * s.K * s.InC * s.OutC }

// Validate reports the first reason why the shape cannot be computed: a
// dimension below one, a negative padding, or a filter larger than the padded
// map.
func (s ConvShape) Validate() error {
	for _, d := range []struct {
		name string
		v    int
	}{{"N", s.N}, {"H", s.H}, {"W", s.W}, {"InC", s.InC}, {"OutC", s.OutC}, {"K", s.K}, {"Stride", s.Stride}} {
		if d.v < 1 {
			return fmt.Errorf("kernel: convolution with %s = %d, want at least 1", d.name, d.v)
		}
	}
	if s.Pad < 0 {
		return fmt.Errorf("kernel: convolution with Pad = %d, want at least 0", s.Pad)
	}
	if s.K > s.H+2*s.Pad || s.K > s.W+2*s.Pad {
		return fmt.Errorf("kernel: a %d×%d filter does not fit a %d×%d map padded by %d", s.K, s.K, s.H, s.W, s.Pad)
	}
	return nil
}

// LiveTaps lists, in ascending order, the filter taps kh·K + kw that meet at
// least one pixel of the map at some output position. The others only ever
// multiply padding: their weights influence nothing and their gradient is zero.
// A 3×3 filter on a 1×1 map has one live tap, the centre.
func (s ConvShape) LiveTaps() []int {
	rows := liveOffsets(s.H, s.OutH(), s.K, s.Stride, s.Pad)
	cols := liveOffsets(s.W, s.OutW(), s.K, s.Stride, s.Pad)
	var live []int
	for kh, r := range rows {
		for kw, c := range cols {
			if r && c {
				live = append(live, kh*s.K+kw)
			}
		}
	}
	return live
}

// Range is the half-open index range [Lo, Hi).
type Range struct{ Lo, Hi int }

// Len returns Hi - Lo.
func (r Range) Len() int { return r.Hi - r.Lo }

// LiveRanges lists the index ranges of the stored weights that belong
// to live taps, neighbouring taps merged. An optimiser that visits only these
// ranges changes every weight that has a gradient.
func (s ConvShape) LiveRanges() []Range {
	size := s.InC * s.OutC
	r := []Range{}
	for _, t := range s.LiveTaps() {
		if n := len(r); n > 0 && r[n-1].Hi == t*size {
			r[n-1].Hi += size
		} else {
			r = append(r, Range{t * size, (t + 1) * size})
		}
	}
	return r
}

// liveOffsets tells for each filter offset along one axis whether it meets the
// map at some output position.
func liveOffsets(size, out, k, stride, pad int) []bool {
	live := make([]bool, k)
	for o := range out {
		for d := range k {
			if i := o*stride - pad + d; i >= 0 && i < size {
				live[d] = true
			}
		}
	}
	return live
}
