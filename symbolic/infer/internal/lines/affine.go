package lines

// affine writes b₀ + B·g into b, Width numbers for each affine function, and into large
// which of the Width are larger than needed.
func (p *Program) affine(g, b []float64, large []uint8) {
	for e, b0 := range p.b0 {
		v := [Width]float64{b0, b0, b0, b0, b0, b0, b0, b0}
		for j := p.ptr[e]; j < p.ptr[e+1]; j++ {
			a, x := p.val[j], (*[Width]float64)(g[p.col[j]*Width:])
			// The conversions keep products from being fused with the sums.
			v[0] += float64(a * x[0])
			v[1] += float64(a * x[1])
			v[2] += float64(a * x[2])
			v[3] += float64(a * x[3])
			v[4] += float64(a * x[4])
			v[5] += float64(a * x[5])
			v[6] += float64(a * x[6])
			v[7] += float64(a * x[7])
		}
		*(*[Width]float64)(b[e*Width:]) = v
		mask := uint8(0)
		for l, x := range v {
			if x > p.needed[e] {
				mask |= 1 << l
			}
		}
		large[e] = mask
	}
}
