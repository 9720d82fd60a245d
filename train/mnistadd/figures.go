package mnistadd

import (
	"cmp"
	"fmt"
	"io"
	"os"
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

// remember keeps an evaluation for Draw.
func (r *reader) remember(part train.Part, adds *mnist.Additions, outputs []float32, answers []int64) {
	if part == train.TestPart {
		r.last = tested{adds, outputs, answers}
	}
}

// Figures in the run folder.
const (
	confusionFile = "confusion.svg"
	worstFile     = "worst.svg"
	// worstAdditions is how many additions the sheet shows.
	worstAdditions = 24
)

// Draw implements train.Drawer: the confusion of digits on the test images, and a
// sheet of the test additions that were answered worst.
func (r *reader) Draw(dir string) error {
	if r.last.outputs == nil {
		return nil
	}
	if err := write(filepath.Join(dir, confusionFile), r.drawConfusion); err != nil {
		return err
	}
	return write(filepath.Join(dir, worstFile), r.drawWorst)
}

func write(path string, draw func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	err = draw(file)
	if e := file.Close(); err == nil {
		err = e
	}
	return err
}

// drawConfusion counts test images by digit and by the most probable digit.
func (r *reader) drawConfusion(w io.Writer) error {
	counts := make([][]int, mnist.Classes)
	for i := range counts {
		counts[i] = make([]int, mnist.Classes)
	}
	for i, image := range r.last.adds.Images {
		counts[r.part.Label(int(image))][argmax(r.last.outputs[i*mnist.Classes:(i+1)*mnist.Classes])]++
	}
	return plot.Matrix(w, "digits of the test images", "digit", "read as", counts)
}

// drawWorst shows the additions whose images' true digits were believed least.
func (r *reader) drawWorst(w io.Writer) error {
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
			read += fmt.Sprint(argmax(r.last.outputs[row : row+mnist.Classes]))
		}
		s.Caption = fmt.Sprintf("read %s, answer %d, is %d", read, r.last.answers[a], adds.Sums[a])
		strips = append(strips, s)
	}
	return plot.Sheet(w, "test additions answered worst", mnist.Side, strips)
}

var _ train.Drawer = (*reader)(nil)
