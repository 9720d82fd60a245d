package activeset

// Tuning constants of both active set methods.

// smallTargets is the size of a small component.
const smallTargets = 700

// Of the parametric method.
const (
	// largestSet is the largest W. Each breakpoint takes time in proportion to
	// its square.
	largestSet = 96
	// mostRows is the number of rows up to which W is looked for.
	mostRows = 4000
	// offBounds is by how much rows and multipliers may be on the wrong side.
	offBounds = 1e-11
	// A row counts as a combination of others if elimination leaves less than dependent of it,
	// relative to its square.
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
	// mostSteps bounds the steps: three to six do as a rule.
	mostSteps = 12
	// Where more than fewChanges rows, and one of farAway, are to change state in a step,
	// the old solution is far away.
	fewChanges, farAway = 8, 8
	// Where more than manyChanges are made, at a rate at which more than mostLeft steps are
	// left, the method seldom ends: images of 10⁶ terms make 1,900 changes, 730, 360, 200 and
	// then more again.
	manyChanges, mostLeft = 100, 6
	// patience is the number of steps in which changes have to become half as many. One
	// change that is left in eachLeft targets can be repaired, so that patienceNear is
	// enough: chains of 10⁶ terms take .30 of a solve from zero, with patience .55. With ten
	// times as many left, images take longer to repair than from zero.
	patience, patienceNear, eachLeft = 3, 2, 5000
	// mostTight is the number of tight rows for each free target up to which an inexact point
	// is polished. Beyond it the multipliers are not unique and the states of rows change without
	// end: of 256 sums of two digits with the outputs of a trained network, none of 186 with more
	// settled, while all points of the suite's families that did had at most 1.6.
	mostTight = 1.75
	// Of a large inexact point one state in eachPolished may be wrong: with more, as many change
	// in each step, and a factor is made for nothing.
	eachPolished = 10000
	// off is by how much a state may be wrong at the end, offStep before: rows that are
	// tied by others as well are off by what proximal leaves.
	off, offStep = 1e-11, 1e-7
	// offTight is the largest error of a tight row at the end. If bounds hold all of its
	// targets, its error can persist, and its multiplier then grows with each step.
	offTight = 1e-7
	// heldTarget is the diagonal entry of a target that is held at a bound.
	heldTarget = 1e18
	// leastMultiplier tells the multipliers of bounds from rounding.
	leastMultiplier = 1e-6
)
