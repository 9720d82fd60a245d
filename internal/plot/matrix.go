package plot

import (
	"fmt"
	"io"
)

// Matrix draws a square matrix of counts, rows by columns, shaded by the share in
// the row.
func Matrix(w io.Writer, title, rows, columns string, counts [][]int) error {
	const cell, left, top = 40, 60, 60
	n := len(counts)
	d := newDocument(float64(left+n*cell+20), float64(top+n*cell+20), title)
	d.text(float64(left+n*cell/2), 38, "middle", columns)
	fmt.Fprintf(d, `<text transform="translate(18 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n", top+n*cell/2, escape(rows))
	for i, row := range counts {
		if len(row) != n {
			return fmt.Errorf("plot: row %d of the matrix has %d entries, want %d", i, len(row), n)
		}
		y := float64(top + i*cell)
		d.text(left-8, y+cell/2+4, "end", fmt.Sprint(i))
		d.text(float64(left+i*cell+cell/2), top-6, "middle", fmt.Sprint(i))
		total := 0
		for _, v := range row {
			total += v
		}
		for j, v := range row {
			x := float64(left + j*cell)
			share := 0.0
			if total > 0 {
				share = float64(v) / float64(total)
			}
			colour := fmt.Sprintf("rgb(%d,%d,255)", int(255*(1-share)), int(255*(1-.55*share)))
			if i != j && v > 0 { // errors stand out, however few
				colour = fmt.Sprintf("rgb(255,%d,%d)", int(225*(1-share)), int(215*(1-share)))
			}
			d.rect(x, y, cell-1, cell-1, colour)
			if v > 0 {
				d.text(x+cell/2, y+cell/2+4, "middle", fmt.Sprint(v))
			}
		}
	}
	return d.finish(w)
}
