package problem

import (
	"math"
	"time"
)

// Point is the value of a primal–dual point of one component as the stop rule
// sees it.
type Point struct {
	Primal, Dual, Violation float64
	// Product is the largest |μ·(a·y + b)| of a hard row. Where violations and
	// multipliers of both signs cancel in primal − dual, it does not.
	Product float64
	// Stationarity is the largest error in the stationarity of a potential's
	// slack, relative to max(1, Weight, Curv), or of a target: there it is the
	// multiplier of a bound, which makes up for the error, times the distance
	// from that bound.
	Stationarity float64
}

// Finite reports whether the values are numbers.
func (v *Point) Finite() bool {
	x := v.Primal + v.Dual + v.Violation + v.Stationarity
	return !math.IsNaN(x) && !math.IsInf(v.Primal, 0)
}

// Gap is the duality gap, or a larger product.
func (v *Point) Gap() float64 { return Worst(math.Abs(v.Primal-v.Dual), v.Product) }

// Tolerance is the stop rule: how exact a point has to be. It is the only one;
// parts of a problem, and methods that hand over to others, use a share of it.
type Tolerance struct {
	// The gap may be relative·(offset + |dual + constant|), or absolute if that
	// is more. constant is what presolve has set aside of primal and dual value.
	Relative, Absolute, Offset, Constant float64
	Violation, Stationarity              float64
}

// Almost is the tolerance of AlmostSolved.
func Almost(constant float64) *Tolerance {
	return &Tolerance{Relative: 1e-6, Offset: 1, Constant: constant, Violation: 1e-6, Stationarity: 1e-6}
}

// Allowed returns the gap allowed at a dual value.
func (t *Tolerance) Allowed(dual float64) float64 { return t.AllowedAt(dual + t.Constant) }

// AllowedAt returns the gap allowed at a value that has the constant.
func (t *Tolerance) AllowedAt(value float64) float64 {
	return max(t.Relative*(t.Offset+math.Abs(value)), t.Absolute)
}

// Met reports whether a point is within a share of the tolerance.
func (t *Tolerance) Met(v *Point, share float64) bool {
	return t.MetButGap(v, share) && v.Gap() <= share*t.Allowed(v.Dual)
}

// MetButGap is Met without the gap.
func (t *Tolerance) MetButGap(v *Point, share float64) bool {
	return v.Violation <= share*t.Violation && v.Stationarity <= share*t.Stationarity
}

// Excess is how many times too large the worst is of what the rule looks at.
func (t *Tolerance) Excess(v *Point) float64 {
	return Worst(Worst(v.Violation/t.Violation, v.Stationarity/t.Stationarity), v.Gap()/t.Allowed(v.Dual))
}

// Worst is max(a, b) that lets NaN through from either side.
func Worst(a, b float64) float64 {
	if math.IsNaN(b) || b > a {
		return b
	}
	return a
}

// Deadline is when to end with the point that is reached: at a time, unless it is
// zero, and as soon as a channel is closed, unless it is nil.
type Deadline struct {
	At   time.Time
	Stop <-chan struct{}
}

// Passed reports whether it is time to end.
func (d *Deadline) Passed() bool {
	select {
	case <-d.Stop:
		return true
	default:
		return !d.At.IsZero() && time.Now().After(d.At)
	}
}

// Open reports whether there is no deadline.
func (d *Deadline) Open() bool { return d.At.IsZero() && d.Stop == nil }
