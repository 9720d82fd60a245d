package infer

import "hinge/symbolic/lcqp"

// proximal is δ: in one step a constraint may be off by δ times the change of
// its multiplier. Multipliers are of the order of the weights, so that δ is
// felt only where they would grow without bound.
const proximal = 1e-9

// ipmSystem is the Newton system of the interior point method
//
//	| H   A_Eᵀ | |Δy  |   | rhs  |
//	| A_E  −δ  | |Δμ_E| = | −r_E |,   H = 2·Quad + bounds + Σ_k θ_k a_k a_kᵀ,
//
// with Δμ_k = θ_k a_k·Δy + lift_k on the other rows. sol is its solution.
type ipmSystem struct {
	theta, lift, kappa, shift []float64 // by row
	diag, rhs, pull           []float64 // by target
	eq                        []int32   // hard equality rows
	kkt                       ldl
	slots                     []int32 // of the pairs of targets of each row
	full, sol, res            []float64
}

// pattern analyses the matrix.
func (m *ipmSystem) pattern(p *Problem) {
	n := p.Targets
	for _, v := range []*[]float64{&m.theta, &m.lift, &m.kappa, &m.shift} {
		*v = resize(*v, p.Rows)
	}
	for _, v := range []*[]float64{&m.diag, &m.rhs, &m.pull} {
		*v = resize(*v, n)
	}
	m.eq = m.eq[:0]
	for k, kind := range p.Kind {
		if kind == lcqp.HardEQ {
			m.eq = append(m.eq, int32(k))
		}
	}
	m.kkt.reset(n + len(m.eq))
	m.kkt.pivot = 1e-2 * proximal
	m.slots = m.slots[:0]
	for k, kind := range p.Kind {
		if kind == lcqp.HardEQ {
			continue
		}
		for a := p.Ptr[k]; a < p.Ptr[k+1]; a++ {
			for b := p.Ptr[k]; b < a; b++ {
				m.slots = append(m.slots, m.kkt.edge(p.Col[a], p.Col[b]))
			}
		}
	}
	for e, k := range m.eq {
		for a := p.Ptr[k]; a < p.Ptr[k+1]; a++ {
			m.slots = append(m.slots, m.kkt.edge(int32(n+e), p.Col[a]))
		}
	}
	m.kkt.analyse()
	for i := range m.kkt.sign {
		m.kkt.sign[i] = 1
		if i >= n {
			m.kkt.sign[i] = -1
		}
	}
	for _, v := range []*[]float64{&m.full, &m.sol, &m.res} {
		*v = resize(*v, n+len(m.eq))
	}
}

// factor builds and factors the matrix at the current point.
func (x *interiorPoint) factor(p *Problem) {
	m := &x.system
	for i := range x.y {
		m.diag[i] = 2*p.Quad[i] + x.lo[i]/(x.pl[i]+proximal*x.lo[i]) + x.up[i]/(x.pu[i]+proximal*x.up[i])
	}
	next := 0
	clear(m.kkt.val)
	for k, kind := range p.Kind {
		soft := proximal
		switch kind {
		case lcqp.HardEQ:
			continue
		case lcqp.Square:
			soft += 1 / (2 * p.Curv[k])
		case lcqp.Linear:
			m.kappa[k] = x.s[k] / (2*p.Curv[k]*x.s[k] + x.sigma[k])
			soft += m.kappa[k]
		}
		m.theta[k] = x.mu[k] / (x.t[k] + x.mu[k]*soft)
		for a := p.Ptr[k]; a < p.Ptr[k+1]; a++ {
			w := m.theta[k] * p.Val[a]
			m.diag[p.Col[a]] += w * p.Val[a]
			for b := p.Ptr[k]; b < a; b++ {
				m.kkt.val[m.slots[next]] += w * p.Val[b]
				next++
			}
		}
	}
	copy(m.kkt.diag, m.diag)
	for e, k := range m.eq {
		m.kkt.diag[p.Targets+e] = -proximal
		for a := p.Ptr[k]; a < p.Ptr[k+1]; a++ {
			m.kkt.val[m.slots[next]] += p.Val[a]
			next++
		}
	}
	m.kkt.factor()
}

// direction computes the Newton step to the target complementarity tau. The
// corrector adds the second-order terms of the direction found before.
func (x *interiorPoint) direction(p *Problem, tau float64, corrector bool) {
	m := &x.system
	p.pull(x.mu, m.pull)
	for i, y := range x.y {
		// Complementarity and definition of the two distances; the step of the
		// multipliers is kept half done in dlo and dup.
		rl, ru := tau-x.lo[i]*x.pl[i], tau-x.up[i]*x.pu[i]
		if corrector {
			rl -= x.dlo[i] * x.dpl[i]
			ru -= x.dup[i] * x.dpu[i]
		}
		x.dpl[i], x.dpu[i] = y-p.Lower[i]-x.pl[i], p.Upper[i]-y-x.pu[i]
		x.dlo[i] = (rl - x.lo[i]*x.dpl[i]) / (x.pl[i] + proximal*x.lo[i])
		x.dup[i] = (ru - x.up[i]*x.dpu[i]) / (x.pu[i] + proximal*x.up[i])
		m.rhs[i] = -(2*p.Quad[i]*y + m.pull[i] - x.lo[i] + x.up[i]) + x.dlo[i] - x.dup[i]
	}
	for k, kind := range p.Kind {
		if kind == lcqp.HardEQ {
			continue
		}
		rc := tau - x.mu[k]*x.t[k]
		if corrector {
			rc -= x.dmu[k] * x.dt[k]
		}
		gap := p.Activity(k, x.y) + x.t[k]
		switch kind {
		case lcqp.Square:
			gap -= x.mu[k] / (2 * p.Curv[k])
		case lcqp.Linear:
			rs := tau - x.s[k]*x.sigma[k]
			if corrector {
				rs -= x.ds[k] * x.dsigma[k]
			}
			rd := p.Weight[k] + 2*p.Curv[k]*x.s[k] - x.mu[k] - x.sigma[k]
			m.shift[k] = (rs - x.s[k]*rd) / (2*p.Curv[k]*x.s[k] + x.sigma[k])
			x.dsigma[k] = rd // finished below
			gap -= x.s[k] + m.shift[k]
		}
		// θ/μ is 1/(t + μ·soft).
		m.lift[k] = (rc + x.mu[k]*gap) * m.theta[k] / x.mu[k]
		x.dt[k] = rc // finished below
		for a := p.Ptr[k]; a < p.Ptr[k+1]; a++ {
			m.rhs[p.Col[a]] -= p.Val[a] * m.lift[k]
		}
	}
	x.solve(p)
	x.backSubstitute(p)
}

// backSubstitute finds the steps of everything that was eliminated from dy.
func (x *interiorPoint) backSubstitute(p *Problem) {
	m := &x.system
	for i, d := range x.dy {
		x.dlo[i] -= x.lo[i] * d / (x.pl[i] + proximal*x.lo[i])
		x.dup[i] += x.up[i] * d / (x.pu[i] + proximal*x.up[i])
		x.dpl[i] += d + proximal*x.dlo[i]
		x.dpu[i] += -d + proximal*x.dup[i]
	}
	for k, kind := range p.Kind {
		if kind == lcqp.HardEQ {
			continue
		}
		dz := 0.0
		for a := p.Ptr[k]; a < p.Ptr[k+1]; a++ {
			dz += p.Val[a] * x.dy[p.Col[a]]
		}
		d := m.theta[k]*dz + m.lift[k]
		x.dmu[k] = d
		if kind == lcqp.Linear {
			x.ds[k] = m.shift[k] + m.kappa[k]*d
			x.dsigma[k] += 2*p.Curv[k]*x.ds[k] - d
		}
		x.dt[k] = (x.dt[k] - x.t[k]*d) / x.mu[k]
	}
}

// solve computes dy and the change of the equalities' multipliers, with one
// step of iterative refinement.
func (x *interiorPoint) solve(p *Problem) {
	m, n := &x.system, p.Targets
	copy(m.full, m.rhs)
	for e, k := range m.eq {
		m.full[n+e] = -p.Activity(int(k), x.y)
	}
	copy(m.sol, m.full)
	m.kkt.solve(m.sol)
	m.kkt.residual(m.sol, m.full, m.res)
	m.kkt.solve(m.res)
	for i, v := range m.res {
		m.sol[i] += v
	}
	copy(x.dy, m.sol[:n])
	for e, k := range m.eq {
		x.dmu[k] = m.sol[n+e]
	}
}
