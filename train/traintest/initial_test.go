package traintest

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/train"
	"hinge/train/neupsl"
)

// TestInit: a run that begins with exported weights and has all but the last layer frozen
// leaves the rest as it was, slows what has a rate, and resumes without the file.
func TestInit(t *testing.T) {
	c := Config("energy", 26)
	first, err := New(c)
	require.NoError(t, err)
	Run(t, c, first, train.Options{Dir: t.TempDir()})
	file := filepath.Join(t.TempDir(), "first.safetensors")
	_, err = train.Export(file, first)
	require.NoError(t, err)
	moved := func(rates string) (float64, *neupsl.NeuPSL) {
		c := Config("energy", 1)
		c.Seed, c.Neural.Init, c.Neural.Freeze, c.Neural.Rates = 3, file, "mlp.0", rates
		c.Neural.Average, c.Neural.WeightDecay = 0, 0
		m, err := New(c)
		require.NoError(t, err)
		Run(t, c, m, train.Options{Dir: t.TempDir()})
		sum := 0.0
		for i, v := range m.Net.Params().Get("mlp.1.bias").Value {
			sum += float64(v - first.Net.Params().Get("mlp.1.bias").Value[i])
		}
		return sum, m
	}
	whole, m := moved("")
	for _, name := range []string{"mlp.0.weight", "mlp.0.bias"} {
		if !slices.Equal(m.Net.Params().Get(name).Value, first.Net.Params().Get(name).Value) {
			t.Errorf("%s has moved", name)
		}
	}
	if tenth, _ := moved("mlp.1=0.1"); whole == 0 || tenth/whole < 0.09 || tenth/whole > 0.11 {
		t.Errorf("a step of %v, a tenth of it %v", whole, tenth)
	}
}
