package onnxnet

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"hinge/models/mlp"
	write "hinge/models/onnx"
	"hinge/nn"
)

// TestLabelsOfTexts: a classifier with names of classes, as skl2onnx 1.20.0 writes scikit-learn's MLPClassifier of texts, has a
// first output of labels, from an array of texts, which is not made. A node of the scores that reads texts is refused.
func TestLabelsOfTexts(t *testing.T) {
	define := mlp.Define[float32]("layers", mlp.Config{Hidden: []int{3}, Out: 2})
	net, err := nn.New([]int{2}, define, rand.New(rand.NewPCG(7, 0)))
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, write.Write(&out, "net", net, define))
	plain, err := Parse(out.Bytes())
	require.NoError(t, err)
	m := new(onnx.ModelProto)
	require.NoError(t, proto.Unmarshal(out.Bytes(), m))
	scores := m.Graph.Output[0].Name
	m.Graph.Initializer = append(m.Graph.Initializer, &onnx.TensorProto{Name: "classes", DataType: kindText, Dims: []int64{2}, StringData: [][]byte{[]byte("chess"), []byte("choir")}})
	m.Graph.Node = append(m.Graph.Node, &onnx.NodeProto{OpType: "ArgMax", Input: []string{scores}, Output: []string{"at"}},
		&onnx.NodeProto{OpType: "ArrayFeatureExtractor", Domain: "ai.onnx.ml", Input: []string{"classes", "at"}, Output: []string{"label"}})
	text := &onnx.TypeProto{Value: &onnx.TypeProto_TensorType{TensorType: &onnx.TypeProto_Tensor{ElemType: kindText}}}
	m.Graph.Output = append([]*onnx.ValueInfoProto{{Name: "label", Type: text}}, m.Graph.Output...)
	parsed := func() (*File, error) {
		data, err := proto.Marshal(m)
		require.NoError(t, err)
		return Parse(data)
	}
	f, err := parsed()
	require.NoError(t, err)
	assert.Equal(t, answer(t, plain, 1, 2, -1), answer(t, f, 1, 2, -1))
	assert.Contains(t, f.Notes(), "of the outputs label, "+scores+", "+scores+" is read")

	m.Graph.Node = append(m.Graph.Node, &onnx.NodeProto{Name: "sum", OpType: "Add", Input: []string{scores, "classes"}, Output: []string{"label2"}})
	m.Graph.Output[1].Name = "label2"
	_, err = parsed()
	assert.ErrorContains(t, err, `node sum reads "classes", which holds texts, want numbers`)
}
