package infertest

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Near reports whether a and b differ by at most tol, relative to 1 + |b|.
func Near(a, b, tol float64) bool { return math.Abs(a-b) <= tol*(1+math.Abs(b)) }

// Gauss solves the principal system of the rows free, by the elimination of another library.
func Gauss(t *testing.T, m []float64, n int, free []int32, rhs []float64) []float64 {
	t.Helper()
	k := len(free)
	if k == 0 {
		return nil
	}
	a := mat.NewDense(k, k, nil)
	for i, r := range free {
		for j, q := range free {
			a.Set(i, j, m[int(r)*n+int(q)])
		}
	}
	var x mat.VecDense
	if err := x.SolveVec(a, mat.NewVecDense(k, slices.Clone(rhs))); err != nil && !errors.As(err, new(mat.Condition)) {
		t.Fatal(err)
	}
	return x.RawVector().Data
}
