package modelfile

import (
	"io"

	"hinge/models/catalog"
	"hinge/models/onnx"
	"hinge/train"
)

// WriteONNX implements train.ONNXWriter for the model with one network, a resnet18: the
// network to its logits.
func (m *Model) WriteONNX(w io.Writer) error {
	n := m.networks[0]
	if len(m.networks) > 1 {
		return train.Usage("export", "an .onnx file has one network, and the model has %d; .safetensors takes the weights of all", len(m.networks))
	}
	if n.config().Model != "resnet18" {
		return train.Usage("export", "an .onnx file is written of resnet18 alone; .safetensors of all networks")
	}
	c, shape, err := catalog.ResNet18(n.config(), n.table.Shape)
	if err != nil {
		return err
	}
	height, width := shape[len(shape)-2], shape[len(shape)-1]
	return onnx.WriteResNet18(w, c, height, width, n.net.Params().Export())
}

// Predict implements train.Predictor: it refuses files, and says what answers new data.
func (m *Model) Predict([]string) (train.Prediction, error) {
	return nil, train.Usage("predict", "a model file answers the targets of its partition infer, whose features and data it names; put your own there and run go run ./cmd/infer -model %s -weights RUN, RUN being this run's folder", m.set.Model)
}

var (
	_ train.ONNXWriter = (*Model)(nil)
	_ train.Predictor  = (*Model)(nil)
)
