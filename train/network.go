package train

import (
	"fmt"

	"hinge/nn"
	"hinge/train/checkpoint"
)

// NetworkTensors returns copies of a network's parameters and buffers in the
// standard layout: what Model.Export is to return.
func NetworkTensors(ps *nn.Params[float32]) []checkpoint.Tensor {
	var out []checkpoint.Tensor
	for _, t := range ps.Export() {
		out = append(out, checkpoint.NewTensor(t.Name, t.Data, t.Shape...))
	}
	return out
}

// RestoreNetwork is the inverse of NetworkTensors. An error names the tensor that
// is missing or of another kind or shape, and leaves the network as it was.
func RestoreNetwork(ps *nn.Params[float32], get func(name string) (checkpoint.Tensor, error)) error {
	var in []nn.Tensor[float32]
	for _, p := range ps.All() {
		t, err := get(p.Name)
		if err != nil {
			return err
		}
		data, ok := t.Data.([]float32)
		if !ok {
			return fmt.Errorf("train: tensor %q holds %T, want []float32", p.Name, t.Data)
		}
		in = append(in, nn.Tensor[float32]{Name: p.Name, Shape: t.Shape, Data: data})
	}
	return ps.Import(in)
}
