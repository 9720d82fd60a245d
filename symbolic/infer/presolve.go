package infer

import (
	"math"

	"hinge/symbolic/lcqp"
)

// presolve reduces one connected component to the Problem a method sees and
// maps the method's answer back to every original row. Reductions:
//
//   - targets with Lower = Upper become constants;
//   - a hard equality with one free target fixes it, and so on in a chain;
//   - rows without free targets are closed: slack and multiplier follow from
//     their constant (this alone solves latent inference with all labels
//     fixed);
//   - rows that no point of the box can activate are dropped with multiplier 0.
//
// A contradiction found on the way yields a Farkas certificate.
type presolve struct {
	in   *lcqp.Instance
	comp *lcqp.Component
	full bool    // all reductions, not only those of fixed targets
	tol  float64 // by how much a row may be violated or a target leave its box

	// By target of the template; only those of the component are valid.
	fixed []bool
	value []float64 // of fixed targets
	index []int32   // of the free targets in the problem
	pull  []float64
	// By row of the component.
	count []int32   // free targets
	rest  []float64 // b plus the fixed targets' part
	state []rowState

	queue []int32
	chain []fixing
	rows  []int32 // component row of each problem row

	seed   []fixing // rows and multipliers that start a certificate
	primal float64  // value of closed rows and fixed targets
}

type rowState uint8

const (
	rowKept    rowState = iota // passed on to the method
	rowClosed                  // no free target
	rowDropped                 // never active
	rowFixing                  // hard equality that fixed a target
)

// fixing is a row of the component together with the target it fixed (chain)
// or its multiplier (seed).
type fixing struct {
	row    int32
	target int32
	mu     float64
}

// neverActive is the largest bound of a row over the box at which it is
// dropped. It is not 0, because rounding in b would then switch such rows on
// and off between two steps of learning.
const neverActive = 1e-9

// run reduces the component into p. It returns false when the component is
// infeasible; certificate then has the proof.
func (s *presolve) run(in *lcqp.Instance, comp *lcqp.Component, p *Problem) bool {
	s.in, s.comp = in, comp
	n, m := in.Targets, len(comp.Rows)
	s.fixed, s.value, s.index, s.pull = resize(s.fixed, n), resize(s.value, n), resize(s.index, n), resize(s.pull, n)
	s.count, s.rest, s.state = resize(s.count, m), resize(s.rest, m), resize(s.state, m)
	s.queue, s.chain, s.rows, s.seed = s.queue[:0], s.chain[:0], s.rows[:0], s.seed[:0]
	s.primal = 0
	p.Stats = Stats{}
	for _, t := range comp.Targets {
		s.value[t] = in.Lower[t]
		s.fixed[t] = in.Lower[t] >= in.Upper[t]
	}
	for r := range comp.Rows {
		if !s.classify(int32(r)) {
			return false
		}
	}
	if !s.fixByEqualities() {
		return false
	}
	s.build(p)
	return true
}

// classify finds the state of a row from the fixed targets and the box. It
// returns false for a hard row that cannot hold anywhere in the box.
func (s *presolve) classify(r int32) bool {
	in := s.in
	row := s.comp.Rows[r]
	from, to := in.Ptr[row], in.Ptr[row+1]
	col, val := in.Col[from:to], in.Val[from:to]
	rest, count := in.B[row], int32(0)
	low, up := 0.0, 0.0
	for j, t := range col {
		a := val[j]
		if s.fixed[t] {
			rest += a * s.value[t]
			continue
		}
		count++
		if a > 0 {
			low += a * in.Lower[t]
			up += a * in.Upper[t]
		} else {
			low += a * in.Upper[t]
			up += a * in.Lower[t]
		}
	}
	s.rest[r], s.count[r], s.state[r] = rest, count, rowKept
	kind := in.Kinds[row]
	if kind <= lcqp.HardEQ {
		mu := 0.0
		if rest+low > s.tol {
			mu = 1
		} else if kind == lcqp.HardEQ && rest+up < -s.tol {
			mu = -1
		}
		if mu != 0 {
			s.seed = append(s.seed, fixing{row: r, mu: mu})
			return false
		}
	}
	switch {
	case count == 0:
		s.state[r] = rowClosed
	case s.full && kind == lcqp.HardEQ && count == 1:
		s.queue = append(s.queue, r)
	case s.full && kind != lcqp.HardEQ && rest+up <= neverActive:
		s.state[r] = rowDropped
	}
	return true
}

// fixByEqualities works off the hard equalities with one free target.
func (s *presolve) fixByEqualities() bool {
	in := s.in
	for len(s.queue) > 0 {
		r := s.queue[len(s.queue)-1]
		s.queue = s.queue[:len(s.queue)-1]
		if s.count[r] != 1 || s.state[r] == rowFixing {
			continue // another equality fixed the target meanwhile
		}
		row := s.comp.Rows[r]
		j := in.Ptr[row]
		for s.fixed[in.Col[j]] {
			j++
		}
		t := in.Col[j]
		// In the box up to the tolerance, or the row would not be here.
		s.value[t] = min(max(-s.rest[r]/in.Val[j], in.Lower[t]), in.Upper[t])
		s.fixed[t] = true
		s.state[r] = rowFixing
		s.chain = append(s.chain, fixing{row: r, target: t})
		for c := in.ColPtr[t]; c < in.ColPtr[t+1]; c++ {
			if other := in.RowLocal[in.ColRow[c]]; s.state[other] != rowFixing && !s.classify(other) {
				return false
			}
		}
	}
	return true
}

// build copies what is left into p.
func (s *presolve) build(p *Problem) {
	in := s.in
	n := 0
	for _, t := range s.comp.Targets {
		if !s.fixed[t] {
			s.index[t] = int32(n)
			n++
		}
	}
	p.resizeTargets(n)
	for _, t := range s.comp.Targets {
		rho, c := in.Prox[t], in.Center[t]
		quad, lin := in.Epsilon+rho, -2*rho*c
		s.primal += rho * c * c
		if s.fixed[t] {
			s.primal += (quad*s.value[t] + lin) * s.value[t]
			continue
		}
		k := s.index[t]
		p.Quad[k], p.Lin[k], p.Lower[k], p.Upper[k] = quad, lin, in.Lower[t], in.Upper[t]
	}
	p.resizeRows()
	for r, row := range s.comp.Rows {
		if s.state[r] != rowKept {
			continue
		}
		s.rows = append(s.rows, int32(r))
		weight, curv := s.cost(row)
		p.addRow(in.Kinds[row], s.rest[r], weight, curv)
		for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
			if t := in.Col[j]; !s.fixed[t] {
				p.Col = append(p.Col, s.index[t])
				p.Val = append(p.Val, in.Val[j])
			}
		}
		p.Ptr = append(p.Ptr, int32(len(p.Col)))
	}
	p.Rows = len(p.Kind)
	p.transpose()
}

// cost returns the coefficients of weight·s + curv·s² of a potential.
func (s *presolve) cost(row int32) (weight, curv float64) {
	switch s.in.Kinds[row] {
	case lcqp.Square:
		return 0, s.in.Weights[s.in.RuleOf[row]] + s.in.Epsilon
	case lcqp.Linear:
		return s.in.Weights[s.in.RuleOf[row]], s.in.Epsilon
	}
	return 0, 0
}

// start fills the starting point of p from a warm state.
func (s *presolve) start(p *Problem, w *Warm) {
	if w == nil || len(w.Dual) == 0 {
		clear(p.Dual)
	} else {
		for k, r := range s.rows {
			mu := w.Dual[s.comp.Rows[r]]
			if p.Kind[k] != lcqp.HardEQ {
				mu = max(mu, 0)
			}
			p.Dual[k] = mu
		}
	}
	for _, t := range s.comp.Targets {
		if s.fixed[t] {
			continue
		}
		k := s.index[t]
		if w != nil && len(w.Y) > 0 {
			p.Y[k] = min(max(w.Y[t], p.Lower[k]), p.Upper[k])
		} else {
			p.Y[k] = (p.Lower[k] + p.Upper[k]) / 2
		}
	}
}

// finish writes the component's part of the solution and returns the raw
// energy and the value of everything the method did not see.
func (s *presolve) finish(p *Problem, sol *lcqp.Solution) (energy, constant float64) {
	in := s.in
	for _, t := range s.comp.Targets {
		if s.fixed[t] {
			sol.Y[t] = s.value[t]
		} else {
			sol.Y[t] = p.Y[s.index[t]]
		}
		s.pull[t] = 2*(in.Epsilon+in.Prox[t])*sol.Y[t] - 2*in.Prox[t]*in.Center[t]
	}
	constant = s.primal
	k := 0
	for r, row := range s.comp.Rows {
		mu, slack := 0.0, 0.0
		kind := in.Kinds[row]
		switch s.state[r] {
		case rowKept:
			mu = p.Dual[k]
			if kind > lcqp.HardEQ {
				slack = max(p.Activity(k, p.Y), 0)
			}
			k++
		case rowClosed:
			if kind > lcqp.HardEQ && s.rest[r] > 0 {
				slack = s.rest[r]
				weight, curv := s.cost(row)
				mu = weight + 2*curv*slack
				constant += (weight + curv*slack) * slack
			}
		}
		sol.Dual[row] = mu
		if mu != 0 {
			s.scatter(row, mu)
		}
		if kind <= lcqp.HardEQ {
			continue
		}
		j := int(row) - in.Constraints
		sol.Slack[j], sol.SlackDual[j] = slack, 0
		w := in.Weights[in.RuleOf[row]]
		if kind == lcqp.Square {
			energy += w * slack * slack
		} else {
			energy += w * slack
			sol.SlackDual[j] = max(w+2*in.Epsilon*slack-mu, 0)
		}
	}
	// The equality that fixed a target carries what the other rows leave of
	// its stationarity, unless a bound can; later links of the chain come
	// first.
	for n := len(s.chain) - 1; n >= 0; n-- {
		f := s.chain[n]
		row := s.comp.Rows[f.row]
		sol.Dual[row] = 0
		if y, pull := s.value[f.target], s.pull[f.target]; pull > 0 && y <= in.Lower[f.target] ||
			pull < 0 && y >= in.Upper[f.target] {
			continue
		}
		mu := -s.pull[f.target] / s.coefficient(row, f.target)
		sol.Dual[row] = mu
		s.scatter(row, mu)
	}
	for _, t := range s.comp.Targets {
		sol.LowerDual[t] = max(s.pull[t], 0)
		sol.UpperDual[t] = max(-s.pull[t], 0)
	}
	return energy, constant
}

// chainError returns the largest product of a bound's multiplier and the
// distance from the bound over the targets fixed by equalities. It is rounding,
// but long chains with small coefficients can blow multipliers up.
func (s *presolve) chainError(sol *lcqp.Solution) float64 {
	e := 0.0
	for _, f := range s.chain {
		t := f.target
		e = worst(e, sol.LowerDual[t]*(sol.Y[t]-s.in.Lower[t]))
		e = worst(e, sol.UpperDual[t]*(s.in.Upper[t]-sol.Y[t]))
	}
	return e
}

// scatter adds mu times a row to pull.
func (s *presolve) scatter(row int32, mu float64) {
	in := s.in
	for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
		s.pull[in.Col[j]] += in.Val[j] * mu
	}
}

// coefficient returns the entry of a row at a target.
func (s *presolve) coefficient(row, target int32) float64 {
	in := s.in
	for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
		if in.Col[j] == target {
			return in.Val[j]
		}
	}
	panic("infer: the row does not hold the target it fixed")
}

// certificate turns multipliers of hard rows (seed) into a certificate in
// original terms: columns of targets that were fixed by equalities are
// cancelled with those equalities, last link first.
func (s *presolve) certificate() *Certificate {
	mu := make([]float64, len(s.comp.Rows))
	for _, t := range s.comp.Targets {
		s.pull[t] = 0
	}
	for _, f := range s.seed {
		mu[f.row] += f.mu
		s.scatter(s.comp.Rows[f.row], f.mu)
	}
	for n := len(s.chain) - 1; n >= 0; n-- {
		f := s.chain[n]
		row := s.comp.Rows[f.row]
		d := -s.pull[f.target] / s.coefficient(row, f.target)
		mu[f.row] += d
		s.scatter(row, d)
	}
	largest := 0.0
	for _, v := range mu {
		largest = max(largest, math.Abs(v))
	}
	// Multipliers that only rounding has left would name rows without need;
	// but the proof comes first.
	for _, least := range [...]float64{1e-6, 0} {
		c := &Certificate{}
		for r, v := range mu {
			if math.Abs(v) > least*largest {
				c.Rows = append(c.Rows, s.comp.Rows[r])
				c.Mu = append(c.Mu, v/largest)
			}
		}
		if least == 0 || c.Margin(s.in) > 0 {
			return c
		}
	}
	return nil
}
