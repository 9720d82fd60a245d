package qp

import "math"

// exact is a sum that is as accurate as if it were added up with twice the digits: what
// rounding takes from sums and products is added up beside them (Ogita, Rump and Oishi,
// Accurate sum and dot product, 2005). The absolute residuals of a problem with values of
// 10¹¹ have to be known to 17 digits of these.
type exact struct{ high, low float64 }

// add adds v. Conversions keep a compiler from fusing operations.
func (s *exact) add(v float64) {
	t := s.high + v
	z := t - s.high
	s.low += (s.high - (t - z)) + (v - z)
	s.high = t
}

// mul adds a·b.
func (s *exact) mul(a, b float64) {
	p := float64(a * b)
	s.add(p)
	s.low += math.FMA(a, b, -p)
}

// value returns the sum.
func (s *exact) value() float64 { return s.high + s.low }

// short returns what the sum lacks of v, which may be infinite.
func (s exact) short(v float64) float64 {
	if math.IsInf(v, 0) {
		return v
	}
	s.high, s.low = -s.high, -s.low
	s.add(v)
	return s.value()
}
