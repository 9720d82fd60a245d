package onnxnet

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSoftmaxIdentity runs the case of HINGE_CASES in which an Identity follows the Softmax at the
// end: the network has the outputs of the file without the Identity, and its logits their
// logarithms up to a constant.
func TestSoftmaxIdentity(t *testing.T) {
	cases := os.Getenv("HINGE_CASES")
	if cases == "" {
		t.Skip("HINGE_CASES names no folder of cases")
	}
	dir := filepath.Join(cases, "faults", "onnx-softmax-identity")
	x := []float64{1, 2, -1, -1, 0.5, 0.25, 0, 0, 0, 2, 1, 1}
	var outputs [2][]float64
	for i, name := range []string{"net.onnx", "plain.onnx"} {
		f, err := Load(filepath.Join(dir, name))
		require.NoError(t, err)
		outputs[i] = answer(t, f, 4, x...)
		z := answer(t, f.Logits(), 4, x...)
		for row := range 4 {
			p := outputs[i][2*row : 2*row+2]
			assert.InDelta(t, 1, p[0]+p[1], 1e-6)
			assert.InDelta(t, math.Log(p[0]/p[1]), z[2*row]-z[2*row+1], 1e-4)
		}
	}
	assert.Equal(t, outputs[1], outputs[0])
	assert.InDelta(t, .9999, outputs[0][1], 5e-5) // Net(e1, k1)
	assert.InDelta(t, .8808, outputs[0][2], 5e-5) // Net(e2, k0)
}
