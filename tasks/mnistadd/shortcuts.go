package mnistadd

import (
	"io"
	"math"
	"slices"

	"hinge/data/mnist"
	"hinge/symbolic/shortcut"
	"hinge/train/learning"
)

// rulebook is the rules of a Model, whose shortcuts can be counted.
type rulebook struct {
	learning.Rulebook
	m *Model
}

// Digest implements learning.Rulebook. It also writes the labels that are not learned from.
func (r rulebook) Digest(w io.Writer, parts ...learning.Part) {
	r.Rulebook.Digest(w, parts...)
	r.m.digestSums(w, parts)
}

// Shortcuts implements learning.Rulebook: the concept is the digit in an image, the labels are
// the sums of the additions to learn from.
func (r rulebook) Shortcuts() (*shortcut.Problem, error) {
	m := r.m
	p := &shortcut.Problem{Concepts: []shortcut.Concept{{Name: "Digit", OneHot: true}}}
	for x := range mnist.Classes {
		p.Concepts[0].Outputs = append(p.Concepts[0].Outputs, digit(x))
	}
	for e := range m.split.Train.Len() {
		x := shortcut.Example{Program: m.sym.Template.Program(), Labels: slices.Repeat([]float64{math.NaN()}, m.sym.Template.Targets)}
		for _, image := range m.split.Train.Row(e) {
			exemplar := p.Exemplar(0, m.part.Label(int(image)))
			for k := range mnist.Classes {
				x.Deep = append(x.Deep, shortcut.Output{Exemplar: exemplar, Output: k})
			}
		}
		if err := m.sym.oneHots(m.split.Train.Sums[e], func(atoms []int, number int) error {
			for k, i := range atoms {
				x.Labels[i] = 0
				if k == number {
					x.Labels[i] = 1
				}
			}
			return nil
		}); err != nil {
			return nil, err
		}
		p.Examples = append(p.Examples, x)
	}
	return p, nil
}
