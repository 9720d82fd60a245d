package bilevel

import (
	"cmp"
	"errors"
	"fmt"
	"math"
)

// pullCurvature is κ, the curvature of the pull. It is not zero because an instance accepts
// a force only as a proximal term, and small compared with the curvature of E.
const pullCurvature = 1e-2

// boundTol is how near to a bound an answer counts as being there, where it does not move
// with the outputs: its slope, often the largest, must not set the scale of the others.
const boundTol = 1e-6

// SolvePulled evaluates, in every slot, the value of a problem whose answers are pulled
// (ours). It gives the derivative of a loss of the answers y* through inference, again as one
// of value functions. Let c be the derivatives of the loss with respect to the answers, m the
// largest |c_j| of all slots, and let them pull with forces of at most δ:
//
//	V_δ(w, g) = min_y E(y, g; w) + Σ_j δc_j/m·(y_j − y*_j) + κδ·(y_j − y*_j)²  over c_j ≠ 0.
//
// The values in the slots are larger than V_δ by Σ_j δc_j²/(4κm²), which depends on c and δ alone. The
// minimiser moves by −(δ/m)·H⁻¹c, H the curvature of E on the face of y*, as long as it stays on that
// face, so with y* and c held where they are
//
//	(∇V_δ − ∇V)·m/δ → c·∂y*/∂(w, g)  for δ → 0,
//
// and theorem 5.2 gives both gradients, Φ and Bᵀμ*.
//
// answers and slopes hold y* and c, a number for each target and slot; slopes of answers at a
// bound are set to 0. nudge is δ > 0. The result is m, or 1 if all slopes are 0.
func (f *ValueFunction) SolvePulled(w, g, answers, slopes []float64, nudge float64) (largest float64, err error) {
	if len(answers) != len(f.dy) || len(slopes) != len(f.dy) {
		return 0, fmt.Errorf("bilevel: %d answers and %d slopes, want %d", len(answers), len(slopes), len(f.dy))
	}
	if !(nudge > 0) || math.IsInf(nudge, 0) {
		return 0, fmt.Errorf("bilevel: nudge %v, want a finite number > 0", nudge)
	}
	if f.opt.Condition && f.opt.Draws > 1 {
		return 0, errors.New("bilevel: draws that share their sample's labels (Options.Condition) cannot be pulled apart")
	}
	width := 0
	for slot, in := range f.insts {
		width = max(width, in.Targets)
		c := f.points(slopes, slot)
		for j, y := range f.points(answers, slot) {
			if y < in.Lower[j]+boundTol || y > in.Upper[j]-boundTol {
				c[j] = 0
			}
			largest = max(largest, math.Abs(c[j]))
		}
	}
	largest = cmp.Or(largest, 1)
	pull, center := make([]float64, width), make([]float64, width)
	for slot, in := range f.insts {
		clear(pull)
		slopes := f.points(slopes, slot)
		for j, y := range f.points(answers, slot) {
			if c := slopes[j]; c != 0 {
				pull[j], center[j] = pullCurvature*nudge, y-c/(2*pullCurvature*largest)
			}
		}
		if err := in.SetProx(pull[:in.Targets], center[:in.Targets]); err != nil {
			return 0, fmt.Errorf("bilevel: slot %d: %w", slot, err)
		}
	}
	f.conditional = false
	return largest, f.solve(w, g)
}

// SlotGradients returns Φ(ŷ*) and Bᵀμ* of the last evaluation of a slot, the derivatives of
// its value by w and by its neural outputs. They are overwritten by the next evaluation.
func (f *ValueFunction) SlotGradients(slot int) (phi, dg []float64) {
	n := f.template.Rules
	return f.phi[slot*n : (slot+1)*n], f.outputs(f.dg, slot)
}
