package problem

// Tuning constants of presolve.

// NeverActive is the largest bound of a row over the box at which it is
// dropped. It is not 0, because rounding in b would then switch such rows on
// and off between two steps of learning.
const NeverActive = 1e-9

// narrow is the least width of the box of merged targets.
const narrow = 1e-7

// twinsCompared is how many rows of the same left-hand side are looked through for an
// equal one.
const twinsCompared = 6

// mergeRatio bounds the factor between two merged targets: steeper ones would
// make one of them inaccurate.
const mergeRatio = 16

// LongForm is the largest number of targets of a form that is not long: longer ones
// would couple all their targets in a Newton system.
const LongForm = 6

// remembered bounds the layouts kept of a component: one for each kind of
// inference that alternates, such as with and without labels.
const remembered = 4

const (
	// boundsLimit bounds the numbers kept in the activity bounds of a layout, and so the
	// size of components that have some.
	boundsLimit = 1 << 20
	// boundsLeast is the number of rows from which the look-up pays.
	boundsLeast = 64
)
