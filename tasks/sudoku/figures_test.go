package sudoku

import (
	"bytes"
	"image/color"
	"image/png"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
	"hinge/train/learning"
)

// TestWorst: boards come by how far their energy is on the wrong side of the threshold. Of one held
// for invalid the cell is named that breaks it, of one held for valid the least sure reading.
func TestWorst(t *testing.T) {
	m, _ := small(t, nil)
	copy(m.Weights(), []float64{0.5, 0.5})
	spoilt := slices.Clone(solved)
	spoilt[0] = 0
	unsure := oneHot(solved, 4)
	copy(unsure[6*4:], []float64{0.75, 0.125, 0.125, 0}) // row 2, column 3
	m.last.most = 1
	for _, b := range []struct {
		g      []float64
		energy float64
		valid  bool
	}{{oneHot(solved, 4), 0, true}, {unsure, 0.25, false}, {oneHot(spoilt, 4), 3, true}} {
		for _, v := range b.g {
			m.last.g = append(m.last.g, float32(v))
		}
		m.last.list = append(m.last.list, judged{b.energy, b.valid})
	}
	shown, err := m.Show()
	require.NoError(t, err)
	assert.Equal(t, []int{3, 2, 3}, []int{shown.Examples, shown.Wrong, len(shown.Cases)})

	c := shown.Cases[0]
	assert.Equal(t, []any{"board 2", "invalid", "valid", "0013 3102 1320 0231"}, []any{c.Name, c.Answer, c.Truth, c.Read})
	assert.Equal(t, []string{
		"held for valid up to the energy 1",
		"row 1, column 1: class 0; as 2 the energy would be 0",
		// With a 2 there, row and block are right, and two columns have a class twice and lack one.
		"row 1, column 2: class 0; as 2 the energy would be 2",
	}, c.Inputs)
	assert.Equal(t, 6, c.Broken, "two classes in a row, a column and a block")
	assert.InDelta(t, 3, c.Energy, 1e-12)
	picture, err := png.Decode(bytes.NewReader(c.Pictures[0]))
	require.NoError(t, err)
	assert.Equal(t, 4*mnist.Side, picture.Bounds().Dx())
	for cell, want := range []color.RGBA{learning.Orange, learning.Orange, {255, 255, 255, 255}} {
		assert.Equal(t, want, color.RGBAModel.Convert(picture.At(cell*mnist.Side, 0)))
	}

	c = shown.Cases[1]
	assert.Equal(t, []any{"board 1", "valid", "invalid"}, []any{c.Name, c.Answer, c.Truth})
	assert.Equal(t, "row 2, column 3: class 0 with belief 0.75", c.Inputs[1])
	assert.Equal(t, []any{"board 0", true}, []any{shown.Cases[2].Name, shown.Cases[2].Right})
}

// TestShowTested: what is shown is the last test.
func TestShowTested(t *testing.T) {
	m, _ := small(t, nil)
	if s, err := m.Show(); s != nil || err != nil {
		t.Errorf("before a test: %v, %v", s, err)
	}
	score, err := m.Evaluate(t.Context(), learning.TestPart)
	require.NoError(t, err)
	s, err := m.Show()
	require.NoError(t, err)
	assert.Equal(t, 200, s.Examples)
	assert.InDelta(t, score.Accuracy, 1-float64(s.Wrong)/200, 1e-12)
	assert.False(t, s.Cases[0].Right)
}
