package kkt

import (
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/sparse"
)

// Matrix is a matrix with values and factors. Use: start, set, factor,
// solve.
type Matrix struct {
	*Layout
	diag  []float64 // by unknown
	val   []float64
	floor float64 // least magnitude of a pivot; smaller or wrong ones are replaced

	slots, sparseSlots []int32
	d                  []float64 // of the trunk
	low                []float64 // entries of the leaves over their pivots
	inverse            []float64 // of the leaves' pivots
	work               []float64
	sparse             sparse.LDL
	of                 *Layout       // that sparse is ordered for
	need               sparse.Limits // of its factor
	analysed           bool
}

// Start takes the layout of a problem, made on first use. It returns false when
// the factor would exceed the limits.
func (m *Matrix) Start(p *problem.Problem, floor float64, l sparse.Limits) bool {
	m.Layout = Of(p.Layout)
	m.floor = floor
	m.diag = problem.Resize(m.diag, m.N)
	if m.IsArrow {
		m.slots = m.Layout.slots
		m.val = problem.Resize(m.val, m.trunk*m.trunk+len(m.leafRow))
		m.low = problem.Resize(m.low, len(m.leafRow))
		m.inverse = problem.Resize(m.inverse, len(m.leaves))
		m.d, m.work = problem.Resize(m.d, m.trunk), problem.Resize(m.work, m.trunk)
		return true
	}
	if m.of != m.Layout {
		m.of, m.analysed, m.need = m.Layout, false, sparse.Limits{}
	}
	if !m.need.Within(l) {
		return false
	}
	m.analysed = m.analysed || m.analyse(p.Forms, l)
	m.slots, m.sparse.Pivot, m.val = m.sparseSlots, floor, m.sparse.Val
	return m.analysed
}

// analyse prepares the sparse factorisation.
func (m *Matrix) analyse(g *problem.Forms, l sparse.Limits) bool {
	pairs := 0.0
	for k, e := range m.Apart {
		if n := float64(g.Ptr[k+1] - g.Ptr[k]); e < 0 {
			pairs += n * (n - 1) / 2
		}
	}
	if l.Fill > 0 && pairs > 4*l.Fill {
		m.need.Fill = pairs
		return false
	}
	m.sparse.Reset(m.N)
	m.sparseSlots = m.addSlots(g, m.sparseSlots[:0], m.sparse.Edge)
	fits := m.sparse.Analyse(l)
	m.need = m.sparse.Need()
	if !fits {
		m.sparse, m.sparseSlots = sparse.LDL{}, nil // the room is wanted elsewhere
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

// Factor computes the factors of the present values, which it may destroy.
func (m *Matrix) Factor() {
	if !m.IsArrow {
		copy(m.sparse.Diag, m.diag)
		m.sparse.Factor()
		return
	}
	n := m.trunk
	a, e := m.val[:n*n], m.val[n*n:]
	for i := range m.N {
		if t := int(m.place[i]); t >= 0 {
			a[t*n+t] += m.diag[i]
		}
	}
	for leaf, i := range m.leaves {
		from, to := m.leafPtr[leaf], m.leafPtr[leaf+1]
		inv := 1 / max(m.diag[i], m.floor)
		m.inverse[leaf] = inv
		rows, v, l := m.leafRow[from:to], e[from:to], m.low[from:to]
		for j, r := range rows {
			w := v[j] * inv
			l[j] = w
			row := a[int(r)*n : int(r)*n+n]
			for k := range j + 1 {
				row[rows[k]] -= w * v[k]
			}
		}
	}
	for i := range n {
		ri := a[i*n : i*n+i+1]
		for j := 1; j < i; j++ {
			ri[j] -= sparse.Dot(ri[:j], a[j*n:j*n+j])
		}
		// ri holds L·D; divide and take the pivot.
		d := ri[i]
		for j, w := range ri[:i] {
			l := w * m.d[j]
			ri[j] = l
			d -= l * w
		}
		if i < m.trunk-len(m.Forms) {
			d = max(d, m.floor)
		} else {
			d = min(d, -m.floor)
		}
		m.d[i] = 1 / d
	}
}

// Solve overwrites x by the solution.
func (m *Matrix) Solve(x []float64) {
	if !m.IsArrow {
		m.sparse.Solve(x)
		return
	}
	n, w := m.trunk, m.work
	a, e := m.val[:n*n], m.val[n*n:]
	for i, t := range m.place {
		if t >= 0 {
			w[t] = x[i]
		}
	}
	from := int32(0)
	for leaf, i := range m.leaves {
		v, to := x[i], m.leafPtr[leaf+1]
		low := m.low[from:to]
		for j, r := range m.leafRow[from:to] {
			w[r] -= low[j] * v
		}
		from = to
	}
	for i := 1; i < n; i++ {
		w[i] -= sparse.Dot(a[i*n:i*n+i], w[:i])
	}
	for i := range w {
		w[i] *= m.d[i]
	}
	for i := n - 1; i > 0; i-- {
		v := w[i]
		for j, l := range a[i*n : i*n+i] {
			w[j] -= l * v
		}
	}
	for i, t := range m.place {
		if t >= 0 {
			x[i] = w[t]
		}
	}
	from = 0
	for leaf, i := range m.leaves {
		v, to := x[i], m.leafPtr[leaf+1]
		entries := e[from:to]
		for j, r := range m.leafRow[from:to] {
			v -= entries[j] * w[r]
		}
		x[i] = v * m.inverse[leaf]
		from = to
	}
}

// Set fills the matrix: diagonal by target, plus θ_g·a_g·a_gᵀ of each form, or
// −1/θ_g for forms apart.
func (m *Matrix) Set(g *problem.Forms, diagonal, theta []float64) {
	clear(m.val)
	copy(m.diag, diagonal)
	diag, out := m.diag, m.val
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
	for _, k := range m.within {
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
