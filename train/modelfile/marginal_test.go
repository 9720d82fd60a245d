package modelfile

import (
	"math"
	"testing"

	"hinge/symbolic/model"
)

// TestMarginal: by hand, of a softmax of two classes and a sigmoid; entities beyond those of the
// examples do not count.
func TestMarginal(t *testing.T) {
	n := &network[float64]{width: 3, heads: []head{
		{"S", &model.Network{Output: "softmax"}, 0, 2}, {"B", &model.Network{Output: "sigmoid"}, 2, 3},
	}}
	far, logit := 50.0, func(p float64) float64 { return math.Log(p / (1 - p)) }
	for _, c := range []struct {
		name string
		z    []float64
		want float64
	}{
		{"each class once", []float64{far, 0, -far, 0, far, far}, 0},
		{"no beliefs", []float64{1, 1, 0, 2, 2, 0}, 0},
		{"all of one class", []float64{far, 0, far, far, 0, far}, 2 * math.Ln2},
		{"between", []float64{logit(0.9), 0, logit(0.2), logit(0.5), 0, logit(0.4)},
			2*math.Ln2 + xlogx(0.7) + xlogx(0.3) + xlogx(0.3) + xlogx(0.7)},
	} {
		z := append(c.z, -far, far, far)
		dz := make([]float64, len(z))
		if got := n.marginalLoss(2, 0.5, z, dz); math.Abs(got-0.5*c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.name, got, 0.5*c.want)
		}
		for i, d := range dz {
			if i >= len(c.z) && d != 0 {
				t.Errorf("%s: an entity of no example has the derivative %v", c.name, d)
			}
		}
	}
	if got := n.marginalLoss(0, 1, nil, nil); got != 0 {
		t.Errorf("of nothing %v", got)
	}
}
