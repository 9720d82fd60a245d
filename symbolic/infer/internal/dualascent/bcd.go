package dualascent

import "hinge/symbolic/infer/internal/problem"

// DualBCD is dual block coordinate ascent with exact block steps and nothing else, see
// the package comment. It needs many sweeps where ε is small: multipliers then have to
// go far in steps that other rows keep short.
type DualBCD struct{}

// Name returns "bcd".
func (DualBCD) Name() string { return "bcd" }

// Defaults returns 20,000 sweeps, tested after each eighth or when the method
// sees nothing left to do.
func (DualBCD) Defaults() (int, int) { return 20000, 8 }

// NewSolver returns working state.
func (DualBCD) NewSolver() problem.Solver { return new(Ascent) }
