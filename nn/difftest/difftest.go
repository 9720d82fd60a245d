// Package difftest compares gradients with central differences in tests.
package difftest

import (
	"math"
	"testing"
)

// step is the distance of the values on both sides of which the loss is taken.
const step = 1e-6

// Check compares the gradient of a loss in variables x with central differences, at up to
// about so many places in even distances. They may differ by rtol of the largest entry of the
// gradient or of the difference itself, beside what rounding of the loss makes. The loss is that
// of the values that x has when it is called; grad may be what it overwrites.
func Check(t testing.TB, name string, x, grad []float64, places int, rtol float64, loss func() float64) {
	t.Helper()
	want := append([]float64(nil), grad...)
	scale := 0.0
	for _, v := range want {
		scale = max(scale, math.Abs(v))
	}
	rounding := math.Abs(loss())
	for i := 0; i < len(x); i += max(1, len(x)/places) {
		quotient := Quotient(x, i, step, loss)
		if d := math.Abs(want[i] - quotient); !(d <= rtol*max(math.Abs(quotient), scale)+1e-9*rounding) {
			t.Errorf("%s[%d]: gradient %.9g, differences %.9g", name, i, want[i], quotient)
		}
	}
}

// Quotient returns the central difference of a loss at distance h in entry i of x, which it
// leaves as it was.
func Quotient(x []float64, i int, h float64, loss func() float64) float64 {
	old := x[i]
	x[i] = old + h
	up := loss()
	x[i] = old - h
	down := loss()
	x[i] = old
	return (up - down) / (2 * h)
}
