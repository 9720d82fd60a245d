package checkpoint

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden checkpoint of the current format version")

// golden is the content of the checkpoints in testdata, one for each format
// version that was ever written.
func golden() (testState, []Tensor) {
	return testState{Epoch: 2, Seed: 1 << 60, Loss: 0.25}, []Tensor{
		NewTensor("layer.weight", []float32{0.5, -1, 2, 0.1, 3, -4}, 2, 3),
		NewTensor("adam.step", []int64{7}),
		NewTensor("duals", []float64{1e-9, 0.3}),
		NewTensor("rng", []uint8{1, 2, 3, 4, 5}),
	}
}

// Checkpoints of every released format version can be read.
func TestReadOldFormats(t *testing.T) {
	dir := filepath.Join("testdata", "v1")
	wantState, wantTensors := golden()
	if *update {
		s, err := Open(dir, Options{})
		require.NoError(t, err)
		require.NoError(t, s.Save(7, wantState, wantTensors))
	}
	s, err := Open(dir, Options{ReadOnly: true})
	require.NoError(t, err)
	c, err := s.Load(7)
	require.NoError(t, err)
	var state testState
	if err := c.State(&state); err != nil || state != wantState {
		t.Errorf("state %+v, %v", state, err)
	}
	sameTensors(t, c, wantTensors)
}

// The current version is still written as it was: a change needs a new version.
func TestFormatIsFrozen(t *testing.T) {
	s := open(t, Options{})
	state, tensors := golden()
	require.NoError(t, s.Save(7, state, tensors))
	for _, name := range append([]string{manifestName}, fileNames...) {
		got, err := os.ReadFile(filepath.Join(s.Dir(), "step-00000007", name))
		require.NoError(t, err)
		want, err := os.ReadFile(filepath.Join("testdata", "v1", "step-00000007", name))
		require.NoError(t, err)
		assert.Equalf(t, want, got, "%s differs", name)
	}
}

// TestByteOrders: a machine that keeps numbers from the high byte on writes and reads the same
// bytes as one that keeps them from the low byte on.
func TestByteOrders(t *testing.T) {
	defer func(was bool) { little = was }(little)
	for _, data := range []any{[]float64{1, -2.5}, []float32{3, math.Pi}, []int64{-1, 1 << 40}, []int32{5, -6}, []uint8{7, 255}} {
		little = true
		want := appendElements([]byte{9}, data, 0, 2)
		little = false
		require.Equal(t, want, appendElements([]byte{9}, data, 0, 2))
		got := reflect.MakeSlice(reflect.TypeOf(data), 2, 2).Interface()
		decode(got, want[1:])
		require.Equal(t, data, got)
	}
}
