package sparse

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Whatever rows come and go, solutions are those of the matrix that is left.
func TestUpdated(t *testing.T) {
	const room, width = 12, 20
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var u Updated
		u.Reset(room)
		var rows [][]float64
		for step := range 200 {
			if n := len(rows); n == room || n > 0 && rng.IntN(5) < 2 {
				j := rng.IntN(n)
				u.Delete(j)
				rows = slices.Delete(rows, j, j+1)
			} else {
				row := make([]float64, width)
				for i := range row {
					row[i] = rng.NormFloat64()
				}
				c := make([]float64, n)
				for i := range c {
					c[i] = Dot(rows[i], row)
				}
				left := u.Reduce(c, Dot(row, row))
				if !(left > 0) {
					t.Fatalf("seed %d, step %d: %g is left of an independent row", seed, step, left)
				}
				u.Keep(c, left)
				rows = append(rows, row)
			}
			if u.n != len(rows) {
				t.Fatalf("order %d, want %d", u.n, len(rows))
			}
			want, x := make([]float64, len(rows)), make([]float64, len(rows))
			for i := range want {
				want[i] = rng.NormFloat64()
			}
			for i := range x {
				for j, v := range want {
					x[i] += Dot(rows[i], rows[j]) * v
				}
			}
			u.Solve(x)
			for i, v := range want {
				if math.Abs(x[i]-v) > 1e-8 {
					t.Fatalf("seed %d, step %d: solution %v, want %v", seed, step, x, want)
				}
			}
		}
	}
}

// Of a row that is a combination of others nothing is left, and Expand tells
// which one it is.
func TestUpdatedDependent(t *testing.T) {
	var u Updated
	u.Reset(3)
	rows := [][]float64{{1, 0, 2, 0}, {0, 3, 0, 1}, {1, 1, 1, 1}}
	for n, row := range rows {
		c := make([]float64, n)
		for i := range c {
			c[i] = Dot(rows[i], row)
		}
		u.Keep(c, u.Reduce(c, Dot(row, row)))
	}
	want, row := []float64{2, -1, 0.5}, make([]float64, 4)
	for i, w := range want {
		for j, v := range rows[i] {
			row[j] += w * v
		}
	}
	c := make([]float64, 3)
	for i := range c {
		c[i] = Dot(rows[i], row)
	}
	if left := u.Reduce(c, Dot(row, row)); math.Abs(left) > 1e-12 {
		t.Errorf("%g is left", left)
	}
	u.Expand(c)
	for i, v := range want {
		if math.Abs(c[i]-v) > 1e-12 {
			t.Fatalf("combination %v, want %v", c, want)
		}
	}
}
