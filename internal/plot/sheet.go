package plot

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"io"
)

// Strip is a row of grey images of the same size with a caption.
type Strip struct {
	// Images are rows of bytes, 0 paper and 255 ink, Side×Side each.
	Images  [][]uint8
	Caption string
}

// Sheet draws strips of side×side images, magnified twice, in columns of twelve.
func Sheet(w io.Writer, title string, side int, strips []Strip) error {
	const zoom, gap, rows, caption = 2, 6, 12, 190
	most := 0
	for _, s := range strips {
		most = max(most, len(s.Images))
	}
	size := float64(zoom * side)
	columnWidth := float64(most)*(size+2) + caption
	columns := max(1, (len(strips)+rows-1)/rows)
	d := newDocument(float64(columns)*columnWidth+2*gap, float64(min(rows, max(1, len(strips))))*(size+gap)+40, title)
	for k, s := range strips {
		x0, y := gap+float64(k/rows)*columnWidth, 30+float64(k%rows)*(size+gap)
		for i, raw := range s.Images {
			if len(raw) != side*side {
				return fmt.Errorf("plot: an image of %d bytes, want %d×%d", len(raw), side, side)
			}
			picture := image.NewGray(image.Rect(0, 0, side, side))
			for p, v := range raw {
				picture.Pix[p] = 255 - v
			}
			var file bytes.Buffer
			if err := png.Encode(&file, picture); err != nil {
				return err
			}
			fmt.Fprintf(d, `<image x="%.1f" y="%.1f" width="%.0f" height="%.0f" style="image-rendering:pixelated" xlink:href="data:image/png;base64,%s"/>`+"\n",
				x0+float64(i)*(size+2), y, size, size, base64.StdEncoding.EncodeToString(file.Bytes()))
		}
		d.text(x0+float64(most)*(size+2)+6, y+size/2+4, "start", s.Caption)
	}
	return d.finish(w)
}
