package dualascent

import (
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/sparse"
)

// model is the quadratic model of the dual over the groups W
//
//	q(d) = f·d − ½ dᵀMd  with λ + d within its domain.
type model struct {
	d, low, high []float64 // step and its domain
	r            []float64 // residual f − M·d
	trial        []float64
	free         []int32 // positions in W that are solved for
	rhs          []float64
}

// maximise computes a step d that (nearly) maximises the model: rounds of
// projected Gauss–Seidel, which find out which multipliers end at the border
// of the domain, and of an exact solve over the others. q never falls, so the
// step is uphill. It returns false when there is none.
func (w *newton) maximise(x *Ascent, p *problem.Problem) bool {
	m, n := &w.model, len(w.active)
	for _, v := range []*[]float64{&m.d, &m.low, &m.high, &m.r, &m.trial} {
		*v = problem.Resize(*v, n)
	}
	clear(m.d)
	for r, k := range w.active {
		low, high := x.rows.limits(int(k))
		m.low[r], m.high[r] = low-x.lambda[k], high-x.lambda[k]
	}
	for range 2 {
		w.gaussSeidel(2)
		if w.subspace(p) {
			break
		}
	}
	return w.gain() > 0
}

// gain is the slope of the dual along d.
func (w *newton) gain() float64 { return sparse.Dot(w.f, w.model.d) }

// gaussSeidel makes sweeps of exact, projected coordinate steps on the model.
func (w *newton) gaussSeidel(sweeps int) {
	m, s := &w.model, &w.system
	s.spread(m.d)
	for range sweeps {
		for r := range m.d {
			step := (w.f[r] - s.row(r, m.d[r])) / s.pivot[r]
			d := min(max(m.d[r]+step, m.low[r]), m.high[r])
			if step = d - m.d[r]; step != 0 {
				m.d[r] = d
				s.add(r, step)
			}
		}
	}
	w.residual()
}

// subspace solves for the positions off the border with the others held and
// goes to the solution, as far as the model rises. It returns true when d then
// maximises the model.
func (w *newton) subspace(p *problem.Problem) bool {
	m := &w.model
	m.free, m.rhs = m.free[:0], m.rhs[:0]
	for r, d := range m.d {
		if d > m.low[r] && d < m.high[r] {
			m.free = append(m.free, int32(r))
			m.rhs = append(m.rhs, m.r[r])
		}
	}
	w.system.solve(p, m.free, m.rhs)
	// The projected step, if it is higher than where we are; else the longest
	// straight one.
	copy(m.trial, m.d)
	clipped, longest := false, 1.0
	for a, r := range m.free {
		d := m.d[r] + m.rhs[a]
		if d < m.low[r] || d > m.high[r] {
			clipped = true
			end := m.low[r]
			if d > end {
				end = m.high[r]
			}
			longest = min(longest, (end-m.d[r])/m.rhs[a])
			d = end
		}
		m.trial[r] = d
	}
	before := w.value()
	m.d, m.trial = m.trial, m.d
	w.residual()
	if !clipped {
		for r, d := range m.d {
			if d <= m.low[r] && m.r[r] > 0 || d >= m.high[r] && m.r[r] < 0 {
				return false
			}
		}
		return true
	}
	if w.value() <= before {
		m.d, m.trial = m.trial, m.d
		for a, r := range m.free {
			m.d[r] = min(max(m.d[r]+longest*m.rhs[a], m.low[r]), m.high[r])
		}
		w.residual()
	}
	return false
}

// residual recomputes r = f − M·d.
func (w *newton) residual() {
	m, s := &w.model, &w.system
	s.spread(m.d)
	for r, d := range m.d {
		m.r[r] = w.f[r] - s.row(r, d)
	}
}

// value returns q(d) = ½ (f + r)·d.
func (w *newton) value() float64 {
	return (sparse.Dot(w.f, w.model.d) + sparse.Dot(w.model.r, w.model.d)) / 2
}
