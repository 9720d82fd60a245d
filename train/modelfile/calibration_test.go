package modelfile

import (
	"math"
	"testing"

	"hinge/symbolic/model"
)

// TestCalibration: by hand, of a softmax of two classes and of sigmoids.
func TestCalibration(t *testing.T) {
	v := &view[float64]{network: &network[float64]{width: 3}, count: 4, last: []float64{
		0.8, 0.2, 0.9,
		0.8, 0.2, 0.1,
		0.3, 0.7, 0.6,
		0.9, 0.1, 0.6,
	}}
	softmax, sigmoid := &head{"S", &model.Network{Output: "softmax"}, 0, 2}, &head{"B", &model.Network{Output: "sigmoid"}, 2, 3}
	if _, known := v.calibration(softmax); known {
		t.Error("an error without any truth")
	}
	v.labels = []label{
		{0, 0, 1}, {0, 1, 0}, // right, with 0.8
		{1, 1, 1}, // wrong, with 0.8
		{2, 1, 1}, // right, with 0.7
		// the true class of the last one is not known
		{0, 2, 1}, {1, 2, 0}, // right, with 0.9
		{2, 2, 1}, {3, 2, 0}, // one of two right, with 0.6
	}
	for _, c := range []struct {
		h    *head
		want float64
	}{
		{softmax, (math.Abs(1-1.6) + math.Abs(1-0.7)) / 3},
		{sigmoid, (math.Abs(2-1.8) + math.Abs(1-1.2)) / 4},
	} {
		if got, known := v.calibration(c.h); !known || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.h.predicate, got, c.want)
		}
	}
}
