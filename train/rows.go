package train

import (
	"io"
	"math"
	"os"
	"path/filepath"

	"hinge/internal/plot"
)

// Rows is what a network alone reads in the rows of examples whose classes are known.
type Rows struct {
	// confusion counts the rows of the last test by class and by what they were read as.
	confusion [][]int
}

// Judge measures the outputs for all examples of a part: Score.Parts and Score.Entropy.
// rows is the number of rows of an example; known may be nil.
func (r *Rows) Judge(part Part, known Classes, rows int, g []float32, examples int, s *Score) {
	width := len(g) / (rows * examples)
	s.Entropy = entropy(g, width)
	if known == nil {
		return
	}
	counts := make([][]int, width)
	for i := range counts {
		counts[i] = make([]int, width)
	}
	right, n := 0, examples*rows
	for i := range n {
		class, read := known.Class(part.data(), i/rows, i%rows), Argmax(g[i*width:][:width])
		counts[class][read]++
		if class == read {
			right++
		}
	}
	s.Parts = float64(right) / float64(n)
	if part == TestPart {
		r.confusion = counts
	}
}

// entropy is the mean entropy of the outputs of rows of a width, as a share of that of
// uniform ones.
func entropy(g []float32, width int) float64 {
	total := 0.0
	for _, p := range g {
		if p > 0 {
			total -= float64(p) * math.Log(float64(p))
		}
	}
	return total / (math.Log(float64(max(2, width))) * float64(len(g)/width))
}

// confusionFile is the name of the figure that Draw makes.
const confusionFile = "confusion.svg"

// Draw implements Drawer: which classes the network alone confuses on the test, where
// the true ones are known.
func (r *Rows) Draw(dir string) error {
	if r.confusion == nil {
		return nil
	}
	return WriteFigure(filepath.Join(dir, confusionFile), func(w io.Writer) error {
		return plot.Matrix(w, "what the network alone reads in the test", "class", "read as", r.confusion)
	})
}

// WriteFigure makes a file of what draw writes, for Drawer.
func WriteFigure(path string, draw func(io.Writer) error) error {
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

// Argmax returns the index of the largest value, the smallest such index.
func Argmax[T float32 | float64](x []T) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}

// Widen converts a network's outputs for package bilevel.
func Widen(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// All returns the numbers 0 to n-1: all examples of a part.
func All(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
