package infer

import (
	"hinge/symbolic/infer/internal/sparse"
)

// proximal is δ: in one step a constraint may be off by δ times the change of
// its multiplier. Multipliers are of the order of the weights, so that δ is
// felt only where they would grow without bound.
const proximal = 1e-9

// ipmSystem is the Newton system of the interior point method. Eliminated row by
// row, Δμ_k = θ_k coef_k a_f·Δy + lift_k; rows of one left-hand side f add up to
// θ_f = Σ coef² θ_k and lift_f = Σ coef·lift_k. What is left,
//
//	(2·Quad + bounds + Σ_f θ_f a_f a_fᵀ) Δy = rhs − Σ_f a_f lift_f,
//
// is solved with the Δλ_f of some forms kept as unknowns, see kktLayout.
type ipmSystem struct {
	diagonal       []float64 // by target: 2·Quad + bounds + rows of it alone
	kkt            kkt
	full, sol, res []float64
}

// largest is what a factor may take in the interior point method.
var largest = sparse.Limits{Fill: 1 << 26, Work: 1 << 36}

// start takes the layout of the matrix. It returns false when its factor would
// exceed the limits.
func (m *ipmSystem) start(p *Problem, l sparse.Limits) bool {
	if !m.kkt.start(p, 1e-2*proximal, l) {
		return false
	}
	m.diagonal = resize(m.diagonal, p.Targets)
	for _, v := range []*[]float64{&m.full, &m.sol, &m.res} {
		*v = resize(*v, m.kkt.n)
	}
	return true
}

// factor builds and factors the matrix at the current point.
func (x *interiorPoint) factor(p *Problem) {
	m := &x.system
	x.rows.weigh(x.weightOf)
	for i := range x.y {
		m.diagonal[i] = 2*p.Quad[i] + x.lo[i]/(x.pl[i]+proximal*x.lo[i]) + x.up[i]/(x.pu[i]+proximal*x.up[i]) + x.weightOf[i]
	}
	m.kkt.set(p.forms, m.diagonal, x.weightOf[p.Targets:])
	m.kkt.factor()
	// The pull of the multipliers is the same for both directions.
	r := &x.rows
	r.sides(p, x.y, x.side)
	clear(x.sideDual)
	for n, f := range r.of {
		x.sideDual[f] += r.coef[n] * r.mu[n]
	}
	for i, y := range x.y {
		x.gradient[i] = 2*p.Quad[i]*y + p.Lin[i]
	}
	r.gather(p, x.sideDual, x.gradient)
}

// direction computes the Newton step that changes the products by aim and
// returns the longest step that keeps everything positive.
func (x *interiorPoint) direction(p *Problem, exact bool) (room float64) {
	m, r := &x.system, &x.rows
	r.raise(x.side, x.liftOf)
	full := m.full[:p.Targets]
	for i, y := range x.y {
		// Complementarity and definition of the two distances; the step of the
		// multipliers is kept half done in dlo and dup.
		x.dpl[i], x.dpu[i] = y-p.Lower[i]-x.pl[i], p.Upper[i]-y-x.pu[i]
		x.dlo[i] = (x.aimLo[i] - x.lo[i]*x.dpl[i]) / (x.pl[i] + proximal*x.lo[i])
		x.dup[i] = (x.aimUp[i] - x.up[i]*x.dpu[i]) / (x.pu[i] + proximal*x.up[i])
		full[i] = -(x.gradient[i] - x.lo[i] + x.up[i]) + x.dlo[i] - x.dup[i]
	}
	// Forms apart have an equation of their own; the others are eliminated.
	lift := x.liftOf[p.Targets:]
	for e, k := range m.kkt.forms {
		m.full[p.Targets+e] = 0
		if th := x.weightOf[p.Targets+int(k)]; th > 0 {
			m.full[p.Targets+e] = -lift[k] / th
		}
		lift[k] = 0
	}
	for f := range x.liftOf {
		x.liftOf[f] = -x.liftOf[f]
	}
	r.gather(p, x.liftOf, full)
	x.solve(p, exact)
	r.sides(p, x.dy, x.sideStep)
	room = r.step(x.sideStep, 1)
	x.equalities(p)
	for i, d := range x.dy {
		x.dlo[i] -= x.lo[i] * d / (x.pl[i] + proximal*x.lo[i])
		x.dup[i] += x.up[i] * d / (x.pu[i] + proximal*x.up[i])
		x.dpl[i] += d + proximal*x.dlo[i]
		x.dpu[i] += -d + proximal*x.dup[i]
	}
	room = cut(x.pl, x.dpl, room)
	room = cut(x.pu, x.dpu, room)
	room = cut(x.lo, x.dlo, room)
	return cut(x.up, x.dup, room)
}

// equalities gives an equality what the other rows of its form leave of Δλ: in
// θ coef·Δz + lift it would drown in rounding. sideStep of the forms apart is
// used up.
func (x *interiorPoint) equalities(p *Problem) {
	m, r := &x.system, &x.rows
	for e, k := range m.kkt.forms {
		x.sideStep[p.Targets+int(k)] = m.sol[p.Targets+e]
	}
	equal := r.plain + r.linear
	for n := range equal {
		if f := int(r.of[n]) - p.Targets; f >= 0 && m.kkt.apart[f] >= 0 {
			x.sideStep[r.of[n]] -= r.coef[n] * r.dmu[n]
		}
	}
	for n := equal; n < len(r.row); n++ {
		r.dmu[n] = x.sideStep[r.of[n]] / r.coef[n]
		x.sideStep[r.of[n]] = 0
	}
}

// solve computes dy and the change of the multipliers of the forms apart; if it
// is to be exact, with one step of iterative refinement.
func (x *interiorPoint) solve(p *Problem, exact bool) {
	m := &x.system
	copy(m.sol, m.full)
	m.kkt.solve(m.sol)
	if exact {
		m.kkt.residual(p.forms, m.diagonal, x.weightOf[p.Targets:], m.sol, m.full, m.res)
		m.kkt.solve(m.res)
		for i, v := range m.res {
			m.sol[i] += v
		}
	}
	copy(x.dy, m.sol[:p.Targets])
}
