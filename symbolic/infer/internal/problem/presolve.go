package problem

import (
	"math"
	"slices"

	"hinge/symbolic/lcqp"
)

// Presolve reduces one connected component to the Problem a method sees. What
// follows from the pattern is in the layout; here are the values:
//
//   - targets with Lower = Upper become constants;
//   - a hard equality with one free target fixes it, and so on in a chain;
//   - a hard equality of two free targets makes one of them follow the other;
//   - rows without free targets are closed: slack and multiplier follow from
//     their constant (this alone solves latent inference with all labels
//     fixed);
//   - rows that no point of the box can activate are dropped with multiplier 0,
//     and so are hard rows that others imply;
//   - rows of rules of weight 0 are dropped, and only their slack is computed;
//   - equal rows are merged;
//   - potentials of a single target that are active in the whole box, and pairs of squared ones
//     that mirror each other, are folded into the cost of the target.
//
// The method's answer is mapped back to every original row (postsolve.go). A
// contradiction found on the way yields a Farkas certificate.
type Presolve struct {
	in   *lcqp.Instance
	comp *lcqp.Component
	lay  *Layout
	Tol  float64 // by how much a row may be violated or a target leave its box

	// By target of the component.
	fixed []bool
	shift []float64
	pull  []float64
	rest  []float64 // of closed rows that can matter: see constant
	// By place: the targets whose bounds the place has.
	lowHolder, upHolder []int32

	rows   []int32 // component row of each problem row
	copies []int32 // members that each problem row stands for
	at     []int32 // problem row of each member of the layout that is kept
	// closed rows and members that can matter.
	closed, members []int32
	// Members whose rows are in the problem, and equalities that another one of
	// the same left-hand side stands for (at is −2 − its problem row).
	kept, doubles []int32
	folded        []int32 // members that are in the cost of their targets
	free          []int32 // members of rules of weight 0, whose slack costs nothing
	ranges        ranges
	seed          []RowMultiplier
	Primal        float64 // value of fixed targets and of the constant terms of others
}

// RowMultiplier is a row of the component and its multiplier in a certificate.
type RowMultiplier struct {
	Row int32
	Mu  float64
}

// Run reduces component c into p, as far as level says. It returns false when
// the component is infeasible; certificate then has the proof.
func (s *Presolve) Run(in *lcqp.Instance, c int, level Reduction, p *Problem) bool {
	s.in, s.comp = in, &in.Components[c]
	p.Stats, p.Near = Stats{}, false
	s.fixed = Resize(s.fixed, len(s.comp.Targets))
	for i, t := range s.comp.Targets {
		s.fixed[i] = in.Lower[t] >= in.Upper[t]
	}
	plan := planOf(in.Template)
	s.lay = plan.layout(in.Template, c, s.fixed, level)
	if s.reduce(p) {
		return true
	}
	if len(s.lay.tree) == 0 {
		return false
	}
	// Merged targets have no room, or none that could be told from rounding,
	// or there is a contradiction: find out, or prove it, without merging.
	s.lay = plan.layout(in.Template, c, s.fixed, ReduceChains)
	return s.reduce(p)
}

func (s *Presolve) reduce(p *Problem) bool {
	s.rows, s.copies, s.seed = s.rows[:0], s.copies[:0], s.seed[:0]
	s.kept, s.doubles, s.folded, s.free = s.kept[:0], s.doubles[:0], s.folded[:0], s.free[:0]
	if !s.constants() || !s.targets(p) {
		return false
	}
	s.ranges.update(s.lay, p.Lower, p.Upper)
	s.candidates(p)
	feasible := s.closedRows() && s.keep(p)
	if len(s.members) > boundsLimit { // the room is wanted elsewhere
		s.members, s.ranges = nil, ranges{}
		for _, v := range []*[]float64{&p.B, &p.Weight, &p.Curv, &p.Coef, &p.Dual} {
			*v = slices.Clone(*v) // without the rows that have gone
		}
		s.rows, s.copies = slices.Clone(s.rows), slices.Clone(s.copies)
	}
	return feasible
}

// constants computes shift. It returns false when a hard equality puts
// a target outside its box.
func (s *Presolve) constants() bool {
	in, l := s.in, s.lay
	s.shift = Resize(s.shift, len(s.comp.Targets))
	for i, t := range s.comp.Targets {
		s.shift[i] = 0
		if s.fixed[i] {
			s.shift[i] = in.Lower[t]
		}
	}
	for _, e := range l.chain {
		t := s.comp.Targets[e.child]
		y := -s.constant(e.row) / e.a
		if lo, up := in.Lower[t], in.Upper[t]; y < lo-s.Tol || y > up+s.Tol {
			mu := 1 / e.a // the row then is y_t − y, and y_t is greater than it
			if y > up {
				mu = -mu
			}
			s.seed = append(s.seed, RowMultiplier{e.row, mu})
			return false
		}
		s.shift[e.child] = min(max(y, in.Lower[t]), in.Upper[t])
	}
	for _, e := range l.tree {
		s.shift[e.child] = -s.constant(e.row) / e.a // the child's own shift is 0 so far
	}
	return true
}

// constant returns b of a row plus the part of the fixed and merged targets, as far as
// their shifts are known.
func (s *Presolve) constant(r int32) float64 {
	v := s.in.B[s.comp.Rows[r]]
	for _, m := range s.lay.movedOf(r) {
		v += m.val * s.shift[m.target]
	}
	return v
}

// targets fills the targets of p. It returns false when merged targets have no
// room left.
func (s *Presolve) targets(p *Problem) bool {
	in, l := s.in, s.lay
	p.ResizeTargets(l.Free)
	s.Primal = 0
	s.lowHolder, s.upHolder = Resize(s.lowHolder, l.Free), Resize(s.upHolder, l.Free)
	clear(p.Quad)
	clear(p.Lin)
	for k := range p.Lower {
		p.Lower[k], p.Upper[k] = math.Inf(-1), math.Inf(1)
	}
	for i, t := range s.comp.Targets {
		rho, c := in.Prox[t], in.Center[t]
		quad, lin := in.Epsilon+rho, -2*rho*c
		scale, d := l.scale[i], s.shift[i]
		s.Primal += rho * c * c
		s.Primal += (quad*d + lin) * d
		k := l.place[i]
		if k < 0 {
			continue
		}
		p.Quad[k] += quad * scale * scale
		p.Lin[k] += (lin + 2*quad*d) * scale
		low, up := (in.Lower[t]-d)/scale, (in.Upper[t]-d)/scale
		if scale < 0 {
			low, up = up, low
		}
		if low > p.Lower[k] {
			p.Lower[k], s.lowHolder[k] = low, int32(i)
		}
		if up < p.Upper[k] {
			p.Upper[k], s.upHolder[k] = up, int32(i)
		}
	}
	for k := range p.Lower {
		if s.Merged() && !(p.Upper[k]-p.Lower[k] > narrow) {
			return false
		}
	}
	return true
}

// Merged reports whether equalities have merged targets.
func (s *Presolve) Merged() bool { return len(s.lay.tree) > 0 }

// Release lets go of the caller's data.
func (s *Presolve) Release() { s.in, s.comp, s.lay, s.ranges.lay = nil, nil, nil, nil }

// ranges holds the range of each left-hand side of a layout over a box. Components
// that share a layout often have the same box, so the last ones are kept.
type ranges struct {
	lay          *Layout
	lower, upper []float64
	low, up      []float64 // as counted by MemberPtr
}

func (r *ranges) update(l *Layout, lower, upper []float64) {
	if r.lay == l && slices.Equal(r.lower, lower) && slices.Equal(r.upper, upper) {
		return
	}
	r.lay = l
	r.lower, r.upper = append(r.lower[:0], lower...), append(r.upper[:0], upper...)
	r.low, r.up = append(r.low[:0], lower...), append(r.up[:0], upper...)
	for k := range l.Forms.Len() {
		low, up := l.Forms.bounds(k, lower, upper)
		r.low, r.up = append(r.low, low), append(r.up, up)
	}
}

// bounds returns the range of a_g·y over a box.
func (g *Forms) bounds(k int, lower, upper []float64) (low, up float64) {
	for j := g.Ptr[k]; j < g.Ptr[k+1]; j++ {
		a, i := g.Val[j], g.Col[j]
		if a > 0 {
			low += a * lower[i]
			up += a * upper[i]
		} else {
			low += a * upper[i]
			up += a * lower[i]
		}
	}
	return low, up
}

// Start fills the starting point of p from multipliers and targets of the template,
// either of which may be empty.
func (s *Presolve) Start(p *Problem, dual, y []float64) {
	clear(p.Dual)
	if len(dual) > 0 {
		for _, n := range s.kept {
			k, mu := s.at[n], dual[s.comp.Rows[s.lay.memberRow[n]]]
			if p.Kind[k] != lcqp.HardEQ {
				mu = max(mu, 0)
			}
			p.Dual[k] += mu
		}
		for _, n := range s.doubles {
			k := -2 - s.at[n]
			p.Dual[k] += dual[s.comp.Rows[s.lay.memberRow[n]]] * s.lay.memberCoef[n] / p.Coef[k]
		}
	}
	for i, t := range s.comp.Targets {
		k := s.lay.place[i]
		if k < 0 {
			continue
		}
		if len(y) > 0 {
			p.Y[k] = min(max((y[t]-s.shift[i])/s.lay.scale[i], p.Lower[k]), p.Upper[k])
		} else {
			p.Y[k] = (p.Lower[k] + p.Upper[k]) / 2
		}
	}
}
