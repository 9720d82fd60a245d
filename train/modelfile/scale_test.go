package modelfile

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train/checkpoint"
	"hinge/train/learning"
)

// TestScale: a network of columns of a CSV file answers and learns as the same network of numbers
// that were scaled and encoded by hand, and the scale stays what it was when training began.
func TestScale(t *testing.T) {
	records := map[string]string{"pairs.txt": tinyFiles["pairs.txt"], "q.npy.txt": tinyFiles["q.npy.txt"]}
	// The row x has no atom: it does not count.
	records["a.csv"] = "colour,id,size,same\nred,x,99,7\nred,a,1,7\nblue,b,2,7\nred,c,6,7\n"
	byHand := map[string]string{"pairs.txt": tinyFiles["pairs.txt"], "q.npy.txt": tinyFiles["q.npy.txt"]}
	mean, deviation := 3., math.Sqrt(14./3)
	for i, name := range []string{"a", "b", "c"} {
		size := []float64{1, 2, 6}[i]
		byHand["a.txt"] += fmt.Sprintf("%s\t%.9g\t%s\t0\n", name, (size-mean)/deviation, []string{"0\t1", "1\t0", "0\t1"}[i])
	}
	model := parted(t)
	require.Contains(t, model, `"features": "a.txt"`)
	ours, _ := open(t, write(t, strings.Replace(model, `"features": "a.txt"`, `"features": {"csv": "a.csv", "columns": ["id", "size", "colour", "same"]}`, 1), records), "sp", exact)
	theirs, _ := open(t, write(t, model, byHand), "sp", exact)

	step := func(m *Model) []float32 {
		for i := range 3 {
			_, err := m.Gradient(learning.Step{Number: i, Temperature: 1}, []int{0})
			require.NoError(t, err)
			for _, p := range m.Params() {
				if strings.Contains(p.Name, scaling+".") {
					continue
				}
				for k, g := range p.Grad {
					p.Value[k] -= .3 * g
				}
			}
		}
		var values []float32
		for _, p := range m.Params() {
			if !strings.Contains(p.Name, scaling+".") {
				values = append(values, p.Value...)
			}
		}
		return values
	}
	got, want := step(ours), step(theirs)
	require.Len(t, got, len(want))
	assert.InDeltaSlice(t, want, got, 1e-5)

	statistics := ours.networks[0].net.Params()
	assert.InDeltaSlice(t, []float32{3, 0, 0, 7}, statistics.Get(scaling+".running_mean").Value, 1e-6)
	assert.InDeltaSlice(t, []float32{14. / 3, 1, 1, 1}, statistics.Get(scaling+".running_var").Value, 1e-6)
	assert.True(t, statistics.Get(scaling+".weight").Frozen)

	// New rows are encoded and scaled as the first ones were.
	q, err := ours.NewPredictor()
	require.NoError(t, err)
	inputs, err := q.read("A=" + newFile(t, "id,size,colour,same\nd,3,blue,8\n"))
	require.NoError(t, err)
	assert.Equal(t, []float32{3, 1, 0, 8}, inputs[0].Features)
	_, err = q.read("A=" + newFile(t, "id,size,colour,same\nd,3,green,8\n"))
	assert.ErrorContains(t, err, `"green" is none of the 2 categories`)

	// A checkpoint is not taken for as many other categories, columns or classes.
	learned := map[string]checkpoint.Tensor{}
	for _, tensor := range ours.Export() {
		learned[tensor.Name] = tensor
	}
	get := func(name string) (checkpoint.Tensor, error) {
		if tensor, ok := learned[name]; ok {
			return tensor, nil
		}
		return checkpoint.Tensor{}, fmt.Errorf("no %s", name)
	}
	require.NoError(t, ours.Import(get))
	var other *Model
	for columns, want := range map[string]string{
		`"size", "colour", "same"`: `it learned category "blue" of "colour", where there is category "red" of "colour" now`,
		`"same", "colour", "size"`: `it learned column "size", where there is column "same" now`,
	} {
		zinc := map[string]string{"a.csv": strings.ReplaceAll(records["a.csv"], "blue", "zinc"), "pairs.txt": records["pairs.txt"], "q.npy.txt": records["q.npy.txt"]}
		other, _ = open(t, write(t, strings.Replace(model, `"features": "a.txt"`, `"features": {"csv": "a.csv", "columns": ["id", `+columns+`]}`, 1), zinc), "sp", exact)
		assert.ErrorContains(t, other.Import(get), want)
	}
	learned["A.meaning"] = checkpoint.NewTensor("A.meaning", []byte(strings.Replace(string(learned["A.meaning"].Data.([]uint8)), `class "`, `class "z`, 1)))
	assert.ErrorContains(t, ours.Import(get), `it learned class "z`)
	delete(learned, "A.meaning") // an earlier version did not tell
	assert.NoError(t, other.Import(get))
}

// newFile writes a file of its own.
func newFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "new.csv")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}
