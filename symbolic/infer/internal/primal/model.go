package primal

import (
	"cmp"
	"slices"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// model is a quadratic component: ½ yᵀHy + f·y over the blocks.
type model struct {
	// H has the diagonal diag and, off it, val at the columns col, by row; a pair of
	// targets may have several entries.
	diag, inverse, f []float64
	ptr, col         []int32
	val              []float64

	blocks []block   // partition the targets
	of     []int32   // block of each target
	theta  []float64 // curvature of each left-hand side
	rows   []int32   // scratch
}

// build reads p and reports whether it is quadratic.
func (m *model) build(p *problem.Problem) bool {
	if !m.split(p) {
		return false
	}
	m.diag, m.inverse, m.f = problem.Resize(m.diag, p.Targets), problem.Resize(m.inverse, p.Targets), problem.Resize(m.f, p.Targets)
	for i, q := range p.Quad {
		m.diag[i], m.f[i] = 2*q, p.Lin[i]
	}
	if !m.pair(p) || !m.couple(p.Forms) {
		return false
	}
	for i, d := range m.diag {
		m.inverse[i] = 1 / d
	}
	return true
}

// split puts the targets of each hard equality into a block and every other target into
// one of its own. It fails when a row is neither a hard equality nor a square, or when
// equalities share targets.
func (m *model) split(p *problem.Problem) bool {
	if slices.ContainsFunc(p.Kind, func(k lcqp.Kind) bool { return k != lcqp.Square && k != lcqp.HardEQ }) {
		return false
	}
	m.of, m.blocks = problem.Resize(m.of, p.Targets), m.blocks[:0]
	for i := range m.of {
		m.of[i] = -1
	}
	g := p.Forms
	for f := range len(p.SidePtr) - 1 {
		for k := p.SidePtr[f]; k < p.SidePtr[f+1]; k++ {
			if p.Kind[k] != lcqp.HardEQ {
				continue
			}
			from, to := g.Ptr[f-p.Targets], g.Ptr[f-p.Targets+1]
			b := block{row: int(k), targets: g.Col[from:to], a: g.Val[from:to], b: -p.B[k] / p.Coef[k]}
			for _, i := range b.targets {
				if m.of[i] >= 0 {
					return false
				}
				m.of[i] = int32(len(m.blocks))
			}
			m.blocks = append(m.blocks, b)
		}
	}
	for i, of := range m.of {
		if of < 0 {
			m.of[i] = int32(len(m.blocks))
			m.blocks = append(m.blocks, block{row: -1, targets: []int32{int32(i)}})
		}
	}
	return true
}

// pair makes squares of the rows of each left-hand side, a·z + b with its mirror image, and
// adds them to f and, as the curvature theta of the left-hand side, to H. It fails when a
// row has no mirror image and is not always active.
func (m *model) pair(p *problem.Problem) bool {
	m.theta = problem.Resize(m.theta, len(p.SidePtr)-1)
	place := func(k int32) float64 { return p.B[k] / p.Coef[k] }
	curvature := func(k int32) float64 { return 2 * p.Curv[k] * p.Coef[k] * p.Coef[k] }
	compare := func(j, k int32) int {
		return cmp.Or(cmp.Compare(place(j), place(k)), cmp.Compare(curvature(j), curvature(k)))
	}
	for f := range m.theta {
		m.theta[f] = 0
		rows := m.rows[:0]
		for k := p.SidePtr[f]; k < p.SidePtr[f+1]; k++ {
			if p.Kind[k] == lcqp.Square {
				rows = append(rows, k)
			}
		}
		m.rows = rows
		slices.SortFunc(rows, compare)
		slope := 0.0
		for len(rows) > 0 {
			n, over := 0, 0 // rows that are alike, and by how many more of one sign
			for ; n < len(rows) && compare(rows[0], rows[n]) == 0; n++ {
				if over++; p.Coef[rows[n]] < 0 {
					over -= 2
				}
			}
			// Where presolve has fixed targets, it has dropped the mirror images that
			// are never active: what is left is a square if it is always active.
			if over != 0 && !alwaysActive(p, f, rows[:n], over) {
				return false
			}
			squares := float64(n+max(over, -over)) / 2
			m.theta[f] += squares * curvature(rows[0])
			slope += squares * curvature(rows[0]) * place(rows[0])
			rows = rows[n:]
		}
		if f < p.Targets {
			m.diag[f] += m.theta[f]
			m.f[f] += slope
		} else {
			p.Forms.Spread(f-p.Targets, slope, m.f)
		}
	}
	return true
}

// alwaysActive reports whether the rows of a left-hand side with the sign of over are ≥ 0
// all over the box, up to slack.
func alwaysActive(p *problem.Problem, side int, rows []int32, over int) bool {
	for _, k := range rows {
		coef := p.Coef[k]
		if (coef > 0) != (over > 0) {
			continue
		}
		least := p.B[k]
		if side < p.Targets {
			least += min(coef*p.Lower[side], coef*p.Upper[side])
		} else {
			g := p.Forms
			for j := g.Ptr[side-p.Targets]; j < g.Ptr[side-p.Targets+1]; j++ {
				a, i := coef*g.Val[j], g.Col[j]
				least += min(a*p.Lower[i], a*p.Upper[i])
			}
		}
		if least < -slack {
			return false
		}
	}
	return true
}

// couple adds the forms to H. It fails when a square couples two targets of one block.
func (m *model) couple(g *problem.Forms) bool {
	theta := m.theta[len(m.diag):]
	m.ptr = problem.Resize(m.ptr, len(m.diag)+1)
	clear(m.ptr)
	for k, th := range theta {
		if th == 0 {
			continue
		}
		col := g.Col[g.Ptr[k]:g.Ptr[k+1]]
		for a, i := range col {
			m.diag[i] += th * g.Val[g.Ptr[k]+int32(a)] * g.Val[g.Ptr[k]+int32(a)]
			m.ptr[i] += int32(len(col) - 1)
			for _, j := range col[:a] {
				if m.of[i] == m.of[j] {
					return false
				}
			}
		}
	}
	end := int32(0)
	for i, n := range m.ptr {
		end += n
		m.ptr[i] = end
	}
	m.col, m.val = problem.Resize(m.col, int(end)), problem.Resize(m.val, int(end))
	// Filled from the back, the pointers end at the starts of the rows.
	for k, th := range theta {
		if th == 0 {
			continue
		}
		col, val := g.Col[g.Ptr[k]:g.Ptr[k+1]], g.Val[g.Ptr[k]:g.Ptr[k+1]]
		for a, i := range col {
			for b, j := range col {
				if a != b {
					m.ptr[i]--
					m.col[m.ptr[i]], m.val[m.ptr[i]] = j, th*val[a]*val[b]
				}
			}
		}
	}
	return true
}
