package optim

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Gradients of another number are a mistake of the program, also where their storage is long enough.
func TestOtherLengthsPanic(t *testing.T) {
	x := []float64{0.25, 0.75}
	for _, grad := range [][]float64{make([]float64, 1, 8), make([]float64, 3)} {
		assert.Panics(t, func() { BoxStep(x, grad, 1) })
		assert.Panics(t, func() { BoxResidual(x, grad) })
		assert.Panics(t, func() { Regularizer{L2: 1}.AddGrad(grad, x) })
		assert.Panics(t, func() { _ = new(WeightStep).Update(x, grad, 0) })
	}
	assert.Equal(t, []float64{0.25, 0.75}, x)
}

// The nearest point of the box to c is clip(c), where the residual vanishes.
func TestBoxStepConverges(t *testing.T) {
	c := []float64{-3, 0.25, 0.75, 9}
	y := []float64{0.5, 0.5, 0.5, 0.5}
	grad := make([]float64, 4)
	fill := func() {
		for i := range y {
			grad[i] = y[i] - c[i]
		}
	}
	fill()
	if r := BoxResidual(y, grad); math.Abs(r-(0.25+0.0625+0.0625+0.25)) > 1e-15 {
		t.Errorf("residual at the start %v", r)
	}
	// Half a unit to the walls and half the way to 0.25 and 0.75.
	if moved, want := BoxStep(y, grad, 0.5), 0.25+0.015625+0.015625+0.25; math.Abs(moved-want) > 1e-15 {
		t.Errorf("the first step moved by %v squared, want %v", moved, want)
	}
	for fill(); BoxStep(y, grad, 0.5) > 0; {
		fill()
	}
	for i, want := range []float64{0, 0.25, 0.75, 1} {
		if math.Abs(y[i]-want) > 1e-12 {
			t.Errorf("entry %d is %v, want %v", i, y[i], want)
		}
	}
	if r := BoxResidual(y, grad); r > 1e-24 {
		t.Errorf("residual at the end %v", r)
	}
}
