package dualascent

// Tuning constants of block ascent and its Newton steps.

// farOut is how far multipliers go along a ray on which the dual grows without
// end, so that its growth outweighs everything else.
const farOut = 1e8

// memory is the number of sweeps that are combined, leastChange what is added to the
// squares of their changes, relative to the sum of them: changes that are alike would
// lead far astray.
const (
	memory      = 6
	leastChange = 1e-12
)

const (
	// smallSystem is the order of a Newton system up to which steps are tried for long.
	smallSystem = 64
	// nearEdge is how near, relative to its scale, a value in a jump of its
	// curve counts as being on the edge. M then uses the curvature beyond the
	// edge: if the step goes there, it is right, and if not, the dual is less
	// curved than M says and the line search goes further. The other choice
	// would stop the line search at once, over and over.
	nearEdge = 1e-9
)
