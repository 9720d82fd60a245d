package sparse

import "math"

// Updated is the Cholesky factor of a symmetric positive definite matrix that
// gains and loses one row and column at a time, each in a number of operations
// proportional to its square. The zero value is the empty matrix.
type Updated struct {
	n, stride int
	l         []float64 // by row
	work      []float64
}

// Reset makes it the empty matrix, with room for the given order.
func (u *Updated) Reset(room int) {
	u.n, u.stride = 0, room
	u.l, u.work = resize(u.l, room*room), resize(u.work, room)
}

// Reduce overwrites c, the entries of a new row, with the entries of its row of the factor,
// and returns the remainder of the diagonal entry d, which is nearly zero if the row depends
// on the others. Keep with these values appends the row.
func (u *Updated) Reduce(c []float64, d float64) float64 {
	for i := range u.n {
		row := u.l[i*u.stride:][:i+1]
		v := (c[i] - Dot(row[:i], c[:i])) * row[i]
		c[i] = v
		d -= v * v
	}
	return d
}

// Keep appends the row with the results of Reduce; left must be positive.
func (u *Updated) Keep(c []float64, left float64) {
	row := u.l[u.n*u.stride:][:u.n+1]
	copy(row, c[:u.n])
	row[u.n] = 1 / math.Sqrt(left)
	u.n++
}

// Expand overwrites the results c of Reduce by the multiples of the rows that
// come nearest to the new one: the solution for the right-hand side that c was.
func (u *Updated) Expand(c []float64) {
	for i := u.n - 1; i >= 0; i-- {
		row := u.l[i*u.stride:][:i+1]
		v := c[i] * row[i]
		c[i] = v
		for j, a := range row[:i] {
			c[j] -= a * v
		}
	}
}

// Solve overwrites x by the solution of the system with right-hand side x.
func (u *Updated) Solve(x []float64) {
	u.Reduce(x, 0)
	u.Expand(x)
}

// Delete removes row and column j.
func (u *Updated) Delete(j int) {
	// The rows below move up. Each then reaches one beyond the diagonal, which
	// rotations of neighbouring columns repair.
	n, s := u.n-1, u.stride
	u.n = n
	for i := j; i < n; i++ {
		row := u.l[i*s:][:i+2]
		copy(row, u.l[(i+1)*s:][:i+2])
		row[i+1] = 1 / row[i+1]
	}
	for k := j; k < n; k++ {
		a, b := u.l[k*s+k], u.l[k*s+k+1]
		r := math.Sqrt(a*a + b*b)
		c, d := a/r, b/r
		u.l[k*s+k] = 1 / r
		for i := k + 1; i < n; i++ {
			pair := u.l[i*s+k:][:2]
			p, q := pair[0], pair[1]
			pair[0], pair[1] = c*p+d*q, c*q-d*p
		}
	}
}
