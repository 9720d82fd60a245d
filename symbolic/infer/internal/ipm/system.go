package ipm

import (
	"hinge/symbolic/infer/internal/kkt"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/sparse"
)

// system is the Newton system of the interior point method. Eliminated row by row, Δμ_k = θ_k
// coef_k a_f·Δy + lift_k; rows of one left-hand side f add up to θ_f = Σ coef² θ_k and lift_f
// = Σ coef·lift_k. The rest,
//
//	(2·Quad + bounds + Σ_f θ_f a_f a_fᵀ) Δy = rhs − Σ_f a_f lift_f,
//
// is solved with the Δλ_f of some forms kept as unknowns, see kkt.Layout.
type system struct {
	diagonal       []float64 // by target: 2·Quad + bounds + rows of it alone
	kkt            kkt.Matrix
	full, sol, res []float64
}

// start takes the layout of the matrix. It returns false when its factor would
// exceed the limits, or, without a factor, where one is needed.
func (m *system) start(p *problem.Problem, l sparse.Limits, inexact bool) bool {
	if inexact && !m.kkt.StartInexact(p) || !inexact && !m.kkt.Start(p, 1e-2*proximal, l) {
		return false
	}
	m.diagonal = problem.Resize(m.diagonal, p.Targets)
	problem.ResizeAll(m.kkt.N, &m.full, &m.sol, &m.res)
	return true
}

// factor builds and factors the matrix at the current point. It leaves in full
// the right-hand side of a step that lets the products tend to 0.
func (x *Interior) factor(p *problem.Problem) {
	m, r := &x.system, &x.rows
	r.weigh(x.side, x.weightOf, x.sideStep)
	// Separate forms have an equation of their own; the others are eliminated.
	for e, k := range m.kkt.Forms {
		x.liftOf[e] = 0
		x.apartWeight[e] = x.weightOf[p.Targets+int(k)]
	}
	for j, n := range r.ApartRow {
		v := r.Coef[n] * r.lift[n]
		x.liftOf[r.ApartForm[j]] += v
		x.sideStep[r.Of[n]] -= v
	}
	full := m.full[:p.Targets]
	for i, y := range x.y {
		lo, up, quad := x.lo[i], x.up[i], 2*p.Quad[i]
		invLo, invUp := 1/(x.pl[i]+proximal*lo), 1/(x.pu[i]+proximal*up)
		x.invLo[i], x.invUp[i] = invLo, invUp
		m.diagonal[i] = quad + lo*invLo + up*invUp + x.weightOf[i]
		// Complementarity and definition of the two distances; d of the target
		// enters in direction.
		x.halfLo[i], x.halfUp[i] = lo*(p.Lower[i]-y)*invLo, up*(y-p.Upper[i])*invUp
		full[i] = quad*y + p.Lin[i] - lo + up - x.halfLo[i] + x.halfUp[i]
	}
	r.Gather(p, x.sideStep, full)
	for i, v := range full {
		full[i] = -v
	}
	for e, w := range x.apartWeight {
		m.full[p.Targets+e] = 0
		if w > 0 {
			m.full[p.Targets+e] = -x.liftOf[e] / w
		}
	}
	m.kkt.Set(p.Forms, m.diagonal, x.weightOf[p.Targets:])
	m.kkt.Factor()
}

// correct changes the right-hand side so that the products tend to tau, less
// second times the second-order terms of the direction found before.
func (x *Interior) correct(p *problem.Problem, tau, second float64) {
	x.rows.raise(tau, second, x.sideStep)
	full := x.system.full
	for i := range x.y {
		lo, up := (tau-second*x.dlo[i]*x.dpl[i])*x.invLo[i], (tau-second*x.dup[i]*x.dpu[i])*x.invUp[i]
		x.halfLo[i] += lo
		x.halfUp[i] += up
		full[i] += lo - up
	}
	x.takePull(p)
}

// takePull subtracts the changes of the lifts in pullOf from the right-hand side.
func (x *Interior) takePull(p *problem.Problem) {
	m := &x.system
	for e, k := range m.kkt.Forms {
		f := p.Targets + int(k)
		if w := x.apartWeight[e]; w > 0 {
			m.full[p.Targets+e] -= x.sideStep[f] / w
		}
		x.sideStep[f] = 0
	}
	for f, v := range x.sideStep {
		x.sideStep[f] = -v
	}
	x.rows.Gather(p, x.sideStep, m.full[:p.Targets])
}

// direction computes the Newton step for the right-hand side that factor, or
// correct with this tau and second, has left. It returns the longest step that
// keeps everything positive and the sum of the second-order terms of the products.
func (x *Interior) direction(p *problem.Problem, tau, second float64, exact bool) (room, square float64) {
	r := &x.rows
	x.solve(p, exact)
	r.Sides(p, x.dy, x.sideStep)
	room, square = r.step(x.sideStep, tau, second, 1)
	x.equalities()
	for i, d := range x.dy {
		y := x.y[i]
		dlo := x.halfLo[i] - x.lo[i]*x.invLo[i]*d
		dup := x.halfUp[i] + x.up[i]*x.invUp[i]*d
		dpl := y - p.Lower[i] - x.pl[i] + d + proximal*dlo
		dpu := p.Upper[i] - y - x.pu[i] - d + proximal*dup
		x.dlo[i], x.dup[i], x.dpl[i], x.dpu[i] = dlo, dup, dpl, dpu
		square += dlo*dpl + dup*dpu
	}
	room = cut(x.pl, x.dpl, room)
	room = cut(x.pu, x.dpu, room)
	room = cut(x.lo, x.dlo, room)
	return cut(x.up, x.dup, room), square
}

// equalities gives an equality the part of Δλ that the other rows of its form leave: computed
// as θ coef·Δz + lift it would be lost in rounding.
func (x *Interior) equalities() {
	r := &x.rows
	rest, equal := x.liftOf, int32(r.Plain+r.Linear)
	copy(rest, x.system.sol[len(x.dy):])
	for j, n := range r.ApartRow {
		if n < equal {
			rest[r.ApartForm[j]] -= r.Coef[n] * r.dmu[n]
		}
	}
	for j, n := range r.ApartRow {
		if n >= equal {
			r.dmu[n] = rest[r.ApartForm[j]] / r.Coef[n]
			rest[r.ApartForm[j]] = 0
		}
	}
}

// solve computes dy and the change of the multipliers of the separate forms. If exact is true,
// it adds one step of iterative refinement.
func (x *Interior) solve(p *problem.Problem, exact bool) {
	m := &x.system
	m.kkt.SolveFor(p.Forms, m.diagonal, x.weightOf[p.Targets:], m.full, m.sol, m.res, exact)
	copy(x.dy, m.sol[:p.Targets])
}
