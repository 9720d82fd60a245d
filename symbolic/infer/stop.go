package infer

import "math"

// Point is the value of a primal–dual point of one component as the stop rule
// sees it.
type point struct {
	primal, dual, violation float64
	// product is the largest |μ·(a·y + b)| of a hard row. Where violations and
	// multipliers of both signs cancel in primal − dual, it does not.
	product float64
	// stationarity is the largest error in the stationarity of a potential's
	// slack, relative to max(1, Weight, Curv), or of a target: there it is the
	// multiplier of a bound, which makes up for the error, times the distance
	// from that bound.
	stationarity float64
}

// gap is the duality gap, or a larger product.
func (v *point) gap() float64 { return worst(math.Abs(v.primal-v.dual), v.product) }

// tolerance is the stop rule: how exact a point has to be. It is the only one;
// parts of a problem, and methods that hand over to others, use a share of it.
type tolerance struct {
	// The gap may be relative·(offset + |dual + constant|), or absolute if that
	// is more. constant is what presolve has set aside of primal and dual value.
	relative, absolute, offset, constant float64
	violation, stationarity              float64
}

// almost is the tolerance of AlmostSolved.
func almost(constant float64) *tolerance {
	return &tolerance{relative: 1e-6, offset: 1, constant: constant, violation: 1e-6, stationarity: 1e-6}
}

// allowed returns the gap allowed at a dual value, allowedAt that at a value with
// the constant.
func (t *tolerance) allowed(dual float64) float64 { return t.allowedAt(dual + t.constant) }

func (t *tolerance) allowedAt(value float64) float64 {
	return max(t.relative*(t.offset+math.Abs(value)), t.absolute)
}

// met tells whether a point is within a share of the tolerance.
func (t *tolerance) met(v *point, share float64) bool {
	return t.metBut(v, share) && v.gap() <= share*t.allowed(v.dual)
}

// metBut is met without the gap.
func (t *tolerance) metBut(v *point, share float64) bool {
	return v.violation <= share*t.violation && v.stationarity <= share*t.stationarity
}

// excess is how many times too large the worst is of what the rule looks at.
func (t *tolerance) excess(v *point) float64 {
	return worst(worst(v.violation/t.violation, v.stationarity/t.stationarity), v.gap()/t.allowed(v.dual))
}

// worst is max(a, b) that lets NaN through from either side.
func worst(a, b float64) float64 {
	if math.IsNaN(b) || b > a {
		return b
	}
	return a
}
