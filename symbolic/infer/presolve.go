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

	fixed  []bool
	value  []float64 // of fixed targets
	index  []int32   // of the free targets in the problem
	count  []int32   // free targets of each row
	rest   []float64 // b plus the fixed targets' part
	state  []rowState
	queue  []int32
	chain  []fixing
	rows   []int32 // component row of each problem row
	pulled []float64

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
	n, m := len(comp.Targets), len(comp.Rows)
	s.fixed, s.value, s.index = resize(s.fixed, n), resize(s.value, n), resize(s.index, n)
	s.count, s.rest, s.state = resize(s.count, m), resize(s.rest, m), resize(s.state, m)
	s.pulled = resize(s.pulled, n)
	s.queue, s.chain, s.rows, s.seed = s.queue[:0], s.chain[:0], s.rows[:0], s.seed[:0]
	s.primal = 0
	for i, t := range comp.Targets {
		s.value[i] = in.Lower[t]
		s.fixed[i] = in.Lower[t] >= in.Upper[t]
	}
	for r, row := range comp.Rows {
		rest, count := in.B[row], int32(0)
		for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
			if i := in.Local[in.Col[j]]; s.fixed[i] {
				rest += in.Val[j] * s.value[i]
			} else {
				count++
			}
		}
		s.rest[r], s.count[r], s.state[r] = rest, count, rowKept
		if s.full && count == 1 && in.Kinds[row] == lcqp.HardEQ {
			s.queue = append(s.queue, int32(r))
		}
	}
	return s.fixByEqualities() && s.closeRows() && s.build(p)
}

// fixByEqualities works off the hard equalities with one free target.
func (s *presolve) fixByEqualities() bool {
	in := s.in
	for len(s.queue) > 0 {
		r := s.queue[len(s.queue)-1]
		s.queue = s.queue[:len(s.queue)-1]
		if s.count[r] != 1 {
			continue // another equality fixed the target meanwhile
		}
		row := s.comp.Rows[r]
		j := in.Ptr[row]
		for s.fixed[in.Local[in.Col[j]]] {
			j++
		}
		t := in.Col[j]
		i, a := in.Local[t], in.Val[j]
		v := -s.rest[r] / a
		if low, up := in.Lower[t]-v, v-in.Upper[t]; low > s.tol || up > s.tol {
			mu := 1.0
			if (a > 0) == (up > 0) {
				mu = -1
			}
			s.seed = append(s.seed, fixing{row: r, mu: mu})
			return false
		}
		v = min(max(v, in.Lower[t]), in.Upper[t])
		s.fixed[i], s.value[i] = true, v
		s.state[r] = rowFixing
		s.chain = append(s.chain, fixing{row: r, target: i})
		for c := in.ColPtr[t]; c < in.ColPtr[t+1]; c++ {
			other := in.RowLocal[in.ColRow[c]]
			s.rest[other] += in.ColVal[c] * v
			s.count[other]--
			if s.count[other] == 1 && in.Kinds[in.ColRow[c]] == lcqp.HardEQ {
				s.queue = append(s.queue, other)
			}
		}
	}
	return true
}

// closeRows settles rows without free targets and drops rows that cannot be
// active; a hard row that cannot hold anywhere in the box ends the solve.
func (s *presolve) closeRows() bool {
	in := s.in
	for r, row := range s.comp.Rows {
		if s.state[r] == rowFixing {
			continue
		}
		low, up := s.rest[r], s.rest[r]
		if s.count[r] > 0 {
			for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
				t, a := in.Col[j], in.Val[j]
				if s.fixed[in.Local[t]] {
					continue
				}
				if a > 0 {
					low, up = low+a*in.Lower[t], up+a*in.Upper[t]
				} else {
					low, up = low+a*in.Upper[t], up+a*in.Lower[t]
				}
			}
		}
		kind := in.Kinds[row]
		if kind <= lcqp.HardEQ {
			if low > s.tol {
				s.seed = append(s.seed, fixing{row: int32(r), mu: 1})
				return false
			}
			if kind == lcqp.HardEQ && up < -s.tol {
				s.seed = append(s.seed, fixing{row: int32(r), mu: -1})
				return false
			}
		}
		switch {
		case s.count[r] == 0:
			s.state[r] = rowClosed
		case s.full && kind != lcqp.HardEQ && up <= neverActive:
			s.state[r] = rowDropped
		}
	}
	return true
}

// build copies what is left into p.
func (s *presolve) build(p *Problem) bool {
	in := s.in
	n := 0
	for i := range s.comp.Targets {
		if !s.fixed[i] {
			s.index[i] = int32(n)
			n++
		}
	}
	p.resizeTargets(n)
	for i, t := range s.comp.Targets {
		rho, c := in.Prox[t], in.Center[t]
		quad, lin := in.Epsilon+rho, -2*rho*c
		s.primal += rho * c * c
		if s.fixed[i] {
			s.primal += (quad*s.value[i] + lin) * s.value[i]
			continue
		}
		k := s.index[i]
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
			if i := in.Local[in.Col[j]]; !s.fixed[i] {
				p.Col = append(p.Col, s.index[i])
				p.Val = append(p.Val, in.Val[j])
			}
		}
		p.Ptr = append(p.Ptr, int32(len(p.Col)))
	}
	p.Rows = len(p.Kind)
	p.transpose()
	return true
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
	for i, t := range s.comp.Targets {
		if s.fixed[i] {
			continue
		}
		k := s.index[i]
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
	for i, t := range s.comp.Targets {
		if s.fixed[i] {
			sol.Y[t] = s.value[i]
		} else {
			sol.Y[t] = p.Y[s.index[i]]
		}
		s.pulled[i] = 2*(in.Epsilon+in.Prox[t])*sol.Y[t] - 2*in.Prox[t]*in.Center[t]
	}
	constant = s.primal
	k := 0
	for r, row := range s.comp.Rows {
		mu, activity := 0.0, math.Inf(-1)
		weight, curv := s.cost(row)
		potential := in.Kinds[row] > lcqp.HardEQ
		switch s.state[r] {
		case rowKept:
			mu = p.Dual[k]
			if potential {
				activity = p.Activity(k, p.Y)
			}
			k++
		case rowClosed:
			activity = s.rest[r]
			if potential && activity > 0 {
				mu = weight + 2*curv*activity
				constant += (weight + curv*activity) * activity
			}
		}
		sol.Dual[row] = mu
		if mu != 0 {
			s.scatter(row, mu)
		}
		if !potential {
			continue
		}
		slack := max(activity, 0)
		sol.Slack[int(row)-in.Constraints] = slack
		if in.Kinds[row] == lcqp.Square {
			energy += in.Weights[in.RuleOf[row]] * slack * slack
			sol.SlackDual[int(row)-in.Constraints] = 0
		} else {
			energy += weight * slack
			sol.SlackDual[int(row)-in.Constraints] = max(weight+2*curv*slack-mu, 0)
		}
	}
	// The equality that fixed a target carries what the other rows leave of
	// its stationarity; later links of the chain come first.
	for n := len(s.chain) - 1; n >= 0; n-- {
		f := s.chain[n]
		row := s.comp.Rows[f.row]
		mu := -s.pulled[f.target] / s.coefficient(row, f.target)
		sol.Dual[row] = mu
		s.scatter(row, mu)
	}
	for i, t := range s.comp.Targets {
		sol.LowerDual[t] = max(s.pulled[i], 0)
		sol.UpperDual[t] = max(-s.pulled[i], 0)
	}
	return energy, constant
}

func (s *presolve) scatter(row int32, mu float64) {
	in := s.in
	for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
		s.pulled[in.Local[in.Col[j]]] += in.Val[j] * mu
	}
}

// coefficient returns the entry of a row at a target of the component.
func (s *presolve) coefficient(row, target int32) float64 {
	in := s.in
	for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
		if in.Local[in.Col[j]] == target {
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
	clear(s.pulled)
	for _, f := range s.seed {
		mu[f.row] += f.mu
		s.scatter(s.comp.Rows[f.row], f.mu)
	}
	for n := len(s.chain) - 1; n >= 0; n-- {
		f := s.chain[n]
		row := s.comp.Rows[f.row]
		d := -s.pulled[f.target] / s.coefficient(row, f.target)
		mu[f.row] += d
		s.scatter(row, d)
	}
	largest := 0.0
	for _, v := range mu {
		largest = max(largest, math.Abs(v))
	}
	c := &Certificate{}
	for r, v := range mu {
		if v != 0 {
			c.Rows = append(c.Rows, s.comp.Rows[r])
			c.Mu = append(c.Mu, v/largest)
		}
	}
	return c
}
