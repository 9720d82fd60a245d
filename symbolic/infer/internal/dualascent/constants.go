package dualascent

// Tuning constants of block ascent and its Newton steps.

// farOut is how far multipliers go along a ray on which the dual grows without
// end, so that its growth outweighs everything else.
const farOut = 1e8

// manyCurves is the number of curves from which on a search, whose cost is the
// number of curves times that of breakpoints, is started close to its end.
const manyCurves = 24

// breakpointLimit is the largest number of curves along which the line search stops
// at every breakpoint. With more of them it brackets the maximum instead.
const breakpointLimit = 400

// Where another way costs little, it costs as much as a few steps of large systems:
// they are made only from a residual as small as cheapResidual. Small ones are
// given up when the residual has not halved in cheapPatience of them.
const (
	cheapResidual = 1e-3
	cheapPatience = 4
)

const (
	// denseLimit is the largest system that is factored as a dense matrix.
	denseLimit = 64
	// sparseLimit bounds the rows of the sparse factorisation, whose order is
	// found again in each step, fillLimit the entries of its factor and
	// workLimit the multiplications.
	sparseLimit = 4000
	fillLimit   = 1 << 18
	workLimit   = 1 << 25
	// nearEdge is how near, relative to its scale, a value in a jump of its
	// curve counts as being on the edge. M then uses the curvature beyond the
	// edge: if the step goes there, it is right, and if not, the dual is less
	// curved than M says and the line search goes further. The other choice
	// would stop the line search at once, over and over.
	nearEdge = 1e-9
)

// heldDiagonal stands in for removing the row and column of a held position.
const heldDiagonal = 1e30
