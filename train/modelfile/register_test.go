package modelfile

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"

	"hinge/models/catalog"
	"hinge/nn"
	"hinge/train"
	"hinge/train/traintest"
)

// TestRegister: a model file names a network that the program has registered, which is
// trained, applied and written like any other.
func TestRegister(t *testing.T) {
	Register("wide", func(c catalog.Config, shape []int) (nn.Definition[float32], []int, error) {
		return func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
			return b.Linear("out", b.Average("sum", b.Linear("a", x, 4), b.ReLU("b", b.Linear("b", x, 4))), c.Out)
		}, shape, nil
	})
	m, c := open(t, write(t, replaced(t, `"model": "mlp"`, `"model": "wide"`), tinyFiles), "energy", nil)
	dir := t.TempDir()
	traintest.Run(t, c, m, train.Options{Dir: dir})
	_, err := train.Export(filepath.Join(dir, "net.onnx"), m)
	require.NoError(t, err)
	trained, err := LoadTrained(dir, nil)
	require.NoError(t, err)
	_, err = trained.Outputs(m.learn.Model, "")
	require.NoError(t, err)
	if m.networks[0].net.Params().Get("a.weight") == nil {
		t.Error("the network is another one")
	}
}
