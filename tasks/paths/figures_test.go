package paths

import (
	"bytes"
	"image/color"
	"image/png"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
	"hinge/train/config"
	"hinge/train/learning"
)

// TestWorst: a grid whose least path is read as dear comes first, with both paths, their true
// costs, the cells that misled the answer, and the energy of the rules about the cells that differ.
func TestWorst(t *testing.T) {
	m, g, _ := small(t, func(c *config.Config) { OptionsOf(c).Side, c.Neural.Views = 3, 0 })
	costs := []float64{
		1, 2, 9,
		9, 2, 9,
		9, 9, 2,
	}
	s := g.parts[learning.TestPart]
	var out []float32
	for grid := range s.Len() {
		copy(s.Costs(grid), costs)
		copy(s.On(grid), []uint8{1, 0, 0, 0, 1, 0, 0, 0, 1})
		dear := []float32{0, .1, .8, .8, .1, .8, .8, .8, .1}
		if grid == 4 {
			dear = []float32{0, .1, .8, .8, .9, .05, .8, .8, .3}
		}
		for _, p := range dear {
			out = append(out, 1-p, p)
		}
	}
	score, err := m.EvaluateOutputs(learning.TestPart, out)
	require.NoError(t, err)
	assert.Equal(t, 0.9, score.Accuracy)
	shown, err := m.Show()
	require.NoError(t, err)
	assert.Equal(t, []int{10, 1, 10}, []int{shown.Examples, shown.Wrong, len(shown.Cases)})
	assert.Equal(t, "MAP answers, by the value of the answer", shown.Calibrations[0].Name)

	c := shown.Cases[0]
	assert.Equal(t, []any{"grid 4", "cost 14", "cost 5", false}, []any{c.Name, c.Answer, c.Truth, c.Right})
	assert.Nil(t, c.Belief, "what a cell costs is no class")
	assert.Equal(t, []string{
		"answer, orange: 1,1 1,2 2,3 3,3",
		"least cost, blue: 1,1 2,2 3,3",
		"cell 2,3 costs 9, read as 0.05, others of that cost as 0.8 on average",
		"cell 2,2 costs 2, read as 0.9, others of that cost as 0.2 on average",
		"cell 1,2 costs 2, read as 0.1, others of that cost as 0.6 on average",
	}, c.Inputs)
	// (3p + .08 + x/100)² of cells 1,2 and 2,3, with x = 1, and of 2,2, with x = 0.
	assert.InDelta(t, .39*.39+.24*.24+2.78*2.78, c.Energy, 1e-3)
	assert.Equal(t, 3, c.Broken)
	assert.Equal(t, "Neural(4,1)", c.BrokenRules[0].Atoms[0].Atom)

	picture, err := png.Decode(bytes.NewReader(c.Pictures[0]))
	require.NoError(t, err)
	for cell, want := range []color.RGBA{{160, 164, 150, 255}, learning.Orange, {255, 255, 255, 255}} {
		assert.Equal(t, want, color.RGBAModel.Convert(picture.At(cell*mnist.Side, 0)))
	}
	right := shown.Cases[1]
	assert.Equal(t, []any{"cost 5", "cost 5", true, 0.0}, []any{right.Answer, right.Truth, right.Right, right.Energy})
}

// TestNoPath: a flow that ends on the way is no path, and the worst answer of all.
func TestNoPath(t *testing.T) {
	_, g, _ := small(t, nil)
	y := make([]float64, g.Targets)
	c, _, err := g.Describe(learning.TestPart, 0, make([]float32, g.Deep), y)
	require.NoError(t, err)
	assert.Equal(t, "no path", c.Answer)
	assert.Zero(t, g.Value(y))
	assert.True(t, g.dearer(learning.TestPart, 0, y) > 1e9)
}
