package ipm

import "hinge/symbolic/infer/internal/sparse"

// Tuning constants of the interior point method.

// patience is the number of iterations without progress after which steps
// begin to centre.
const patience = 3

// Where the iterate starts: multipliers relative to the costs, and the least
// distance of a row from its bound. With the power of the predictor's success that
// decides on centring they were chosen by the number of iterations over the models
// of the tests, where they are no sharp optimum.
const startMultiplier, startDistance = 0.3, 0.7

// nearEnd is the factor to the goal from which on directions are refined.
const nearEnd = 1e4

// proximal is δ: in one step a constraint may be off by δ times the change of
// its multiplier. Multipliers are of the order of the weights, so that δ is
// felt only where they would grow without bound.
const proximal = 1e-9

// largest is what a factor may take in the interior point method.
var largest = sparse.Limits{Fill: 1 << 26, Work: 1 << 36}

// subsetAccuracy is the gap, relative to 1e-3 + |dual|, at which the interior point
// method ends on a problem whose tolerance is not known, and the violation of
// the rows left out up to which they stay out.
const subsetAccuracy = 1e-10

// A subset begins with the rows whose activity is above −firstRows, those above
// −moreRows join it while others are violated, and after subsetRounds it is given up.
const (
	firstRows    = 0.1
	moreRows     = 0.02
	subsetRounds = 5
)
