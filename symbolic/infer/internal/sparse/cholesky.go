package sparse

import "math"

// Cholesky factors the symmetric n×n matrix a (lower triangle, row major,
// overwritten by L) as L·Lᵀ. A pivot that is tiny beside its diagonal entry,
// which a positive semidefinite matrix shows where rows are dependent, is
// replaced by a huge number: the matching entry of every solution then is
// (nearly) 0. The test does not depend on the scaling of the rows.
func Cholesky(a []float64, n int) {
	for i := range n {
		ri := a[i*n : i*n+i+1]
		for j := range i {
			rj := a[j*n : j*n+j+1]
			ri[j] = (ri[j] - Dot(ri[:j], rj[:j])) / rj[j]
		}
		d := ri[i] - Dot(ri[:i], ri[:i])
		if !(d > 1e-14*ri[i]) {
			d = 1e128
		}
		ri[i] = math.Sqrt(d)
	}
}

// CholeskySolve overwrites x by (L·Lᵀ)⁻¹x.
func CholeskySolve(l []float64, n int, x []float64) {
	for i := range n {
		row := l[i*n : i*n+i+1]
		x[i] = (x[i] - Dot(row[:i], x[:i])) / row[i]
	}
	for i := n - 1; i >= 0; i-- {
		row := l[i*n : i*n+i+1]
		v := x[i] / row[i]
		x[i] = v
		for j, a := range row[:i] {
			x[j] -= a * v
		}
	}
}

// Dot returns the inner product of two vectors of equal length, summed in four
// lanes.
func Dot(x, y []float64) float64 {
	y = y[:len(x)]
	var a, b, c, d float64
	for len(x) >= 4 && len(y) >= 4 {
		a += x[0] * y[0]
		b += x[1] * y[1]
		c += x[2] * y[2]
		d += x[3] * y[3]
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		a += v * y[i]
	}
	return (a + b) + (c + d)
}
