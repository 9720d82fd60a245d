package dualascent

import "hinge/symbolic/infer/internal/problem"

// DualBCD is dual block coordinate ascent with exact block steps, see the package comment,
// and Anderson extrapolation from sweep to sweep; no second-order steps and no factors. It
// needs many sweeps where ε is small: multipliers then have to go far in steps that other
// rows keep short. Extrapolation takes most of them away, see docs/BCD.md.
type DualBCD struct{}

// Name returns "bcd".
func (DualBCD) Name() string { return "bcd" }

// Defaults returns 20,000 sweeps, tested after each eighth or when the method
// sees nothing left to do.
func (DualBCD) Defaults() (int, int) { return 20000, 8 }

// NewSolver returns working state.
func (DualBCD) NewSolver() problem.Solver {
	return new(accelerated)
}
