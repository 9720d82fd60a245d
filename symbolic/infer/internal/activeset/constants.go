package activeset

import "hinge/symbolic/infer/internal/sparse"

// Tuning constants of both active set methods.

// Of the parametric method.
const (
	// largestSet is the largest W. Each breakpoint takes time in proportion to
	// its square.
	largestSet = 96
	// mostRows is the number of rows up to which W is looked for.
	mostRows = 4000
	// offBounds is by how much rows and multipliers may be on the wrong side.
	offBounds = 1e-11
	// dependent is what is left, relative to its square, of a row that is a
	// combination of others.
	dependent = 1e-10
	// leastShift keeps idle rows away from W at the start; each row has its own
	// multiple, so that they do not all arrive at once.
	leastShift = 1e-3
)

// Of the primal–dual method.
const (
	// proximal is by how much an active constraint may be off in a step, times the
	// change of its multiplier.
	proximal = 1e-7
	// mostSteps bounds the steps: two to four do as a rule.
	mostSteps = 12
	// fewChanges may change state in a step even if they were as many in the
	// step before.
	fewChanges = 4
	// More than manyChanges have to become a quarter, without kinks a half, in each step.
	manyChanges = 48
	// heldTarget is the diagonal that stands for a target at a bound.
	heldTarget = 1e18
	// leastMultiplier tells zero multipliers from others, nearKink how far on
	// the wrong side a linear potential may be to be tried at its kink first.
	leastMultiplier = 1e-9
	nearKink        = 0.02
)

// shortFactor is what a factor may take: there is another way.
var shortFactor = sparse.Limits{Fill: 1 << 20, Work: 1 << 26}
