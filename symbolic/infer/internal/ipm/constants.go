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

// resumed is the product of the factors where a warm start resumes, relative to the gap of
// its point shared out.
const resumed = 3

// nearEnd is the factor to the goal from which on directions are refined.
const nearEnd = 1e4

// proximal is δ: in one step a constraint may be off by δ times the change of
// its multiplier. Multipliers are of the order of the weights, so that δ is
// felt only where they would grow without bound.
const proximal = 1e-9

// Largest is the largest factor that the interior point method accepts.
var Largest = sparse.Limits{Fill: 1 << 27, Work: 1 << 36}
