// Package difference compares gradients with difference quotients.
package difference

import (
	"fmt"
	"math"
	"slices"
)

// float is the element type of what is differentiated by.
type float interface{ float32 | float64 }

// Check compares the gradient grad of a loss by the variables x with difference quotients, at
// up to about so many places in even distances and at the largest entry of grad. It returns an
// error that names the place that is furthest off, or nil. An entry may differ by rtol of the
// largest entry of the gradient or of the quotient, beside the rounding of the loss; where the
// loss has a kink it may be any value between the quotients of the two sides. loss returns the
// loss of the values that x has at the call and may overwrite grad; x ends as it was.
func Check[T float](name string, x, grad []T, places int, rtol float64, loss func() float64) error {
	step, rounding := 1e-6, 1e-9 // of float64
	if _, single := any(x).([]float32); single {
		step, rounding = 1.0/256, 1e-6*256
	}
	grad = slices.Clone(grad)
	here := loss()
	if math.IsNaN(here) || math.IsInf(here, 0) {
		return fmt.Errorf("%s: the loss is %v", name, here)
	}
	top := 0
	for i, v := range grad {
		if math.Abs(float64(v)) > math.Abs(float64(grad[top])) || v != v {
			top = i
		}
	}
	var worst error
	furthest := 0.0
	check := func(i int) {
		d := float64(grad[i])
		up, down := sides(x, i, step, loss, here)
		slack := rtol*max(math.Abs(up+down)/2, math.Abs(float64(grad[top]))) + rounding*math.Abs(here)
		if off := max(min(up, down)-d, d-max(up, down)); !(off <= slack) && !(off <= furthest) {
			worst = fmt.Errorf("%s[%d]: gradient %.9g, differences %.9g", name, i, d, (up+down)/2)
			furthest = off
		}
	}
	for i := 0; i < len(x); i += max(1, len(x)/places) {
		check(i)
	}
	if len(x) > 0 {
		check(top)
	}
	return worst
}

// sides returns the difference quotients of a loss at distance h above and below entry i of x,
// given the loss in place.
func sides[T float](x []T, i int, h float64, loss func() float64, here float64) (up, down float64) {
	old := x[i]
	defer func() { x[i] = old }()
	at := func(v float64) float64 {
		x[i] = T(v)
		return (loss() - here) / (float64(x[i]) - float64(old))
	}
	return at(float64(old) + h), at(float64(old) - h)
}

// Quotient returns the central difference of a loss at distance h in entry i of x, which it
// leaves as it was.
func Quotient(x []float64, i int, h float64, loss func() float64) float64 {
	up, down := sides(x, i, h, loss, 0)
	return (up + down) / 2
}
