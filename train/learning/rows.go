package learning

import (
	"hinge/nn"
	"hinge/symbolic/evaluate"
)

// Class is the true class of a row of the network in an example.
type Class func(part Part, example, row int) int

// Rows holds the classes that the network alone reads in rows with known classes.
type Rows struct {
	shown *Shown // of the last test
}

// Judge measures the outputs for all examples of a part: Score.Parts and Score.Entropy.
// rows is the number of rows of an example; known may be nil.
func (r *Rows) Judge(part Part, known Class, rows int, g []float32, examples int, s *Score) {
	width := len(g) / (rows * examples)
	s.Entropy = new(nn.Entropy(g, width))
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
		class, read := known(part.Data(), i/rows, i%rows), nn.Argmax(row)
		counts[class][read]++
		beliefs[i], rights[i] = float64(row[read]), class == read
		if class == read {
			right++
		}
	}
	s.Parts = new(float64(right) / float64(n))
	if part == TestPart {
		const name = "the network alone"
		r.shown = &Shown{Confusions: []Confusion{NewConfusion(name, counts)}, Calibrations: []evaluate.Calibration{evaluate.Calibrate(name, beliefs, rights)}}
	}
}

// Show returns the confusions of the network alone in the last test and its confidence, if the
// true classes are known; otherwise nil.
func (r *Rows) Show() *Shown { return r.shown }

// Beliefs returns a network's belief in the truth of each example: the least output of the
// true class over the example's rows.
func Beliefs(class Class, part Part, rows, examples int, g []float32) []float64 {
	out, width := make([]float64, examples), len(g)/(rows*examples)
	for e := range out {
		out[e] = 1
		for row := range rows {
			out[e] = min(out[e], float64(g[(e*rows+row)*width+class(part.Data(), e, row)]))
		}
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
