package problem

import "hinge/symbolic/lcqp"

// Line is a component of which hard equalities leave one target x, or none, whatever the
// neural outputs g are:
//
//	min  Quad·x² + Lin·x + Fixed + Σ_k cost_k(max(0, Coef_k·x + Constant_k + B_k·g)),  Lower ≤ x ≤ Upper,
//
// with the costs of the rows. Without x, Free is false, and all coefficients are 0.
type Line struct {
	Free                           bool
	Lower, Upper, Quad, Lin, Fixed float64
	// Targets of the component are Scale·x + Shift.
	Scale, Shift []float64
	Rows         []LineRow
}

// LineRow is a potential or, with Coef 0, any row.
type LineRow struct {
	Row            int32 // of the template
	Coef, Constant float64
}

// LineOf returns what component c is along its line, and false where it is none: more than
// one target is left, one with hard rows of its own, or equalities have neural outputs. in
// is an instance as NewInstance makes it.
func LineOf(in *lcqp.Instance, c int) (*Line, bool) {
	s, p := &Presolve{in: in, comp: &in.Components[c], Tol: NeverActive}, &Problem{}
	s.fixed = make([]bool, len(s.comp.Targets))
	s.lay = planOf(in.Template).layout(in.Template, c, s.fixed, ReduceMerged)
	l := s.lay
	if l.Free > 1 || !s.constants() || !s.targets(p) {
		return nil, false
	}
	for _, list := range [...][]link{l.chain, l.tree} {
		for _, e := range list {
			if row := s.comp.Rows[e.row]; in.DeepPtr[row] < in.DeepPtr[row+1] {
				return nil, false
			}
		}
	}
	x := &Line{Fixed: s.Primal, Scale: l.scale, Shift: s.shift}
	if x.Free = l.Free == 1; x.Free {
		x.Lower, x.Upper, x.Quad, x.Lin = p.Lower[0], p.Upper[0], p.Quad[0], p.Lin[0]
	}
	add := func(r int32, coef float64) {
		x.Rows = append(x.Rows, LineRow{s.comp.Rows[r], coef, s.constant(r)})
	}
	for n, r := range l.memberRow {
		if l.MemberKind[n] <= lcqp.HardEQ {
			return nil, false
		}
		add(r, l.memberCoef[n])
	}
	for _, r := range l.closed {
		add(r, 0)
	}
	return x, true
}
