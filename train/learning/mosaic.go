package learning

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
)

// Tints of tiles: of what is answered or misled, and of what is right. A tile with both is grey.
var (
	Orange = color.RGBA{255, 200, 150, 255}
	Blue   = color.RGBA{160, 210, 255, 255}
)

// Mosaic makes a PNG file of tiles of one size, row by row in columns, of which those in tints are
// coloured: white becomes the product of the tints, black stays. Without a tile it returns an error.
func Mosaic(tiles []image.Image, columns int, tints map[int][]color.RGBA) ([]byte, error) {
	if len(tiles) == 0 || columns < 1 {
		return nil, fmt.Errorf("learning: a mosaic of %d tiles in %d columns, want 1 or more of both", len(tiles), columns)
	}
	size := tiles[0].Bounds().Size()
	m := image.NewRGBA(image.Rect(0, 0, size.X*columns, size.Y*((len(tiles)+columns-1)/columns)))
	for i, tile := range tiles {
		corner := image.Pt(i%columns*size.X, i/columns*size.Y)
		at := image.Rectangle{Min: corner, Max: corner.Add(size)}
		draw.Draw(m, at, tile, tile.Bounds().Min, draw.Src)
		for _, tint := range tints[i] {
			for y := at.Min.Y; y < at.Max.Y; y++ {
				for x := at.Min.X; x < at.Max.X; x++ {
					c := m.RGBAAt(x, y)
					part := func(a, b uint8) uint8 { return uint8(int(a) * int(b) / 255) }
					m.SetRGBA(x, y, color.RGBA{part(c.R, tint.R), part(c.G, tint.G), part(c.B, tint.B), c.A})
				}
			}
		}
	}
	var file bytes.Buffer
	err := png.Encode(&file, m)
	return file.Bytes(), err
}
