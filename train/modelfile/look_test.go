package modelfile

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
	"hinge/train/config"
	"hinge/train/learning"
)

// striped writes a model of two images of stripes.
func striped(t *testing.T) (file string) {
	const src = `{
		"rules": ["1: Net(X) = Y(X) ^2"],
		"predicates": {
			"Net/1": {"network": {"model": "mlp", "features": "images.npy"}, "targets": [["0"], ["1"]]},
			"Y/1": {"targets": [["0"], ["1"]], "truth": [["0", 0], ["1", 1]], "evaluations": ["DiscreteEvaluator"]}
		}
	}`
	const header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 28, 28), }\n"
	data := []byte("\x93NUMPY\x01\x00" + string(rune(len(header))) + "\x00" + header)
	for i := range 2 * 28 * 28 {
		data = append(data, byte(255*(i/9%2)))
	}
	return write(t, src, map[string]string{"images.npy": string(data)})
}

// TestViews: tests take the geometric mean of the outputs for the plain images and distorted views, validations during a run
// look at plain images.
func TestViews(t *testing.T) {
	m, _ := open(t, striped(t), "energy", func(c *config.Config, _ *Options) {
		c.Neural.Augment, c.Neural.Views, c.Neural.ViewStrength = "strong", 2, 0.5
	})
	v := m.learn.views[0]
	plain, err := v.net.Forward(v.x, 2)
	require.NoError(t, err)
	viewer, err := mnist.NewViewer(mnist.Named("strong"), 0.5, m.cfg.Seed)
	require.NoError(t, err)
	yes, no := []float64{1, 1}, []float64{1, 1} // products of a sigmoid's two values
	multiply := func(y []float32) {
		for i, v := range y {
			yes[i], no[i] = yes[i]*float64(v), no[i]*(1-float64(v))
		}
	}
	multiply(plain)
	for view := range uint64(2) {
		x := slices.Clone(v.x)
		for image := range uint64(2) {
			pixels := x[image*mnist.Pixels:][:mnist.Pixels]
			raw := make([]uint8, len(pixels))
			for i, p := range pixels {
				raw[i] = uint8(255 * p)
			}
			viewer.Apply(pixels, raw, view, image)
		}
		y, err := v.net.Forward(x, 2)
		require.NoError(t, err)
		multiply(y)
	}
	var averaged []float32
	for i := range yes {
		averaged = append(averaged, float32(math.Cbrt(yes[i])/(math.Cbrt(yes[i])+math.Cbrt(no[i]))))
	}
	for _, c := range []struct {
		of, data learning.Part
		want     []float32
	}{
		{learning.TestPart, learning.TestPart, averaged},
		{learning.ValidPart, learning.ValidPart, plain},
		{learning.FinalValidPart, learning.ValidPart, averaged},
		{learning.ValidPart, learning.ValidPart, plain},
	} {
		if _, err := m.Evaluate(t.Context(), c.of); err != nil {
			t.Fatal(c.of, err)
		}
		for i, y := range m.parts[c.data].views[0].last {
			if math.Abs(float64(y-c.want[i])) > 1e-6 {
				t.Errorf("%s: output %d is %v, want %v", c.of, i, y, c.want[i])
			}
		}
	}
	if math.Abs(float64(plain[0]-averaged[0])) < 1e-4 {
		t.Errorf("views change nothing: %v and %v", plain[0], averaged[0])
	}
}
