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

// elasticField is a random smooth displacement of every pixel.
type elasticField struct {
	control [grid * grid][2]float32
	// row is the surface contracted to the current row's y.
	row [grid][2]float32
}

// draw fills the control values for a root mean square displacement of rms
// pixels on each axis.
func (f *elasticField) draw(g *generator, rms float64) {
	sigma := rms * controlGain
	for k := range f.control {
		a, b := g.normals()
		f.control[k] = [2]float32{float32(sigma * a), float32(sigma * b)}
	}
}

// setRow prepares at for the pixels of row y.
func (f *elasticField) setRow(y int) {
	w := &splineBasis[y]
	c := f.control[y/knot*grid:][: 4*grid : 4*grid]
	for j := range f.row {
		p, q, r, s := &c[j], &c[j+grid], &c[j+2*grid], &c[j+3*grid]
		f.row[j] = [2]float32{
			w[0]*p[0] + w[1]*q[0] + w[2]*r[0] + w[3]*s[0],
			w[0]*p[1] + w[1]*q[1] + w[2]*r[1] + w[3]*s[1],
		}
	}
}

// at returns the displacement of pixel x of the current row.
func (f *elasticField) at(x int) (du, dv float32) {
	w := &splineBasis[x]
	c := f.row[x/knot:][:4:4]
	return w[0]*c[0][0] + w[1]*c[1][0] + w[2]*c[2][0] + w[3]*c[3][0],
		w[0]*c[0][1] + w[1]*c[1][1] + w[2]*c[2][1] + w[3]*c[3][1]
}
