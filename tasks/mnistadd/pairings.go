package mnistadd

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"hinge/data/mnist"
	"hinge/nn"
	"hinge/symbolic/infer"
	"hinge/train/mapstate"
)

// PairingsFigure names the figure of Report for numbers of the given number of digits.
func PairingsFigure(digits int) string { return fmt.Sprintf("sums of %d-digit numbers", digits) }

// Report implements learning.Reporter: for numbers of the task's length and of the further
// configured lengths, the share of right MAP answers over random pairings of the test images.
// Each pairing uses each image once. The network reads each image once.
func (m *Model) Report(context.Context) (map[string]float64, error) {
	o := OptionsOf(&m.reader.cfg)
	if o.Pairings == 0 {
		return nil, nil
	}
	images := m.split.Test.Images
	if o.Additions == mnist.FullSize(m.split.Digits) {
		images = numbered(mnist.TrainSize, m.part.Len()) // also those that did not fill a row
	}
	outputs, err := m.predict(images, m.reader.cfg.Neural.Views)
	if err != nil {
		return nil, err
	}
	g := make(map[int32][]float64, len(images))
	for k, i := range images {
		g[i] = nn.Widen(outputs[k*mnist.Classes:][:mnist.Classes])
	}
	figures := make(map[string]float64)
	for _, digits := range append([]int{m.split.Digits}, o.Lengths...) {
		right, n, err := m.pairings(g, images, digits, o.Pairings)
		if err != nil {
			return nil, fmt.Errorf("pairings of %d-digit numbers: %w", digits, err)
		}
		figures[PairingsFigure(digits)] = float64(right) / float64(n)
	}
	return figures, nil
}

// pairings answers all sums of the given number of pairings, given the outputs for each
// image. An answer without a certificate is an error.
func (m *Model) pairings(g map[int32][]float64, images []int32, digits, pairings int) (right, n int, err error) {
	sym, err := NewSymbolic(digits, m.reader.cfg.Rules)
	if err != nil {
		return 0, 0, err
	}
	solver, err := mapstate.NewSolver(&m.reader.cfg, sym.Template, m.Weights())
	if err != nil {
		return 0, 0, err
	}
	for number := range pairings {
		adds := mnist.Pairing(m.part, images, digits, number)
		var deep []float64
		for a := range adds.Len() {
			for _, i := range adds.Row(a) {
				deep = append(deep, g[i]...)
			}
		}
		var unsolved error
		_, err := solver.Each(m.Weights(), deep, adds.Len(), nil, func(a int, r *infer.Result) {
			if err := r.Err(); err != nil && unsolved == nil {
				unsolved = fmt.Errorf("addition %d: %w", a, err)
			}
			if slices.Equal(adds.Sums[a], sym.Answer(r.Y)) {
				right++
			}
		})
		if err = cmp.Or(err, unsolved); err != nil {
			return 0, 0, fmt.Errorf("pairing %d: %w", number, err)
		}
		n += adds.Len()
	}
	return right, n, nil
}
