package mnist

const (
	// knot is the distance of control points in pixels, grid their number on
	// one axis: 28/7 intervals of a cubic spline need 4 + 3 of them.
	knot = 7
	grid = Side/knot + 3
)

// splineBasis holds, for every pixel coordinate, the four cubic B-spline
// weights of the control points x/knot … x/knot+3.
var splineBasis = func() (b [Side][4]float32) {
	for x := range b {
		t := (float64(x%knot) + .5) / knot
		b[x] = [4]float32{
			float32((1 - t) * (1 - t) * (1 - t) / 6),
			float32((3*t*t*t - 6*t*t + 4) / 6),
			float32((-3*t*t*t + 3*t*t + 3*t + 1) / 6),
			float32(t * t * t / 6),
		}
	}
	return b
}()

// controlGain is the ratio of the standard deviation of the control values to
// the root mean square of the surface over the image. The surface at (x, y) has
// variance S(x)·S(y) with S the sum of the squared weights, and the mean of that
// product over the image is the square of the mean of S.
var controlGain = func() float64 {
	sum := 0.0
	for _, w := range splineBasis {
		for _, v := range w {
			sum += float64(v) * float64(v)
		}
	}
	return Side / sum
}()

// elasticField is a random smooth displacement of every pixel, by its control
// values on both axes.
type elasticField struct{ u, v [grid * grid]float32 }

// draw fills the control values for a root mean square displacement of rms
// pixels on each axis.
func (f *elasticField) draw(g *generator, rms float64) {
	sigma := rms * controlGain
	for k := range f.u {
		a, b := g.normals()
		f.u[k], f.v[k] = float32(sigma*a), float32(sigma*b)
	}
}

// displace adds the field to the places of row y.
func (f *elasticField) displace(r *row, y int) {
	addSpline(&r.u, &f.u, y)
	addSpline(&r.v, &f.v, y)
}

// addSpline adds the surface of the given control values at row y to out.
func addSpline(out *[Side]float32, control *[grid * grid]float32, y int) {
	// Contract to the row first: 7 values, then 4 weights a pixel.
	var c [grid]float32
	w := &splineBasis[y]
	near := control[y/knot*grid:][:4*grid]
	for j := range c {
		c[j] = w[0]*near[j] + w[1]*near[j+grid] + w[2]*near[j+2*grid] + w[3]*near[j+3*grid]
	}
	for i := range Side / knot {
		c0, c1, c2, c3 := c[i], c[i+1], c[i+2], c[i+3]
		o := out[i*knot:][:knot]
		for x := range o {
			w := &splineBasis[x] // the weights repeat from knot to knot
			o[x] += w[0]*c0 + w[1]*c1 + w[2]*c2 + w[3]*c3
		}
	}
}
