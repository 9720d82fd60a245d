package modelfile

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train/learning"
)

// TestOnePictureOfAFolder: a picture by itself has the answer that it has among those of a folder, dark on light or
// not, and one of another size is refused; networks of other inputs of 28×28 numbers take it as a digit.
func TestOnePictureOfAFolder(t *testing.T) {
	dir := t.TempDir()
	paint := func(name string, side int, ink, paper uint8) string {
		img := image.NewGray(image.Rect(0, 0, side, side))
		for i := range img.Pix {
			if img.Pix[i] = paper; i/side > 5 && i/side < 12 {
				img.Pix[i] = ink
			}
		}
		path := filepath.Join(dir, name)
		f, err := os.Create(path)
		require.NoError(t, err)
		defer f.Close()
		require.NoError(t, png.Encode(f, img))
		return path
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "pics"), 0o777))
	single := map[string]string{"a": paint("pics/a.png", 28, 0, 255), "b": paint("pics/b.png", 28, 200, 90)}
	file := filepath.Join(dir, "model.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"rules": ["1: N(A, B) = Y(A, B) ^2", "Y(A, +B) = 1 ."], "predicates": {
		"N/2": {"network": {"model": "mlp", "layers": [4], "classes": ["x", "y"], "features": "pics/"}, "targets": [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]]},
		"Y/2": {"targets": [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]], "truth": [["a", "x", 1], ["b", "y", 1]], "evaluations": ["CategoricalEvaluator"]}}}`), 0o666))
	m := learned(t, file)
	of := func(path string) map[string]float64 {
		p, err := learning.Predict(m, []string{"N=" + path})
		require.NoError(t, err)
		values := map[string]float64{}
		for _, a := range p.(*Prediction).Atoms {
			values[a.Atom] = a.Value
		}
		return values
	}
	all := of(filepath.Join(dir, "pics"))
	require.Len(t, all, 4)
	for name, path := range single {
		for atom, v := range of(path) {
			assert.Equal(t, all[atom], v, "%s: %s", name, atom)
		}
	}
	_, err := learning.Predict(m, []string{"N=" + paint("small.png", 20, 0, 255)})
	assert.ErrorContains(t, err, "small.png: 20×20 pixels, the network was trained on pictures of 28×28; scale it to that size")
}
