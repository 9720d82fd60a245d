package problem

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"hinge/symbolic/lcqp"
)

// activityBounds tells which rows of a component can matter, given all that presolve knows
// but the right-hand sides: a row whose b is at most its bound is inactive in
// the whole box, so that multiplier and slack are 0. With labels fixed, that is
// most rows; then a comparison a row takes the place of all other passes over
// them. Rows above the bound need not be active: those are looked at as if there
// were no bounds, so that results do not depend on them, bit for bit.
type activityBounds struct {
	shift, lower, upper []float64 // what the bounds are for
	closed              []float32 // by closed row of the layout
	member              []float32 // by member of the layout
}

// boundsCache holds the known bounds of a layout, by the hash of what they are for, such as
// each of a few hundred labels of an addition. It is safe for concurrent use.
type boundsCache struct {
	known  sync.Map // uint64 to *activityBounds
	values atomic.Int64
	// met are hashes that came along lately. The first time, bounds are not made
	// yet: values that never come back, as where targets follow from neural
	// outputs, are not worth them.
	met [256]atomic.Uint64
}

// find returns the bounds for what presolve has found so far, or nil.
func (c *boundsCache) find(s *Presolve, p *Problem) *activityBounds {
	hash := uint64(len(s.shift))
	for _, x := range [...][]float64{s.shift, p.Lower, p.Upper} {
		for _, v := range x {
			hash = mix(hash, math.Float64bits(v))
		}
	}
	if v, ok := c.known.Load(hash); ok {
		if r := v.(*activityBounds); slices.Equal(r.shift, s.shift) && slices.Equal(r.lower, p.Lower) && slices.Equal(r.upper, p.Upper) {
			return r
		}
	}
	if c.met[hash>>56].Swap(hash) != hash {
		return nil
	}
	r := newActivityBounds(s, p)
	if n := r.size(); c.values.Add(n) > boundsLimit {
		c.known.Clear()
		c.values.Store(n)
	}
	c.known.Store(hash, r)
	return r
}

func (r *activityBounds) size() int64 {
	return int64(len(r.shift) + len(r.lower) + len(r.upper) + len(r.closed) + len(r.member))
}

func newActivityBounds(s *Presolve, p *Problem) *activityBounds {
	l := s.lay
	r := &activityBounds{
		shift: slices.Clone(s.shift), lower: slices.Clone(p.Lower), upper: slices.Clone(p.Upper),
		closed: make([]float32, len(l.closed)), member: make([]float32, len(l.memberRow)),
	}
	for n, row := range l.closed {
		r.closed[n] = s.threshold(row, 0)
	}
	for f := range len(l.MemberPtr) - 1 {
		for n := l.MemberPtr[f]; n < l.MemberPtr[f+1]; n++ {
			coef := l.memberCoef[n]
			r.member[n] = s.threshold(l.memberRow[n], max(coef*s.ranges.low[f], coef*s.ranges.up[f]))
		}
	}
	return r
}

// threshold returns a bound of b up to which a row cannot be active, with most the
// largest value of its free part over the box. It lies below the exact one by more
// than the rounding of the sum, so that near the bound the sum decides.
func (s *Presolve) threshold(row int32, most float64) float32 {
	kind := s.in.Kinds[s.comp.Rows[row]]
	if kind == lcqp.HardEQ {
		return float32(math.Inf(-1))
	}
	total, size := most, 1+math.Abs(most)
	for _, m := range s.lay.movedOf(row) {
		v := m.val * s.shift[m.target]
		total += v
		size += math.Abs(v)
	}
	// size bounds the terms but b, which nearly cancels them.
	slack := 0.0
	if kind == lcqp.HardLE {
		slack = NeverActive / 2 // such a row holds
	}
	exact := slack - total - 1e-12*size
	c := float32(exact)
	if float64(c) > exact {
		c = math.Nextafter32(c, float32(math.Inf(-1)))
	}
	return c
}

// candidates lists the closed rows and the members that can matter: all of them
// where there are no bounds.
func (s *Presolve) candidates(p *Problem) {
	l := s.lay
	var r *activityBounds
	if rows := len(s.comp.Rows); l.level >= ReduceChains && rows >= boundsLeast && rows <= boundsLimit/8 {
		r = l.bounds.find(s, p)
	}
	s.closed, s.members = s.closed[:0], s.members[:0]
	if r == nil {
		s.closed = append(s.closed, l.closed...)
		for n := range l.memberRow {
			s.members = append(s.members, int32(n))
		}
		return
	}
	rows, b := s.comp.Rows, s.in.B
	for n, c := range r.closed {
		if row := l.closed[n]; !(b[rows[row]] <= float64(c)) { // true for NaN
			s.closed = append(s.closed, row)
		}
	}
	members := Resize(s.members, len(l.memberRow))
	kept := 0
	for n, row := range l.memberRow {
		if !(b[rows[row]] <= float64(r.member[n])) {
			members[kept] = int32(n)
			kept++
		}
	}
	s.members = members[:kept]
}
