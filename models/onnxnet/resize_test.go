package onnxnet

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestResize: sizes and elements of resized rows 0, 1, 2, …, by a scale in 32 bits or to a size.
// Values by onnxruntime 1.31.1 and, of size 2 and of the scale 1.1, by interpolate of PyTorch.
func TestResize(t *testing.T) {
	upwards := []float64{0, 3, 6, 9, 12, 15, 18, 21, 24}
	for _, c := range []struct {
		version, length  int
		scale            float32 // or 0
		size             int
		mode, at, nearby string
		want             []float64
	}{
		{17, 10, .6, 0, "nearest", "asymmetric", "floor", []float64{0, 1, 3, 5, 6, 8}},
		{17, 10, .7, 0, "nearest", "asymmetric", "floor", []float64{0, 1, 2, 4, 5, 7, 8}},
		{17, 10, .9, 0, "nearest", "asymmetric", "floor", []float64{0, 1, 2, 3, 4, 5, 6, 7, 8}},
		{17, 10, 2.3, 0, "nearest", "asymmetric", "floor", []float64{0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 6, 6, 7, 7, 8, 8, 9, 9}},
		{17, 28, 1. / 3, 0, "nearest", "asymmetric", "floor", upwards},
		{17, 28, 0, 9, "nearest", "half_pixel", "floor", []float64{1, 4, 7, 10, 13, 16, 19, 22, 25}},
		{17, 28, 0, 18, "nearest", "asymmetric", "floor", []float64{0, 1, 3, 4, 6, 7, 9, 10, 12, 14, 15, 17, 18, 20, 21, 23, 24, 26}},
		{17, 28, 0, 2, "nearest", "asymmetric", "floor", []float64{0, 14}},
		{17, 5, 1.1, 0, "nearest", "asymmetric", "floor", []float64{0, 0, 1, 2, 3}},
		{17, 9, 1. / 3, 0, "nearest", "half_pixel", "floor", []float64{1, 4, 7}},
		{19, 9, 1. / 3, 0, "nearest", "half_pixel_symmetric", "floor", []float64{0, 3, 7}},
		{19, 7, .15, 0, "nearest", "half_pixel_symmetric", "ceil", []float64{3}},
		{17, 5, 1.4, 0, "linear", "half_pixel", "floor", []float64{0, .5714285, 1.285714, 2, 2.714286, 3.428571, 4}},
		{10, 10, .6, 0, "nearest", "", "", []float64{0, 2, 4, 5, 7, 9}},
		{10, 10, 1.6, 0, "nearest", "", "", []float64{0, 0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 6, 7, 8, 8, 9}},
	} {
		in, to := []string{"x", "", "to"}, &tensor{name: "to", shape: []int{2}, kind: kindFloat, floats: []float32{1, c.scale}}
		if c.size > 0 {
			in, to = []string{"x", "", "", "to"}, list("to", 1, c.size)
		}
		attributes := []any{"mode", c.mode, "coordinate_transformation_mode", c.at, "nearest_mode", c.nearby}
		if c.version < 11 {
			in, attributes = []string{"x", "to"}, attributes[:2]
		}
		f, err := small(c.version, []int{c.length}, []*tensor{to}, of("Resize", "y", in, attributes...))
		require.NoError(t, err)
		if c.size > 0 {
			f.batch = 1
		}
		x := doublesOf(span(0, c.length, 1))
		got := answer(t, f, 1, x...)
		require.Len(t, got, len(c.want), c)
		assert.InDeltaSlice(t, c.want, got, 1e-6, c)
	}
}
