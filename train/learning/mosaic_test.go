package learning

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNoMosaic: no tiles, or no columns, are an error.
func TestNoMosaic(t *testing.T) {
	_, err := Mosaic(nil, 2, nil)
	require.ErrorContains(t, err, "a mosaic of 0 tiles in 2 columns")
	_, err = Mosaic([]image.Image{image.NewGray(image.Rect(0, 0, 1, 1))}, 0, nil)
	require.ErrorContains(t, err, "in 0 columns")
}

// TestMosaic: tiles lie row by row, the last row may be short, and tints multiply.
func TestMosaic(t *testing.T) {
	tile := func(level uint8) image.Image {
		m := image.NewGray(image.Rect(5, 5, 7, 6)) // two pixels beside each other, off the origin
		m.Pix = []uint8{level, 0}
		return m
	}
	file, err := Mosaic([]image.Image{tile(255), tile(102), tile(255)}, 2, map[int][]color.RGBA{1: {Orange}, 2: {Orange, Blue}})
	require.NoError(t, err)
	got, err := png.Decode(bytes.NewReader(file))
	require.NoError(t, err)
	assert.Equal(t, image.Rect(0, 0, 4, 2), got.Bounds())
	black := color.RGBA{A: 255}
	for at, want := range map[image.Point]color.RGBA{
		{0, 0}: {255, 255, 255, 255}, {1, 0}: black,
		{2, 0}: {102, 80, 60, 255}, {3, 0}: black, // 102·(255, 200, 150)/255
		{0, 1}: {160, 164, 150, 255}, {1, 1}: black, // (255·160, 200·210, 150·255)/255
		{2, 1}: {}, // no tile
	} {
		assert.Equalf(t, want, color.RGBAModel.Convert(got.At(at.X, at.Y)), "at %v", at)
	}
}
