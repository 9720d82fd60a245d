package difference

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestCheck: a right gradient passes and keeps x; the furthest of wrong entries is named.
func TestCheck(t *testing.T) {
	x := []float64{1, -2, 3}
	loss := func() float64 { return x[0]*x[0] + x[1]*x[2] }
	for _, test := range []struct {
		grad []float64
		want string
	}{{[]float64{2, 3, -2}, ""}, {[]float64{2, 3.001, -2}, "x[1]: gradient 3.001, differences 3"}, {[]float64{0, 0, 0}, "x[1]: gradient 0, differences 3"},
		{[]float64{2, 3, math.NaN()}, "x[2]: gradient NaN, differences -2"}} {
		if err := Check("x", x, test.grad, 3, 1e-6, loss); test.want == "" {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, test.want)
		}
		assert.Equal(t, []float64{1, -2, 3}, x)
	}
	assert.ErrorContains(t, Check("x", x, x, 3, 1e-6, func() float64 { return math.NaN() }), "x: the loss is NaN")
}

// TestKink: at a kink any slope between those of the two sides passes, others do not; in
// float32 as in float64.
func TestKink(t *testing.T) {
	for slope, right := range map[float32]bool{-1.1: false, -1: true, 0.3: true, 1: true, 1.1: false} {
		x := []float32{0}
		err := Check("x", x, []float32{slope}, 1, 1e-3, func() float64 { return math.Abs(float64(x[0])) })
		assert.Equal(t, right, err == nil, slope)
	}
}
