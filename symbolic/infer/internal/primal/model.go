package primal

import "hinge/symbolic/infer/internal/problem"

// model is a quadratic component with its numbers: ½ yᵀHy + f·y, H = diag + val.
type model struct {
	*structure
	diag, f []float64
	val     []float64

	known []*structure // the last ones met, the newest first
}

// build reads p and tells whether it is quadratic.
func (m *model) build(p *problem.Problem) bool {
	if !m.recall(p) {
		return false
	}
	m.diag, m.f, m.val = problem.Resize(m.diag, p.Targets), problem.Resize(m.f, p.Targets), problem.Resize(m.val, len(m.col))
	for i, q := range p.Quad {
		m.diag[i], m.f[i] = 2*q, p.Lin[i]
	}
	for _, q := range m.squares {
		c, b := 2*p.Curv[q.row], p.B[q.row]
		for j := p.Ptr[q.row]; j < p.Ptr[q.row+1]; j++ {
			u, a := p.Col[j], p.Val[j]
			m.diag[u] += c * a * a
			m.f[u] += c * a * b
		}
	}
	for _, t := range m.terms {
		v := 2 * p.Curv[t.row] * t.product
		m.val[t.at], m.val[t.back] = v, v
	}
	for n := range m.blocks {
		if b := &m.blocks[n]; b.row >= 0 {
			b.b = -p.B[b.row]
		}
	}
	return true
}

// recall finds p's structure among the known ones, or makes it.
func (m *model) recall(p *problem.Problem) bool {
	for n, s := range m.known {
		if s.fits(p) && s.holds(p) {
			copy(m.known[1:n+1], m.known[:n])
			m.known[0], m.structure = s, s
			return true
		}
	}
	s := newStructure(p)
	if s == nil {
		return false
	}
	if p.Targets >= worthKnowing {
		if len(m.known) == maxKnown {
			m.known = m.known[:maxKnown-1]
		}
		m.known = append([]*structure{s}, m.known...)
	}
	m.structure = s
	return true
}
