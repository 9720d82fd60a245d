package half

import (
	"cmp"
	"io"
	"strings"

	"hinge/models/onnx"
	"hinge/train/config"
	"hinge/train/learning"
)

// ONNX implements Model: the networks to their logits.
func (n *Network) ONNX() (files []learning.ONNXFile, err error) {
	for _, net := range n.nets() {
		if net.Logits == nil {
			return nil, config.Usage("export", "the task does not say what the logits of its network are (half.Network.Logits); a file ending in .safetensors takes its weights")
		}
		name := cmp.Or(net.Name, "network")
		files = append(files, learning.ONNXFile{Name: net.Name, Write: func(w io.Writer) error {
			if err := onnx.Write(w, name, net.Net, net.Logits); err != nil {
				return config.Usage("export", "%s; a file ending in .safetensors takes the weights", strings.TrimPrefix(err.Error(), "onnx: "))
			}
			return nil
		}})
	}
	return files, nil
}
