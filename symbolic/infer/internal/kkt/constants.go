package kkt

// Tuning constants of the Newton systems.

const (
	arrowLimit  = 700 // most targets of an arrow
	trunkLimit  = 128 // largest trunk
	leafEntries = 24  // most entries of a leaf
)

// leastTheta stands for the θ of a form without weight.
const leastTheta = 1e-30
