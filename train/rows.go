package train

import (
	"math"

	"hinge/symbolic/evaluate"
)

// Rows holds the classes that the network alone reads in rows with known classes.
type Rows struct {
	shown *Shown // of the last test
}

// Judge measures the outputs for all examples of a part: Score.Parts and Score.Entropy.
// rows is the number of rows of an example; known may be nil.
func (r *Rows) Judge(part Part, known Class, rows int, g []float32, examples int, s *Score) {
	width := len(g) / (rows * examples)
	s.Entropy = Entropy(g, width)
	if known == nil {
		return
	}
	counts := make([][]int, width)
	for i := range counts {
		counts[i] = make([]int, width)
	}
	right, n := 0, examples*rows
	beliefs, rights := make([]float64, n), make([]bool, n)
	for i := range n {
		row := g[i*width:][:width]
		class, read := known(part.data(), i/rows, i%rows), Argmax(row)
		counts[class][read]++
		beliefs[i], rights[i] = float64(row[read]), class == read
		if class == read {
			right++
		}
	}
	s.Parts = float64(right) / float64(n)
	if part == TestPart {
		const name = "the network alone"
		r.shown = &Shown{Confusions: []Confusion{NewConfusion(name, counts)}, Calibrations: []evaluate.Calibration{evaluate.Calibrate(name, beliefs, rights)}}
	}
}

// Entropy returns the mean entropy of the outputs of rows of a width, divided by the entropy
// of uniform outputs.
func Entropy[T float32 | float64](g []T, width int) float64 {
	total := 0.0
	for _, p := range g {
		if p > 0 {
			total -= float64(p) * math.Log(float64(p))
		}
	}
	return total / (math.Log(float64(max(2, width))) * float64(len(g)/width))
}

// Show returns the confusions of the network alone in the last test and its confidence, if the
// true classes are known; otherwise nil.
func (r *Rows) Show() *Shown { return r.shown }

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
