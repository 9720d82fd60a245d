package evaluate

import "math"

// tie is the difference below which two values count as the same: solvers and a small ε move the
// values of an optimum by less. The reference compares within 1e-6, too.
const tie = 1e-6

// Value returns an inferred value v as it is compared and printed: the nearest multiple of 1e-6.
func Value(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// AsLarge reports whether v, one of some values of which largest is the largest, ties with it.
func AsLarge(v, largest float64) bool { return v+tie >= largest }

// Positive reports whether a value v counts as true at a threshold: Value(v) ≥ Value(threshold).
// So an atom whose optimum is at the threshold is true, on whichever side of it a solver ends.
func Positive(v, threshold float64) bool { return Value(v) >= Value(threshold) }
