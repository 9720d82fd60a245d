package lines

import (
	"math"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// hinge is a class that may matter to a program: its cost jump·s + curv·s² of
// s = max(0, a·x + b).
type hinge struct {
	a, b, jump, curv float64
	affine, class    int32
	matters          bool    // to the answer: s may be > 0
	at               float64 // where it begins
	slack, dual      float64 // the answer: s, and the sum of the multipliers
}

// cost returns jump and curv of a class by the sums of w and of ε over its rows of weights above 0.
func (c *class) cost(weight, epsilon float64) (jump, curv float64) {
	switch {
	case weight == 0:
		return 0, 0
	case c.kind == lcqp.Square:
		return 0, weight + epsilon
	}
	return weight, epsilon
}

// search is the search for a minimiser.
type search struct {
	hinges []hinge
	open   []int32 // those that begin where it may be
	// The derivative of all else is slope + rise·x.
	slope, rise float64
}

// minimize returns the minimiser of quad·x² + lin·x and the costs of hinges on [low, up],
// and sets the answers of the hinges. quad > 0.
//
// It keeps an interval that holds the minimiser. Of the hinges that begin inside, that in
// the middle of the list halves it, or the minimiser is there; what then begins outside
// matters on the whole interval, or nowhere.
func (s *search) minimize(low, up, quad, lin float64, hinges []hinge) float64 {
	s.hinges, s.open, s.slope, s.rise = hinges, problem.Resize(s.open, len(hinges)), lin, 2*quad
	n := 0
	for i := range hinges {
		h := &hinges[i]
		h.at, h.slack, h.dual = -h.b/h.a, 0, 0
		before, behind := less(h.at, low), less(up, h.at)
		s.open[n] = int32(i)
		n += int(1 ^ before ^ behind)
		s.close(h, before&less(0, h.a)|behind&less(h.a, 0))
	}
	s.open = s.open[:n]
	left, right := low, up
	for len(s.open) > 0 {
		t := hinges[s.open[len(s.open)/2]].at
		slope, before, after := s.at(t)
		switch {
		case t > low && slope+before > 0:
			right = t
			s.cut(t, 1)
		case t < up && slope+after < 0:
			left = t
			s.cut(t, -1)
		default:
			share := 0.0 // of the jumps at t: none where a bound holds x there
			if slope < 0 && t < up {
				share = min(-slope/after, 1)
			} else if slope > 0 && t > low {
				share = min(-slope/before, 1)
			}
			for _, i := range s.open {
				h := &hinges[i]
				if h.at != t {
					h.matters = (h.at < t) == (h.a > 0)
				} else if (h.a > 0) == (slope < 0) {
					h.dual = share * h.jump
				}
			}
			return finish(t, hinges)
		}
	}
	return finish(min(max(-s.slope/s.rise, left), right), hinges)
}

// at returns the derivative at t without the jumps at t, and what those add to it before
// and after t.
func (s *search) at(t float64) (slope, before, after float64) {
	slope = s.slope + s.rise*t
	for _, i := range s.open {
		h := &s.hinges[i]
		switch {
		case h.at != t:
			slope += where(1^less(h.at, t)^less(0, h.a), h.a*(h.jump+2*h.curv*(h.a*t+h.b)))
		case h.a > 0:
			after += h.a * h.jump
		default:
			before += h.a * h.jump
		}
	}
	return slope, before, after
}

// cut takes out of the list what begins at t or beyond, on the left (way −1) or the right (1).
func (s *search) cut(t, way float64) {
	n := 0
	for _, i := range s.open {
		h := &s.hinges[i]
		open := less(way*(h.at-t), 0)
		s.open[n] = i
		n += int(open)
		s.close(h, (1^open)&less(h.a*way, 0))
	}
	s.open = s.open[:n]
}

// close adds a hinge, if yes is 1, to the derivative: it matters wherever the minimiser may be.
func (s *search) close(h *hinge, yes uint64) {
	s.slope += where(yes, h.a*(h.jump+2*h.curv*h.b))
	s.rise += where(yes, 2*h.curv*h.a*h.a)
	h.matters = yes != 0
}

// where returns v where yes is 1 and 0 where it is 0, without a branch: half of those in a search
// would be taken by chance.
func where(yes uint64, v float64) float64 { return math.Float64frombits(math.Float64bits(v) & -yes) }

// finish sets the answers of the hinges that matter at x.
func finish(x float64, hinges []hinge) float64 {
	for i := range hinges {
		if h := &hinges[i]; h.matters {
			h.slack = max(h.a*x+h.b, 0)
			h.dual = h.jump + 2*h.curv*h.slack
		}
	}
	return x
}
