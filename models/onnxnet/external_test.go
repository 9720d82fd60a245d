package onnxnet

import (
	"io/fs"
	"testing"

	"github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/stretchr/testify/require"
)

// TestNoExternalFile: a missing file with a tensor's data is told with what to do.
func TestNoExternalFile(t *testing.T) {
	p := &onnx.TensorProto{ExternalData: []*onnx.StringStringEntryProto{{Key: "location", Value: "X.data"}}}
	_, err := external(p, t.TempDir(), 4)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, `its data lies in the file "X.data", which belongs beside the model: copy it there, or export without external data`)
}
