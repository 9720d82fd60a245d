package kkt

import (
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/sparse"
)

// leastTheta replaces the θ of a form without weight.
const leastTheta = 1e-30

// mostPairs is the number of pairs of targets that a matrix without a factor may couple.
const mostPairs = 1 << 27

// Matrix is a matrix with values and factors. Use: start, set, factor,
// solve.
type Matrix struct {
	*Layout
	slots    []int32 // of the values by form, in order: its pairs, or its entries if it is separate
	sparse   sparse.LDL
	of       *Layout       // that sparse is ordered for
	need     sparse.Limits // of its factor
	analysed bool
	inexact  bool // solved with by conjugate gradients, without a factor
}

// Start takes the layout of a problem, made on first use. floor is the least magnitude of
// a pivot. It returns false when the factor would exceed the limits.
func (m *Matrix) Start(p *problem.Problem, floor float64, l sparse.Limits) bool {
	m.Layout = Of(p.Layout)
	if m.of != m.Layout {
		m.of, m.analysed, m.inexact, m.need = m.Layout, false, false, sparse.Limits{}
	}
	if !m.need.Within(l) {
		return false
	}
	m.sparse.Workers, m.sparse.Late = p.Workers, p.Late
	m.analysed = m.analysed || m.analyse(p.Forms, l)
	m.sparse.Pivot = floor
	return m.analysed
}

// StartInexact does what Start does, without a factor and its limits: solutions are
// approximate. It returns false if some forms are separate, so that the matrix is not
// definite, or couple too many targets.
func (m *Matrix) StartInexact(p *problem.Problem) bool {
	m.Layout = Of(p.Layout)
	if m.of == m.Layout && m.inexact {
		return true
	}
	if len(m.Forms) > 0 || m.coupled(p.Forms) > mostPairs {
		return false
	}
	if m.of != m.Layout {
		m.of, m.need = m.Layout, sparse.Limits{}
	}
	m.analysed, m.inexact = false, true
	m.sparse.Reset(m.N)
	m.slots = m.edges(p.Forms, m.slots[:0], m.sparse.Edge)
	m.sparse.Approximate()
	return true
}

// Need returns the size and work of the factor, zero before its pattern is known.
func (m *Matrix) Need() sparse.Limits { return m.need }

// Krylov returns the number of iterations that approximate solutions have taken.
func (m *Matrix) Krylov() int { return m.sparse.Iterations }

// coupled returns the number of pairs of targets that the forms in H couple.
func (m *Matrix) coupled(g *problem.Forms) (pairs float64) {
	for k, e := range m.Apart {
		if n := float64(g.Ptr[k+1] - g.Ptr[k]); e < 0 {
			pairs += n * (n - 1) / 2
		}
	}
	return pairs
}

// analyse prepares the factorisation.
func (m *Matrix) analyse(g *problem.Forms, l sparse.Limits) bool {
	if pairs := m.coupled(g); l.Fill > 0 && pairs > 4*l.Fill {
		m.need.Fill = pairs
		return false
	}
	m.inexact = false
	m.sparse.Reset(m.N)
	m.slots = m.edges(g, m.slots[:0], m.sparse.Edge)
	fits := m.sparse.Analyse(l)
	if m.need = m.sparse.Need(); m.sparse.Stopped() {
		m.need = sparse.Limits{}
	}
	if !fits {
		m.sparse, m.slots = sparse.LDL{}, nil // the room is wanted elsewhere
		return false
	}
	for i := range m.sparse.Sign {
		m.sparse.Sign[i] = 1
		if i >= m.targets {
			m.sparse.Sign[i] = -1
		}
	}
	return true
}

// Factor computes the factors of the present values.
func (m *Matrix) Factor() { m.sparse.Factor() }

// Stopped reports whether the problem's Late has ended the last factor.
func (m *Matrix) Stopped() bool { return m.sparse.Stopped() }

// Solve overwrites x by the solution.
func (m *Matrix) Solve(x []float64) { m.sparse.Solve(x) }

// SolveFor writes the solution for a right-hand side to x; if exact is true, with one step of iterative
// refinement for the values that Set was given. r is scratch.
func (m *Matrix) SolveFor(g *problem.Forms, diagonal, theta, rhs, x, r []float64, exact bool) {
	copy(x, rhs)
	m.Solve(x)
	if exact {
		m.Residual(g, diagonal, theta, x, rhs, r)
		m.Solve(r)
		for i, v := range r {
			x[i] += v
		}
	}
}

// Set fills the matrix: diagonal by target, plus θ_g·a_g·a_gᵀ of each form, or −1/θ_g for
// separate forms.
func (m *Matrix) Set(g *problem.Forms, diagonal, theta []float64) {
	diag, out := m.sparse.Diag, m.sparse.Val
	clear(out)
	copy(diag, diagonal)
	for e, k := range m.Forms {
		th := theta[k]
		diag[m.targets+e] = -1 / max(th, leastTheta)
		if th != 0 {
			val := g.Val[g.Ptr[k]:g.Ptr[k+1]]
			for j, slot := range m.slots[m.slotPtr[k]:m.slotPtr[k+1]] {
				out[slot] += val[j]
			}
		}
	}
	for _, k := range m.within[:m.pairs] {
		th := theta[k]
		a, b, v := g.Pair(k)
		w := th * v
		diag[a] += th
		diag[b] += w * v
		out[m.slots[m.slotPtr[k]]] += w
	}
	for _, k := range m.within[m.pairs:] {
		th := theta[k]
		if th == 0 {
			continue
		}
		col, val := g.Col[g.Ptr[k]:g.Ptr[k+1]], g.Val[g.Ptr[k]:g.Ptr[k+1]]
		next := m.slotPtr[k]
		for a, c := range col {
			w := th * val[a]
			diag[c] += w * val[a]
			for _, v := range val[:a] {
				out[m.slots[next]] += w * v
				next++
			}
		}
	}
}

// Residual writes rhs − K·x into r for the values that set was given.
func (m *Matrix) Residual(g *problem.Forms, diagonal, theta, x, rhs, r []float64) {
	for i, d := range diagonal {
		r[i] = rhs[i] - d*x[i]
	}
	for e, k := range m.Forms {
		th, at := theta[k], m.targets+e
		lambda := x[at]
		if th == 0 {
			r[at] = rhs[at] + lambda/leastTheta
			continue
		}
		r[at] = rhs[at] - g.Apply(int(k), x) + lambda/max(th, leastTheta)
		g.Spread(int(k), -lambda, r)
	}
	for _, k := range m.within {
		if th := theta[k]; th != 0 {
			g.Spread(int(k), -th*g.Apply(int(k), x), r)
		}
	}
}
