package train

import (
	"fmt"

	"hinge/nn"
	"hinge/optim"
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

// NetworkParams returns the arrays of a network that are learned and those that
// its forward pass maintains, in the form of the optimisers: what Model.Params and
// Model.Buffers are to return. Gradients exist once a graph with a loss has been
// compiled.
func NetworkParams(ps *nn.Params[float32]) (learned, buffers []optim.Param) {
	for _, p := range ps.All() {
		o := optim.Param{Name: p.Name, Value: p.Value, Grad: p.Grad, Decay: p.Decay}
		for _, live := range p.Live {
			o.Live = append(o.Live, optim.Range{Lo: live.From, Hi: live.To})
		}
		switch {
		case p.Buffer:
			buffers = append(buffers, o)
		case p.Trainable:
			learned = append(learned, o)
		}
	}
	return learned, buffers
}
