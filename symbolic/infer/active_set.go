package infer

import "hinge/symbolic/infer/internal/sparse"

// interior is an interior point from which the active rows and bounds can be told.
type interior interface {
	// states writes the targets, the multipliers of the rows in the order of
	// sortedRows, the states of these rows, and of each target whether it is at
	// Lower (−1), at Upper (1) or between.
	states(y, mu []float64, state []rowActivity, hold []int8)
}

// shortFactor is what a factor may take where there is another way.
var shortFactor = sparse.Limits{Fill: 1 << 20, Work: 1 << 26}

// activeSet moves a point to the optimum of a problem with the same or nearly the
// same active rows and bounds. Where inequalities and linear potentials are among a
// few dozen of them, the optimum is followed breakpoint by breakpoint (type
// homotopy); else, or if that fails, all changes are made at once (type refiner).
type activeSet struct {
	homotopy homotopy
	refiner  refiner
	fits     bool // the point is one to follow
}

// Straight moves the point in p, optimal for a problem like p, to the optimum of p if
// no row or bound becomes active or idle on the way.
func (a *activeSet) Straight(p *Problem) bool {
	a.fits = a.homotopy.fits(p)
	return a.fits && a.homotopy.straight(p)
}

// Follow does so after Straight has failed where some do. If it returns false, p
// is as it was.
func (a *activeSet) Follow(p *Problem) bool { return a.followFrom(p, nil) }

func (a *activeSet) followFrom(p *Problem, from interior) bool {
	return a.fits && a.homotopy.follow(p) || a.refiner.run(p, from)
}

// polish moves the point in p, or the interior point from if it is not nil, to the
// optimum near it.
func (a *activeSet) polish(p *Problem, from interior) bool {
	return a.Straight(p) || a.followFrom(p, from)
}

// StartsOver tells whether, where Follow fails, a start from zero is better than one
// with other active rows.
func (a *activeSet) StartsOver(p *Problem) bool { return arrow(p) }
