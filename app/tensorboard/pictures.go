package tensorboard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"

	"hinge/train/learning"
	"hinge/train/record"
)

// show writes the pictures that the test has stored, if there was a test.
func (f *folder) show() error {
	path := filepath.Join(f.dir, record.ShownFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var shown learning.Shown
	if err := json.Unmarshal(text, &shown); err != nil {
		return &learning.DataError{Err: fmt.Errorf("%s: %w", path, err)}
	}
	e := new(event)
	for i, c := range shown.Cases {
		if len(c.Pictures) == 0 {
			continue
		}
		row, err := beside(c.Pictures)
		if err != nil {
			return &learning.DataError{Err: fmt.Errorf("%s: case %d: %w", path, i, err)}
		}
		what := fmt.Sprintf("%s: answer %s, is %s", c.Name, c.Answer, c.Truth)
		if c.Read != "" {
			what = fmt.Sprintf("%s: read %s, answer %s, is %s", c.Name, c.Read, c.Answer, c.Truth)
		}
		if err := e.draw(fmt.Sprintf("worst/%02d", i+1), what, row); err != nil {
			return err
		}
	}
	for _, c := range shown.Confusions {
		what := c.Name + ": rows are the true class, columns what it was taken for; dark is often"
		if err := e.draw("confusion/"+c.Name, what, heat(c.Counts)); err != nil {
			return err
		}
	}
	return f.write(e)
}

func (e *event) draw(tag, description string, m *image.Gray) error {
	var file bytes.Buffer
	if err := png.Encode(&file, m); err != nil {
		return err
	}
	e.picture(tag, description, m.Rect.Dx(), m.Rect.Dy(), file.Bytes())
	return nil
}

// beside puts PNG files into one row.
func beside(files [][]byte) (*image.Gray, error) {
	var all []image.Image
	width, height := 0, 0
	for _, file := range files {
		m, err := png.Decode(bytes.NewReader(file))
		if err != nil {
			return nil, err
		}
		all = append(all, m)
		width, height = width+m.Bounds().Dx(), max(height, m.Bounds().Dy())
	}
	row, x := image.NewGray(image.Rect(0, 0, width, height)), 0
	for _, m := range all {
		b := m.Bounds()
		draw.Draw(row, image.Rect(x, 0, x+b.Dx(), b.Dy()), m, b.Min, draw.Src)
		x += b.Dx()
	}
	return row, nil
}

// cell is the side of a square of a confusion in pixels.
const cell = 16

// heat draws the shares of the rows of a confusion, from white for none to black for all.
func heat(counts [][]int) *image.Gray {
	side := cell * len(counts)
	m := image.NewGray(image.Rect(0, 0, side, side))
	for i, row := range counts {
		total := 0
		for _, n := range row {
			total += n
		}
		for j, n := range row {
			grey := uint8(255 - 255*n/max(total, 1))
			for p := range cell * cell {
				m.Pix[m.PixOffset(j*cell+p%cell, i*cell+p/cell)] = grey
			}
		}
	}
	return m
}
