package kernel

// Transpose writes the rows×cols matrix src to dst as cols×rows.
func Transpose[T Float](dst, src []T, rows, cols int) {
	need("Transpose", "dst", len(dst), rows*cols)
	need("Transpose", "src", len(src), rows*cols)
	if cols == 1 {
		copy(dst, src)
		return
	}
	for j := range cols {
		d := dst[j*rows:][:rows]
		for i := range d {
			d[i] = src[i*cols+j]
		}
	}
}

// WeightPanel is the number of output channels that convolution weights keep
// together. It is wide enough for the widest vectors and the same on all
// machines, so that stored weights mean the same everywhere.
const WeightPanel = 32

// WeightIndex returns the index of a weight in storage. Every tap is a separate matrix
// InC×OutC, so that taps which never meet the map are ranges. The matrix's columns are cut
// into consecutive panels of WeightPanel columns, the last one possibly narrower:
// [tap][panel][InC][channels of the panel]. A convolution reads such a panel from start to
// end. Up to WeightPanel output channels, and for few input channels, this is plain
// [tap][InC][OutC].
func (s ConvShape) WeightIndex(tap, in, out int) int {
	width := s.panelWidth()
	first := out / width * width
	return (tap*s.OutC+first)*s.InC + in*min(width, s.OutC-first) + out - first
}

// panelWidth is the number of columns of a panel of the stored weights. Filters with few input
// channels are multiplied by a whole row of taps at a time (see conv_stem.go) and so are not
// cut into panels.
func (s ConvShape) panelWidth() int {
	if s.isStem() {
		return s.OutC
	}
	return min(WeightPanel, s.OutC)
}

// OIHWToPanels converts convolution weights from the usual [out][in][k·k] order to the
// order of WeightIndex.
func OIHWToPanels[T Float](dst, src []T, out, in, k int) {
	need("OIHWToPanels", "dst", len(dst), out*in*k*k)
	need("OIHWToPanels", "src", len(src), out*in*k*k)
	eachWeight(out, in, k, func(stored, usual int) { dst[stored] = src[usual] })
}

// PanelsToOIHW is the inverse of OIHWToPanels.
func PanelsToOIHW[T Float](dst, src []T, out, in, k int) {
	need("PanelsToOIHW", "dst", len(dst), out*in*k*k)
	need("PanelsToOIHW", "src", len(src), out*in*k*k)
	eachWeight(out, in, k, func(stored, usual int) { dst[usual] = src[stored] })
}

// eachWeight calls f with both places of every weight.
func eachWeight(out, in, k int, f func(stored, usual int)) {
	s := ConvShape{InC: in, OutC: out, K: k}
	for o := range out {
		first := s.WeightIndex(0, 0, o)
		step := s.WeightIndex(0, 1, o) - first
		for i := range in {
			for t := range k * k {
				f(t*in*out+first+i*step, (o*in+i)*k*k+t)
			}
		}
	}
}

// NCHWToHWNC converts a batch of feature maps from the usual [n][c][h·w] order
// to the pixel-major order [h·w][n][c] of this package.
func NCHWToHWNC[T Float](dst, src []T, n, c, pixels int) {
	need("NCHWToHWNC", "dst", len(dst), n*c*pixels)
	need("NCHWToHWNC", "src", len(src), n*c*pixels)
	const at = 16 // pixels, about a cache line of each map
	Parallel(ceilDiv(pixels, at), grainFor(workPack, at*n*c), func(lo, hi int) {
		for p := lo * at; p < min(hi*at, pixels); p += at {
			for r := range n * c {
				for i, v := range src[r*pixels+p:][:min(at, pixels-p)] {
					dst[(p+i)*n*c+r] = v
				}
			}
		}
	})
}
