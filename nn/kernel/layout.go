package kernel

// OIHWToHWIO converts convolution weights from the usual [out][in][k·k] order
// to the tap-major order [k·k][in][out] of this package.
func OIHWToHWIO[T Float](dst, src []T, out, in, k int) {
	need("OIHWToHWIO", "dst", len(dst), out*in*k*k)
	need("OIHWToHWIO", "src", len(src), out*in*k*k)
	for o := range out {
		for i := range in {
			for t := range k * k {
				dst[(t*in+i)*out+o] = src[(o*in+i)*k*k+t]
			}
		}
	}
}

// HWIOToOIHW is the inverse of OIHWToHWIO.
func HWIOToOIHW[T Float](dst, src []T, out, in, k int) {
	need("HWIOToOIHW", "dst", len(dst), out*in*k*k)
	need("HWIOToOIHW", "src", len(src), out*in*k*k)
	for o := range out {
		for i := range in {
			for t := range k * k {
				dst[(o*in+i)*k*k+t] = src[(t*in+i)*out+o]
			}
		}
	}
}

// NCHWToHWNC converts a batch of feature maps from the usual [n][c][h·w] order
// to the pixel-major order [h·w][n][c] of this package.
func NCHWToHWNC[T Float](dst, src []T, n, c, pixels int) {
	need("NCHWToHWNC", "dst", len(dst), n*c*pixels)
	need("NCHWToHWNC", "src", len(src), n*c*pixels)
	for r := range n * c {
		for p, v := range src[r*pixels:][:pixels] {
			dst[p*n*c+r] = v
		}
	}
}

// HWNCToNCHW is the inverse of NCHWToHWNC.
func HWNCToNCHW[T Float](dst, src []T, n, c, pixels int) {
	need("HWNCToNCHW", "dst", len(dst), n*c*pixels)
	need("HWNCToNCHW", "src", len(src), n*c*pixels)
	for r := range n * c {
		d := dst[r*pixels:][:pixels]
		for p := range d {
			d[p] = src[p*n*c+r]
		}
	}
}
