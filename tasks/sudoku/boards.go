package sudoku

import (
	"bytes"
	"fmt"

	"hinge/data/mnist"
	"hinge/data/sudoku"
	"hinge/symbolic/ground"
	"hinge/symbolic/lcqp"
	"hinge/train/half"
	"hinge/train/learning"
)

// boards are the examples: of the training part the valid boards alone.
type boards struct {
	images *mnist.Part
	split  *sudoku.Split
	aug    *mnist.Augmenter // nil without augmentation
	ramp   float64
	valid  int // the target Valid
}

// newTemplate grounds and compiles the rules of a board; a file may replace the task's
// own. It also returns the place of the target Valid.
func newTemplate(side int, file string) (t *lcqp.Template, valid int, err error) {
	b := ground.NewBuilder()
	for cell := range side * side {
		for class := range side {
			b.Deep("Neural", fmt.Sprint(cell), fmt.Sprint(class))
		}
	}
	for g, group := range sudoku.Groups(side) {
		b.Observe("House", fmt.Sprint(g))
		for _, cell := range group {
			b.Observe("Cell", fmt.Sprint(g), fmt.Sprint(cell))
		}
	}
	valid = b.Target("Valid", "board")
	t, err = half.CompileRules(file, "sudoku.psl", rules, b)
	return t, valid, err
}

// of returns the boards of a part, nil if it has none.
func (b *boards) of(part learning.Part) *sudoku.Boards {
	s := b.split
	return map[learning.Part]*sudoku.Boards{learning.TrainPart: &s.Train, learning.ValidPart: &s.Valid, learning.TestPart: &s.Test}[part]
}

func (b *boards) Len(part learning.Part) int {
	switch of := b.of(part); {
	case of == nil:
		return 0
	case part == learning.TrainPart:
		return of.Len() / 2
	default:
		return of.Len()
	}
}

// cells are the images of boards of a part.
func (b *boards) cells(part learning.Part, examples []int) []int32 {
	var images []int32
	for _, e := range examples {
		if part == learning.TrainPart {
			e *= 2 // past the twins
		}
		images = append(images, b.of(part).Row(e)...)
	}
	return images
}

func (b *boards) Inputs(part learning.Part, examples []int) []float32 {
	return b.images.Pixels(b.cells(part, examples), nil, 0)
}

// TrainingInputs is Inputs.Training.
func (b *boards) TrainingInputs(step learning.Step, examples []int) ([]float32, error) {
	aug, err := b.aug.Ramped(step.Progress, b.ramp)
	return b.images.Pixels(b.cells(learning.TrainPart, examples), aug, step.Stream()), err
}

func (b *boards) Label(_ int, in *lcqp.Instance) error { return in.Fix(b.valid, 1) }

// Judge implements neupsl.Examples. The rules alone never speak against Valid being 0;
// Model.Evaluate judges by the energy of 1.
func (b *boards) Judge(part learning.Part, example int, y []float64) (right, of int) {
	if (y[b.valid] > 0.5) == b.of(part).Valid(example) {
		return 1, 1
	}
	return 0, 1
}

// Rules returns the text of the task's rule file.
func Rules() []byte { return bytes.Clone(rules) }
