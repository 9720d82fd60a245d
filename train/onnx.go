package train

import (
	"io"
	"strings"

	"hinge/models/onnx"
)

// ONNX implements Model: the networks to their logits.
func (n *Network) ONNX() (files []ONNXFile, err error) {
	for _, net := range n.nets() {
		if net.Logits == nil {
			return nil, Usage("export", "the task does not say what the logits of its network are (train.Network.Logits); a file ending in .safetensors takes its weights")
		}
		name := net.Name
		if name == "" {
			name = "network"
		}
		files = append(files, ONNXFile{net.Name, func(w io.Writer) error {
			if err := onnx.Write(w, name, net.Net, net.Logits); err != nil {
				return Usage("export", "%s; a file ending in .safetensors takes the weights", strings.TrimPrefix(err.Error(), "onnx: "))
			}
			return nil
		}})
	}
	return files, nil
}
