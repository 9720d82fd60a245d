package train

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train/checkpoint"
	"hinge/train/config"
	"hinge/train/learning"
)

// drawnToy is a toy with a form in ONNX.
type drawnToy struct {
	*toy
	err error
}

func (m drawnToy) Neural() learning.NeuralHalf { return m }

func (m drawnToy) ONNX() ([]learning.ONNXFile, error) {
	return []learning.ONNXFile{{Write: func(w io.Writer) error {
		if _, err := io.WriteString(w, "onnx"); err != nil {
			return err
		}
		return m.err
	}}}, nil
}

func TestExport(t *testing.T) {
	dir := t.TempDir()
	m := drawnToy{toy: newToy(1)}
	for name, check := range map[string]func(data []byte) bool{
		"a.onnx": func(data []byte) bool { return string(data) == "onnx" },
		"a.safetensors": func(data []byte) bool {
			x, err := checkpoint.ParseSafetensors(data)
			require.NoError(t, err)
			p, err := x.Tensor("p")
			return err == nil && slices.Equal(x.Names(), []string{"b", "p"}) && slices.Equal(p.Data.([]float32), m.value)
		},
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, CheckExport(path, m))
		_, err := Export(path, m)
		require.NoError(t, err)
		if data, err := os.ReadFile(path); err != nil || !check(data) {
			t.Errorf("%s holds %q, %v", name, data, err)
		}
	}

	var u *config.UsageError
	for path, want := range map[string]string{
		"net.pt":   "neither in .safetensors nor in .onnx",
		"net.psl":  "only the rules of a model file (task model)",
		"net.onnx": "does not say what the logits of its network are (half.Network.Logits); a file ending in .safetensors takes its weights",
		filepath.Join(dir, "no", "x.safetensors"): "there is no folder",
	} {
		if err := CheckExport(path, m.toy); !errors.As(err, &u) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}

	// A failure leaves the file of before, and nothing beside it.
	m.err = errors.New("half way")
	_, err := Export(filepath.Join(dir, "a.onnx"), m)
	assert.ErrorIs(t, err, m.err)
	data, _ := os.ReadFile(filepath.Join(dir, "a.onnx"))
	if left, _ := os.ReadDir(dir); string(data) != "onnx" || len(left) != 2 {
		t.Errorf("after a failure: %q, %v", data, left)
	}
}

func TestPredictRefuses(t *testing.T) {
	var u *config.UsageError
	if _, err := learning.Predict(newToy(1), []string{"a.png"}); !errors.As(err, &u) || !strings.Contains(err.Error(), "has no method Predict (learning.Predictor)") {
		t.Errorf("got %v", err)
	}
}
