package problem

import (
	"hinge/symbolic/lcqp"
)

// Finish writes the component's part of the solution and returns the raw
// energy and the value of everything the method did not see.
func (s *Presolve) Finish(p *Problem, sol *lcqp.Solution) (energy, constant float64) {
	in, l := s.in, s.lay
	s.pull = Resize(s.pull, len(s.comp.Targets))
	constant = s.Primal
	// First as if no row mattered, in the order in which they are kept.
	s.idle(sol)
	side, f := p.sides(), 0
	for _, n := range s.kept { // by left-hand side
		for n >= l.MemberPtr[f+1] {
			f++
		}
		k := s.at[n]
		mu, activity := p.Dual[k], p.Coef[k]*side[f]+p.B[k]
		if mu == 0 && activity <= 0 {
			continue
		}
		if c := s.copies[k]; c > 1 {
			mu /= float64(c)
		}
		energy += s.write(sol, s.comp.Rows[l.memberRow[n]], mu, max(activity, 0))
	}
	f = 0
	for _, n := range s.free {
		for n >= l.MemberPtr[f+1] {
			f++
		}
		r := l.memberRow[n]
		if activity := l.memberCoef[n]*side[f] + s.constant(r); activity > 0 {
			s.write(sol, s.comp.Rows[r], 0, activity)
		}
	}
	f = 0
	for _, n := range s.folded { // target by target
		for n >= l.MemberPtr[f+1] {
			f++
		}
		r := l.memberRow[n]
		row, slack := s.comp.Rows[r], max(l.memberCoef[n]*p.Y[f]+s.constant(r), 0)
		weight, curv := in.RowCost(int(row))
		energy += s.write(sol, row, weight+2*curv*slack, slack)
	}
	for n, r := range s.closed {
		row := s.comp.Rows[r]
		mu, slack := 0.0, 0.0
		if in.Kinds[row] > lcqp.HardEQ && s.rest[n] > 0 {
			slack = s.rest[n]
			weight, curv := in.RowCost(int(row))
			mu = weight + 2*curv*slack
			constant += (weight + curv*slack) * slack
		}
		energy += s.write(sol, row, mu, slack)
	}
	s.bounds(p, sol)
	return energy, constant
}

// idle gives all rows the multipliers and slacks of inactive ones.
func (s *Presolve) idle(sol *lcqp.Solution) {
	in := s.in
	for _, row := range s.comp.Rows {
		sol.Dual[row] = 0
		if j := int(row) - in.Constraints; j >= 0 {
			sol.Slack[j], sol.SlackDual[j] = 0, 0
			if in.Kinds[row] == lcqp.Linear {
				sol.SlackDual[j] = in.Weights[in.RuleOf[row]]
			}
		}
	}
}

// write stores multiplier and slack of a row and returns its raw energy.
func (s *Presolve) write(sol *lcqp.Solution, row int32, mu, slack float64) float64 {
	in := s.in
	sol.Dual[row] = mu
	kind := in.Kinds[row]
	if kind <= lcqp.HardEQ {
		return 0
	}
	j := int(row) - in.Constraints
	sol.Slack[j], sol.SlackDual[j] = slack, 0
	if kind == lcqp.Square {
		return in.Weights[in.RuleOf[row]] * slack * slack
	}
	weight, curv := in.RowCost(int(row))
	sol.SlackDual[j] = max(weight+2*curv*slack-mu, 0)
	return weight * slack
}

// bounds finds the targets, the multipliers of the rows that fixed or merged some of them,
// and the multipliers of the bounds.
func (s *Presolve) bounds(p *Problem, sol *lcqp.Solution) {
	in, l := s.in, s.lay
	p.gradient = Resize(p.gradient, p.Targets)
	p.Pull(p.Dual, p.gradient)
	for k, y := range p.Y {
		p.gradient[k] += 2 * p.Quad[k] * y
	}
	for i, t := range s.comp.Targets {
		if k := l.place[i]; k < 0 {
			sol.Y[t] = s.shift[i]
		} else {
			sol.Y[t] = min(max(l.scale[i]*p.Y[k]+s.shift[i], in.Lower[t]), in.Upper[t])
			s.pull[i] = p.gradient[k]
		}
	}
	if len(l.moved) > 0 || l.Free < len(l.place) {
		s.recover(p, sol)
	}
	for i, t := range s.comp.Targets {
		sol.LowerDual[t] = max(s.pull[i], 0)
		sol.UpperDual[t] = max(-s.pull[i], 0)
	}
}

// recover finds the multipliers of the rows that merged or fixed targets: each
// target in turn, last ones first, is made stationary by its row, unless a
// bound does it.
func (s *Presolve) recover(p *Problem, sol *lcqp.Solution) {
	in, l := s.in, s.lay
	for _, e := range l.chain {
		sol.Dual[s.comp.Rows[e.row]] = 0
	}
	for _, e := range l.tree {
		sol.Dual[s.comp.Rows[e.row]] = 0
	}
	for _, i := range l.movedTargets {
		t := s.comp.Targets[i]
		s.pull[i] = 2*(in.Epsilon+in.Prox[t])*sol.Y[t] - 2*in.Prox[t]*in.Center[t]
	}
	for _, members := range [...][]int32{s.kept, s.folded} {
		for _, n := range members {
			s.addMoved(sol, l.memberRow[n])
		}
	}
	for _, r := range s.closed {
		s.addMoved(sol, r)
	}
	for n := len(l.tree) - 1; n >= 0; n-- {
		e := l.tree[n]
		s.add(sol, e.row, -s.pull[e.child]/e.a)
	}
	// All is now with the roots. Where a bound of another target holds the
	// place, it goes there.
	for n, e := range l.tree {
		k := l.place[e.child]
		holder := s.lowHolder[k]
		if p.gradient[k] < 0 {
			holder = s.upHolder[k]
		}
		if s.leadsTo(n, holder) {
			s.add(sol, e.row, -s.pull[e.parent]/e.b)
		}
	}
	for n := len(l.chain) - 1; n >= 0; n-- {
		e := l.chain[n]
		t := s.comp.Targets[e.child]
		if y, pull := sol.Y[t], s.pull[e.child]; pull > 0 && y <= in.Lower[t] || pull < 0 && y >= in.Upper[t] {
			continue
		}
		s.add(sol, e.row, -s.pull[e.child]/e.a)
	}
}

// addMoved adds what a row pulls at the targets that were fixed or merged.
func (s *Presolve) addMoved(sol *lcqp.Solution, r int32) {
	if mu := sol.Dual[s.comp.Rows[r]]; mu != 0 {
		for _, m := range s.lay.movedOf(r) {
			s.pull[m.target] += m.val * mu
		}
	}
}

// leadsTo reports whether target i is the child of link n or follows it.
func (s *Presolve) leadsTo(n int, i int32) bool {
	tree := s.lay.tree
	child := tree[n].child
	for m := len(tree) - 1; m >= n && i != child; m-- {
		if tree[m].child == i {
			i = tree[m].parent
		}
	}
	return i == child
}

// add adds mu to the multiplier of a row.
func (s *Presolve) add(sol *lcqp.Solution, r int32, mu float64) {
	row := s.comp.Rows[r]
	sol.Dual[row] += mu
	s.scatter(row, mu)
}

// scatter adds mu times a row to pull.
func (s *Presolve) scatter(row int32, mu float64) {
	in := s.in
	for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
		s.pull[in.Local[in.Col[j]]] += in.Val[j] * mu
	}
}

// RecoveryError returns the largest product of a bound's multiplier and the
// distance from the bound over the targets that were fixed by equalities or
// merged. It is rounding, but long chains with small coefficients can blow
// multipliers up.
func (s *Presolve) RecoveryError(sol *lcqp.Solution) float64 {
	e := 0.0
	for _, i := range s.lay.movedTargets {
		t := s.comp.Targets[i]
		e = Worst(e, sol.LowerDual[t]*(sol.Y[t]-s.in.Lower[t]))
		e = Worst(e, sol.UpperDual[t]*(s.in.Upper[t]-sol.Y[t]))
	}
	return e
}
