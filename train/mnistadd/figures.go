package mnistadd

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"hinge/data/mnist"
	"hinge/internal/plot"
	"hinge/train"
)

// tested is what the figures show of the last evaluation on test additions.
type tested struct {
	adds    *mnist.Additions
	outputs []float32 // [images][10]; nil where images are not read one by one
	answers []int64
}

// Figure in the run folder, beside those of train.NeuPSL.
const (
	worstFile = "worst.svg"
	// worstAdditions is how many additions the sheet shows.
	worstAdditions = 24
)

// drawWorst draws a sheet of the test additions that were answered worst.
func (r *reader) drawWorst(dir string) error {
	if r.last.outputs == nil {
		return nil
	}
	return train.WriteFigure(filepath.Join(dir, worstFile), r.sheet)
}

// sheet shows the additions whose images' true digits were believed least.
func (r *reader) sheet(w io.Writer) error {
	adds := r.last.adds
	belief := make([]float32, adds.Len())
	order := make([]int, adds.Len())
	for a := range order {
		order[a], belief[a] = a, 1
		for k, image := range adds.Row(a) {
			row := (a*2*adds.Digits + k) * mnist.Classes
			belief[a] = min(belief[a], r.last.outputs[row+r.part.Label(int(image))])
		}
	}
	wrong := func(a int) bool { return r.last.answers[a] != adds.Sums[a] }
	slices.SortStableFunc(order, func(a, b int) int {
		if wrong(a) != wrong(b) {
			if wrong(a) {
				return -1
			}
			return 1
		}
		return cmp.Compare(belief[a], belief[b])
	})
	var strips []plot.Strip
	for _, a := range order[:min(worstAdditions, len(order))] {
		var s plot.Strip
		read := ""
		for k, image := range adds.Row(a) {
			s.Images = append(s.Images, r.part.Raw(int(image)))
			row := (a*2*adds.Digits + k) * mnist.Classes
			if k == adds.Digits {
				read += " + "
			}
			read += fmt.Sprint(train.Argmax(r.last.outputs[row : row+mnist.Classes]))
		}
		s.Caption = fmt.Sprintf("read %s, answer %d, is %d", read, r.last.answers[a], adds.Sums[a])
		strips = append(strips, s)
	}
	return plot.Sheet(w, "test additions answered worst", mnist.Side, strips)
}
