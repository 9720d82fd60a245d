package modelfile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/train"
	"hinge/train/traintest"
)

// TestONNX: a network that was written as ONNX is the same one as a predicate's network,
// learns, takes a head, and stays as it is where it is frozen.
func TestONNX(t *testing.T) {
	first, _ := open(t, write(t, tiny, tinyFiles), "energy", nil)
	paths, err := train.Export(filepath.Join(t.TempDir(), "net.onnx"), first)
	require.NoError(t, err)
	data, err := os.ReadFile(paths[0])
	require.NoError(t, err)
	files := map[string]string{"a.A.onnx": string(data)}
	for name, text := range tinyFiles {
		files[name] = text
	}
	model := func(description string) string {
		return replaced(t, `"model": "mlp", "layers": [3]`, description)
	}
	again, c := open(t, write(t, model(`"onnx": "a.A.onnx"`), files), "energy", nil)
	// Without its network, A of several, the run could not go on.
	require.ErrorContains(t, train.CheckExport(filepath.Join(filepath.Dir(again.cfg.Options.(*Options).Model), "a.onnx"), again), "the model is read from ")
	for _, p := range first.networks[0].net.Params().All() {
		q := again.networks[0].net.Params().Get(p.Name)
		if q == nil || !slices.Equal(q.Value, p.Value) {
			t.Errorf("%s is another, or not there", p.Name)
		}
	}
	traintest.Run(t, c, again, train.Options{Dir: t.TempDir()})
	if slices.Equal(first.networks[0].net.Params().All()[0].Value, again.networks[0].net.Params().All()[0].Value) {
		t.Error("the network has not learned")
	}

	frozen, c := open(t, write(t, model(`"onnx": "a.A.onnx", "layers": [], "freeze": ["layers"]`), files), "energy", nil)
	traintest.Run(t, c, frozen, train.Options{Dir: t.TempDir()})
	ps := frozen.networks[0].net.Params()
	if !slices.Equal(first.networks[0].net.Params().Get("layers.0.weight").Value, ps.Get("layers.0.weight").Value) || ps.Get("head.0.weight") == nil {
		t.Error("a frozen parameter has moved, or there is no head")
	}

	for description, want := range map[string]string{
		`"onnx": "pairs.txt"`: "pairs.txt: ",
		`"onnx": "a.A.onnx", "layers": [], "freeze": ["conv"]`: `the pattern "conv" fits no parameter; there are layers.0.weight`,
	} {
		_, err := Task{}.Open(small(t, write(t, model(description), files), "energy"), "")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", description, err, want)
		}
	}
}

// TestAllFrozen: with every network frozen the weights of the rules learn alone.
func TestAllFrozen(t *testing.T) {
	own := strings.ReplaceAll(tiny, `"model": "mlp"`, `"freeze": "*", "model": "mlp"`)
	m, c := open(t, write(t, own, tinyFiles), "energy", nil)
	before := slices.Clone(m.Weights())
	if len(m.Params()) > 0 {
		t.Fatalf("%d parameters learn", len(m.Params()))
	}
	traintest.Run(t, c, m, train.Options{Dir: t.TempDir()})
	if slices.Equal(before, m.Weights()) {
		t.Error("nothing has learned")
	}
}
