package mnist

import "math"

// center is the coordinate of the middle of the image; pixel centres have
// integer coordinates.
const center = (Side - 1) / 2.0

// affine maps a pixel of the result to a place in the source:
// u = xx·x + xy·y + x0, v = yx·x + yy·y + y0.
type affine struct {
	xx, xy, yx, yy, x0, y0 float32
}

// drawAffine draws the inverse of (rotate ∘ shear ∘ magnify) about the centre,
// with the shift.
func drawAffine(g *generator, s *Settings) affine {
	angle := (s.Turn + g.symmetric(s.Rotation)) * math.Pi / 180
	scale := 1 + g.symmetric(s.Scale)
	stretch := 1 + g.symmetric(s.Stretch)
	shear := g.symmetric(s.Shear)
	dx, dy := g.symmetric(s.Shift), g.symmetric(s.Shift)

	sin, cos := math.Sincos(angle)
	// Rows of diag(1/(scale·stretch), 1/scale) · shear⁻¹ · rotation⁻¹.
	xx, xy := (cos+shear*sin)/(scale*stretch), (sin-shear*cos)/(scale*stretch)
	yx, yy := -sin/scale, cos/scale
	cx, cy := center+dx, center+dy
	return affine{
		xx: float32(xx), xy: float32(xy), x0: float32(center - xx*cx - xy*cy),
		yx: float32(yx), yy: float32(yy), y0: float32(center - yx*cx - yy*cy),
	}
}

// row is the places in the source of one row of pixels.
type row struct{ u, v [Side]float32 }

// set fills r with the places of row y.
func (r *row) set(m *affine, y int) {
	u, v := m.xy*float32(y)+m.x0, m.yy*float32(y)+m.y0
	for x := range r.u {
		r.u[x], r.v[x] = u, v
		u += m.xx
		v += m.yx
	}
}

const (
	// stride is the row length of a padded image: one column of background
	// before the 28, three behind.
	stride = Side + 4
	// edge is the first padded coordinate that sees nothing but background.
	edge = Side + 1
)

// paddedImage is an image in a frame of background, so that sampling needs no
// bounds tests: any coordinate is clamped to the frame.
type paddedImage [stride*stride + stride + 2]float32

func (p *paddedImage) fill(image []float32) {
	for y := range Side {
		copy(p[(y+1)*stride+1:], image[y*Side:][:Side])
	}
}

// sample writes the bilinear interpolation of the image at the places of r.
func (p *paddedImage) sample(out []float32, r *row) {
	out = out[:len(r.u)]
	for x, u := range r.u {
		u, v := clamp(u+1), clamp(r.v[x]+1)
		i, j := int32(u), int32(v)
		fu, fv := u-float32(i), v-float32(j)
		// The mask changes nothing; it proves the index to be in range.
		k := uint32(j*stride+i) & (stride*stride - 1)
		top := p[k] + fu*(p[k+1]-p[k])
		bottom := p[k+stride] + fu*(p[k+stride+1]-p[k+stride])
		out[x] = top + fv*(bottom-top)
	}
}

// clamp limits a padded coordinate to the frame.
func clamp(x float32) float32 {
	if !(x > 0) {
		return 0
	}
	if x > edge {
		return edge
	}
	return x
}
