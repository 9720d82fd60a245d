package activeset

import (
	"math"

	"hinge/symbolic/infer/internal/kkt"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/sparse"
)

// Interior is an interior point that shows which rows and bounds are active.
type Interior interface {
	// States writes the targets, the multipliers of the rows in the order of
	// kkt.Rows, the states of these rows, and of each target whether it is at
	// Lower (−1), at Upper (1) or between.
	States(y, mu []float64, state []State, hold []int8)
}

// Follower moves a point to the optimum of a problem with the same or nearly the
// same active rows and bounds. Where inequalities and linear potentials are among a
// few dozen of them, the optimum is followed breakpoint by breakpoint (type
// parametric); else, or if that fails, all changes are made at once (type primalDual).
type Follower struct {
	parametric parametric
	primalDual primalDual
	fits       bool // the point is one to follow
	// Limits bounds the size and work of a factor; zero means no bound.
	Limits sparse.Limits
}

// Share makes the follower use a matrix that somebody else works with, but not while it
// does: its layout and order are then made once.
func (a *Follower) Share(m *kkt.Matrix) { a.primalDual.kkt = m }

// WorthResuming reports whether TrySameActiveSet and TrackActiveSet are worth trying.
func (a *Follower) WorthResuming(*problem.Problem) bool { return true }

// TrySameActiveSet moves the point in p, optimal for a problem like p, to the optimum of p if
// no row or bound becomes active or idle on the way.
func (a *Follower) TrySameActiveSet(p *problem.Problem) bool {
	a.fits, a.primalDual.fewest = a.parametric.fits(p), math.MaxInt
	return a.fits && a.parametric.straight(p)
}

// TrackActiveSet moves the point when some rows and bounds become active or inactive on the
// way. It is called after TrySameActiveSet, and returns false if it leaves p unchanged.
func (a *Follower) TrackActiveSet(p *problem.Problem) bool {
	return a.followFrom(p, nil, math.Inf(1))
}

// RestoreBest writes to p the best point that TrackActiveSet, which has failed, has met. It
// returns false, with p as it was, where much was left to do there.
func (a *Follower) RestoreBest(p *problem.Problem) bool { return a.primalDual.nearest(p) }

// Promising reports whether TrackActiveSet, which has failed, has come near an end.
func (a *Follower) Promising(p *problem.Problem) bool {
	return a.primalDual.fewest < (p.Rows+p.Targets)/(4*farAway)
}

func (a *Follower) followFrom(p *problem.Problem, from Interior, tight float64) bool {
	return a.fits && a.parametric.follow(p) || a.primalDual.run(p, from, a.Limits, tight)
}

// Polish moves the point in p, or the interior point from if it is not nil, to the
// optimum near it.
func (a *Follower) Polish(p *problem.Problem, from Interior) bool {
	return a.TrySameActiveSet(p) || a.followFrom(p, from, mostTight)
}

// PreferColdStart reports whether, after TrackActiveSet has failed, a start from zero is
// better than a start from a point with other active rows.
func (a *Follower) PreferColdStart(p *problem.Problem) bool { return Small(p) }

// Small reports whether p is as small as the program of an addition: a few steps from zero
// then cost no more than steps from a point with other active rows.
func Small(p *problem.Problem) bool { return p.Targets <= smallTargets }
