package sudoku

import (
	"fmt"

	"hinge/symbolic/shortcut"
	"hinge/train/learning"
)

// rulebook is the rules of a Model, whose shortcuts can be counted.
type rulebook struct {
	learning.Rulebook
	m *Model
}

func (m *Model) Rulebook() learning.Rulebook { return rulebook{m.NeuPSL.Rulebook(), m} }

// Shortcuts implements learning.Rulebook: the concept is the digit in a cell, and all boards to
// learn from are valid. Which class is which digit no board tells, and the
// answer, whether a board is valid, does not depend on it: there are n! maps.
func (r rulebook) Shortcuts() (*shortcut.Problem, error) {
	m := r.m
	side := m.split.Train.Side
	p := &shortcut.Problem{Concepts: []shortcut.Concept{{Name: "Digit", OneHot: true}}}
	for k := range side {
		p.Concepts[0].Outputs = append(p.Concepts[0].Outputs, fmt.Sprint(k))
	}
	for e := range m.Len(learning.TrainPart) {
		x := shortcut.Example{Program: m.program, Labels: make([]float64, len(m.program.Targets))}
		x.Labels[m.valid] = 1
		for _, image := range m.cells(learning.TrainPart, []int{e}) {
			exemplar := p.Exemplar(0, m.images.Label(int(image)))
			for k := range side {
				x.Deep = append(x.Deep, shortcut.Output{Exemplar: exemplar, Output: k})
			}
		}
		p.Examples = append(p.Examples, x)
	}
	return p, nil
}
