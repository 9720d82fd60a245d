package problem

import (
	"math"
	"slices"

	"hinge/symbolic/lcqp"
)

// closedRows tests the hard rows without targets.
func (s *Presolve) closedRows() bool {
	s.rest = Resize(s.rest, len(s.closed))
	for n, r := range s.closed {
		s.rest[n] = s.constant(r)
		if mu := s.contradicts(s.in.Kinds[s.comp.Rows[r]], s.rest[n], s.rest[n]); mu != 0 {
			s.seed = append(s.seed, RowMultiplier{r, mu})
			return false
		}
	}
	return true
}

// contradicts returns the multiplier, ±1, that proves that a row with the given
// bounds over the box cannot hold, and 0 when it can.
func (s *Presolve) contradicts(kind lcqp.Kind, low, up float64) float64 {
	switch {
	case kind <= lcqp.HardEQ && low > s.Tol:
		return 1
	case kind == lcqp.HardEQ && up < -s.Tol:
		return -1
	}
	return 0
}

// keep passes on the rows that matter.
func (s *Presolve) keep(p *Problem) bool {
	l, in := s.lay, s.in
	members := s.members
	p.ResizeRows(l)
	p.SetRows(len(members))
	p.SidePtr = Resize(p.SidePtr, len(l.MemberPtr))
	s.at = Resize(s.at, len(l.memberRow))
	s.rows, s.copies = Resize(s.rows, len(members)), Resize(s.copies, len(members))
	drops, implied, count := l.level >= ReduceChains, l.implied, 0
	at := 0 // among members
	for f := range len(l.MemberPtr) - 1 {
		to := l.MemberPtr[f+1]
		first := count
		low, up := s.ranges.low[f], s.ranges.up[f]
		for ; at < len(members) && members[at] < to; at++ {
			n := members[at]
			r, coef, kind := l.memberRow[n], l.memberCoef[n], l.MemberKind[n]
			b := s.constant(r)
			most, least := coef*up, coef*low
			if coef < 0 {
				most, least = least, most
			}
			for len(implied) > 0 && implied[0].member <= n {
				if e := &implied[0]; e.member == n && s.constant(e.by) >= 0 {
					most -= e.amount * max(p.Upper[e.i]-p.Lower[e.j], 0)
				}
				implied = implied[1:]
			}
			if drops && kind != lcqp.HardEQ && b+most <= NeverActive {
				continue
			}
			weight, curv := in.RowCost(int(s.comp.Rows[r]))
			if kind > lcqp.HardEQ && curv == 0 {
				s.free = append(s.free, n)
				continue
			}
			if mu := s.contradicts(kind, b+least, b+most); mu != 0 {
				s.seed = append(s.seed, RowMultiplier{r, mu})
				return false
			}
			if drops && f < l.Free && kind > lcqp.HardEQ && b+least >= 0 {
				s.fold(p, f, n, b, weight, curv, coef)
				continue
			}
			if drops && f < l.Free && kind == lcqp.Square {
				if k := s.mirrored(p, first, count, b, curv, coef); k >= 0 {
					s.fold(p, f, n, b, 0, curv, coef)
					s.folded = append(s.folded, s.remove(p, k, count))
					count--
					continue
				}
			}
			if drops && count > first {
				if kind == lcqp.HardEQ && p.Kind[first] == lcqp.HardEQ && math.Abs(coef) <= math.Abs(p.Coef[first]) {
					// The form has its value already, at least as exactly.
					if s.conflicts(p, first, r, b, coef) {
						return false
					}
					s.at[n] = int32(-2 - first)
					s.doubles = append(s.doubles, n)
					continue
				}
				if s.merge(p, first, count, n, kind, b, weight, curv, coef) {
					s.kept = append(s.kept, n)
					continue
				}
			}
			s.kept = append(s.kept, n)
			s.at[n] = int32(count)
			p.Kind[count], p.B[count], p.Weight[count], p.Curv[count], p.Coef[count] = kind, b, weight, curv, coef
			s.rows[count], s.copies[count] = r, 1
			count++
		}
		p.SidePtr[f+1] = int32(count)
	}
	s.rows, s.copies = s.rows[:count], s.copies[:count]
	p.SetRows(count)
	return true
}

// fold makes member n, which is active wherever its target f may be or has a mirror image, a part
// of the target's own cost: (weight + curv·z)·z at all z = coef·y + b.
func (s *Presolve) fold(p *Problem, f int, n int32, b, weight, curv, coef float64) {
	p.Quad[f] += curv * coef * coef
	p.Lin[f] += (weight + 2*curv*b) * coef
	s.Primal += (weight + curv*b) * b
	s.folded = append(s.folded, n)
}

// mirrored returns the row of p from first to count whose square is that of −z where the given
// one's is that of z = coef·y + b, or −1: of the two, one is z² at each z.
func (s *Presolve) mirrored(p *Problem, first, count int, b, curv, coef float64) int {
	for k := count - 1; k >= max(first, count-twinsCompared); k-- {
		if p.Kind[k] == lcqp.Square && p.B[k] == -b && p.Coef[k] == -coef && p.Curv[k] == curv && s.copies[k] == 1 {
			return k
		}
	}
	return -1
}

// remove takes row k out of the count rows so far, all those after it being of the same
// left-hand side, and returns its member.
func (s *Presolve) remove(p *Problem, k, count int) (member int32) {
	for j := k; j < count-1; j++ {
		p.Kind[j], p.B[j], p.Weight[j], p.Curv[j], p.Coef[j] = p.Kind[j+1], p.B[j+1], p.Weight[j+1], p.Curv[j+1], p.Coef[j+1]
		s.rows[j], s.copies[j] = s.rows[j+1], s.copies[j+1]
	}
	for i := len(s.kept) - 1; ; i-- {
		n := s.kept[i]
		switch {
		case s.at[n] == int32(k):
			s.kept = slices.Delete(s.kept, i, i+1)
			return n
		case s.at[n] > int32(k):
			s.at[n]--
		}
	}
}

// conflicts reports whether an equality contradicts the equality of problem row k, which has
// the same left-hand side.
func (s *Presolve) conflicts(p *Problem, k int, r int32, b, coef float64) bool {
	d := b/coef - p.B[k]/p.Coef[k]
	if math.Abs(d*coef) <= s.Tol {
		return false
	}
	sign := math.Copysign(1, d)
	s.seed = append(s.seed, RowMultiplier{r, sign / coef}, RowMultiplier{s.rows[k], -sign / p.Coef[k]})
	return true
}

// merge adds member n to an equal one of the rows of p from first to count, if there
// is one: k equal potentials are one with k times the costs, also of the slack's
// regularisation, and a multiplier that they share.
func (s *Presolve) merge(p *Problem, first, count int, n int32, kind lcqp.Kind, b, weight, curv, coef float64) bool {
	for k := count - 1; k >= max(first, count-twinsCompared); k-- {
		if p.B[k] != b || p.Coef[k] != coef || p.Kind[k] != kind {
			continue
		}
		// Weights of different rules may differ.
		if c := float64(s.copies[k]); p.Weight[k] != c*weight || p.Curv[k] != c*curv {
			continue
		}
		s.copies[k]++
		c := float64(s.copies[k])
		p.Weight[k], p.Curv[k] = c*weight, c*curv
		s.at[n] = int32(k)
		return true
	}
	return false
}
