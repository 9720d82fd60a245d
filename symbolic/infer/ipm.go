package infer

import (
	"math"

	"hinge/symbolic/lcqp"
)

// InteriorPoint is Mehrotra's predictor–corrector method on the primal problem
// with both kinds of bounds: slacks of rows and potentials are eliminated from
// each Newton system, which leaves one positive definite matrix over the
// targets and a Schur complement over the hard equalities.
//
// It is insensitive to conditioning, takes 10 to 40 iterations, and cannot make
// much of a warm start. It is the oracle of the tests.
type InteriorPoint struct{}

// Name returns "ipm".
func (InteriorPoint) Name() string { return "ipm" }

// Defaults returns 100 iterations, tested after each.
func (InteriorPoint) Defaults() (int, int) { return 100, 1 }

// NewSolver returns working state.
func (InteriorPoint) NewSolver() Solver { return new(interiorPoint) }

// interiorPoint holds the iterate. Inequality rows have μ and the distance t
// with a·y + b − s + t = 0; linear potentials also a free slack s with
// multiplier σ; squared potentials have s = μ/(2·Curv) throughout. Bounds are
// kept strictly, with multipliers lo and up.
type interiorPoint struct {
	mu, t, s, sigma []float64 // by row
	lo, up          []float64 // by target

	// Newton system: Δμ_k = theta_k·(a_k·Δy) + lift_k on inequality rows.
	theta, lift, kappa, shift []float64
	diag, rhs, pull           []float64
	dy, dmu, dt, ds, dsigma   []float64
	dlo, dup                  []float64
	h                         []float64 // Cholesky factor over the targets
	eq                        []int32   // hard equality rows
	eqCol                     []float64 // H^-1/2 columns of the equalities
	schur, deq                []float64
}

// Init places the iterate well inside all bounds.
func (x *interiorPoint) Init(p *Problem) {
	n, m := p.Targets, p.Rows
	for _, v := range []*[]float64{&x.mu, &x.t, &x.s, &x.sigma, &x.theta, &x.lift, &x.kappa, &x.shift,
		&x.dmu, &x.dt, &x.ds, &x.dsigma} {
		*v = resize(*v, m)
		clear(*v)
	}
	for _, v := range []*[]float64{&x.lo, &x.up, &x.diag, &x.rhs, &x.pull, &x.dy, &x.dlo, &x.dup} {
		*v = resize(*v, n)
		clear(*v)
	}
	x.h = resize(x.h, n*n)
	x.eq = x.eq[:0]
	scale := 0.0
	for i := range n {
		scale = max(scale, p.Quad[i], math.Abs(p.Lin[i]))
		room := p.Upper[i] - p.Lower[i]
		p.Y[i] = min(max(p.Y[i], p.Lower[i]+0.1*room), p.Upper[i]-0.1*room)
	}
	for k := range m {
		scale = max(scale, p.Weight[k], min(p.Curv[k], 1))
	}
	for i := range n {
		x.lo[i], x.up[i] = scale, scale
	}
	for k := range m {
		if p.Kind[k] == lcqp.HardEQ {
			x.eq = append(x.eq, int32(k))
			x.mu[k] = p.Dual[k]
			continue
		}
		z := p.Activity(k, p.Y)
		x.mu[k] = max(scale, p.Dual[k])
		switch p.Kind[k] {
		case lcqp.HardLE:
			x.t[k] = max(-z, 0.1)
		case lcqp.Square:
			x.mu[k] = min(max(p.Dual[k], 0.1*p.Curv[k]), scale)
			x.t[k] = max(x.mu[k]/(2*p.Curv[k])-z, 0.1)
		case lcqp.Linear:
			x.mu[k] = max(p.Weight[k]/2, p.Curv[k])
			x.sigma[k] = x.mu[k]
			x.s[k] = max(z, 0) + 0.1
			x.t[k] = x.s[k] - z
		}
	}
	x.eqCol = resize(x.eqCol, len(x.eq)*n)
	x.schur = resize(x.schur, len(x.eq)*len(x.eq))
	x.deq = resize(x.deq, len(x.eq))
}

// Point copies the multipliers; y is kept in p.
func (x *interiorPoint) Point(p *Problem) { copy(p.Dual, x.mu) }

// average returns the mean complementarity product and the number of pairs.
func (x *interiorPoint) average(p *Problem, step float64) (float64, int) {
	sum, pairs := 0.0, 2*p.Targets
	for i, y := range p.Y {
		y += step * x.dy[i]
		sum += (x.lo[i]+step*x.dlo[i])*(y-p.Lower[i]) + (x.up[i]+step*x.dup[i])*(p.Upper[i]-y)
	}
	for k, kind := range p.Kind {
		if kind == lcqp.HardEQ {
			continue
		}
		sum += (x.mu[k] + step*x.dmu[k]) * (x.t[k] + step*x.dt[k])
		pairs++
		if kind == lcqp.Linear {
			sum += (x.s[k] + step*x.ds[k]) * (x.sigma[k] + step*x.dsigma[k])
			pairs++
		}
	}
	return sum / float64(pairs), pairs
}

// Iterate makes one predictor–corrector step on one factorisation.
func (x *interiorPoint) Iterate(p *Problem) Progress {
	clear(x.dy)
	clear(x.dlo)
	clear(x.dup)
	clear(x.dmu)
	clear(x.dt)
	clear(x.ds)
	clear(x.dsigma)
	tau, _ := x.average(p, 0)
	if !(tau > 1e-300) {
		return Settled
	}
	x.factor(p)
	p.Stats.Factorizations++
	x.direction(p, 0, false)
	step := x.longest(p)
	after, _ := x.average(p, step)
	ratio := after / tau
	x.direction(p, tau*ratio*ratio*ratio, true)
	step = min(1, 0.995*x.longest(p))
	if !(step > 1e-8) {
		return Settled
	}
	x.move(p, step)
	return Moving
}

// factor builds and factors the Newton matrix of the current point.
func (x *interiorPoint) factor(p *Problem) {
	n := p.Targets
	h := x.h
	clear(h)
	for i, y := range p.Y {
		h[i*n+i] = 2*p.Quad[i] + x.lo[i]/(y-p.Lower[i]) + x.up[i]/(p.Upper[i]-y)
	}
	for k, kind := range p.Kind {
		switch kind {
		case lcqp.HardEQ:
			continue
		case lcqp.HardLE:
			x.theta[k] = x.mu[k] / x.t[k]
		case lcqp.Square:
			x.theta[k] = x.mu[k] / (x.t[k] + x.mu[k]/(2*p.Curv[k]))
		case lcqp.Linear:
			x.kappa[k] = x.s[k] / (2*p.Curv[k]*x.s[k] + x.sigma[k])
			x.theta[k] = x.mu[k] / (x.t[k] + x.mu[k]*x.kappa[k])
		}
		for a := p.Ptr[k]; a < p.Ptr[k+1]; a++ {
			row, w := int(p.Col[a])*n, x.theta[k]*p.Val[a]
			for b := p.Ptr[k]; b <= a; b++ {
				h[row+int(p.Col[b])] += w * p.Val[b]
			}
		}
	}
	cholesky(h, n)
	// Equalities: S = A_E H⁻¹ A_Eᵀ from half-solved columns.
	q := len(x.eq)
	clear(x.eqCol)
	for e, k := range x.eq {
		col := x.eqCol[e*n : (e+1)*n]
		for a := p.Ptr[k]; a < p.Ptr[k+1]; a++ {
			col[p.Col[a]] = p.Val[a]
		}
		for i := range n {
			row := h[i*n : i*n+i+1]
			col[i] = (col[i] - dot(row[:i], col[:i])) / row[i]
		}
		for f := range e + 1 {
			x.schur[e*q+f] = dot(col, x.eqCol[f*n:(f+1)*n])
		}
	}
	cholesky(x.schur, q)
}

// direction solves the Newton system for the target complementarity tau. The
// corrector adds the second-order terms of the direction found before.
func (x *interiorPoint) direction(p *Problem, tau float64, corrector bool) {
	// Right-hand side of the targets: −(2·Quad·y + Lin + Aᵀμ − lo + up), with
	// bound multipliers eliminated.
	p.pull(x.mu, x.pull)
	for i, y := range p.Y {
		rl := tau - x.lo[i]*(y-p.Lower[i])
		ru := tau - x.up[i]*(p.Upper[i]-y)
		if corrector {
			rl -= x.dlo[i] * x.dy[i]
			ru += x.dup[i] * x.dy[i]
		}
		x.dlo[i], x.dup[i] = rl, ru // finished below
		x.rhs[i] = -(2*p.Quad[i]*y + x.pull[i] - x.lo[i] + x.up[i]) + rl/(y-p.Lower[i]) - ru/(p.Upper[i]-y)
	}
	for k, kind := range p.Kind {
		if kind == lcqp.HardEQ {
			continue
		}
		z := p.Activity(k, p.Y)
		rc := tau - x.mu[k]*x.t[k]
		if corrector {
			rc -= x.dmu[k] * x.dt[k]
		}
		switch kind {
		case lcqp.HardLE:
			x.lift[k] = (rc + x.mu[k]*(z+x.t[k])) / x.t[k]
		case lcqp.Square:
			s := x.mu[k] / (2 * p.Curv[k])
			x.lift[k] = (rc + x.mu[k]*(z-s+x.t[k])) / (x.t[k] + s)
		case lcqp.Linear:
			rs := tau - x.s[k]*x.sigma[k]
			if corrector {
				rs -= x.ds[k] * x.dsigma[k]
			}
			rd := p.Weight[k] + 2*p.Curv[k]*x.s[k] - x.mu[k] - x.sigma[k]
			x.shift[k] = (rs - x.s[k]*rd) / (2*p.Curv[k]*x.s[k] + x.sigma[k])
			x.dsigma[k] = rd // finished below
			x.lift[k] = (rc + x.mu[k]*(z-x.s[k]+x.t[k]-x.shift[k])) / (x.t[k] + x.mu[k]*x.kappa[k])
		}
		x.dt[k] = rc // finished below
		for a := p.Ptr[k]; a < p.Ptr[k+1]; a++ {
			x.rhs[p.Col[a]] -= p.Val[a] * x.lift[k]
		}
	}
	x.solve(p)
	for i, d := range x.dy {
		y := p.Y[i]
		x.dlo[i] = (x.dlo[i] - x.lo[i]*d) / (y - p.Lower[i])
		x.dup[i] = (x.dup[i] + x.up[i]*d) / (p.Upper[i] - y)
	}
	for k, kind := range p.Kind {
		if kind == lcqp.HardEQ {
			continue
		}
		dz := 0.0
		for a := p.Ptr[k]; a < p.Ptr[k+1]; a++ {
			dz += p.Val[a] * x.dy[p.Col[a]]
		}
		d := x.theta[k]*dz + x.lift[k]
		x.dmu[k] = d
		if kind == lcqp.Linear {
			x.ds[k] = x.shift[k] + x.kappa[k]*d
			x.dsigma[k] += 2*p.Curv[k]*x.ds[k] - d
		}
		x.dt[k] = (x.dt[k] - x.t[k]*d) / x.mu[k]
	}
}

// solve computes dy and the equality multipliers' change from rhs.
func (x *interiorPoint) solve(p *Problem) {
	n, q := p.Targets, len(x.eq)
	copy(x.dy, x.rhs)
	if q > 0 {
		choleskySolve(x.h, n, x.dy)
		for e, k := range x.eq {
			r := p.Activity(int(k), p.Y)
			for a := p.Ptr[k]; a < p.Ptr[k+1]; a++ {
				r += p.Val[a] * x.dy[p.Col[a]]
			}
			x.deq[e] = r
		}
		choleskySolve(x.schur, q, x.deq)
		copy(x.dy, x.rhs)
		for e, k := range x.eq {
			x.dmu[k] = x.deq[e]
			for a := p.Ptr[k]; a < p.Ptr[k+1]; a++ {
				x.dy[p.Col[a]] -= p.Val[a] * x.deq[e]
			}
		}
	}
	choleskySolve(x.h, n, x.dy)
}

// longest returns the longest step ≤ 1 that keeps everything positive.
func (x *interiorPoint) longest(p *Problem) float64 {
	step := 1.0
	cut := func(v, d float64) {
		if d < 0 {
			step = min(step, -v/d)
		}
	}
	for i, d := range x.dy {
		cut(p.Y[i]-p.Lower[i], d)
		cut(p.Upper[i]-p.Y[i], -d)
		cut(x.lo[i], x.dlo[i])
		cut(x.up[i], x.dup[i])
	}
	for k, kind := range p.Kind {
		if kind == lcqp.HardEQ {
			continue
		}
		cut(x.mu[k], x.dmu[k])
		cut(x.t[k], x.dt[k])
		if kind == lcqp.Linear {
			cut(x.s[k], x.ds[k])
			cut(x.sigma[k], x.dsigma[k])
		}
	}
	return step
}

func (x *interiorPoint) move(p *Problem, step float64) {
	for i, d := range x.dy {
		p.Y[i] += step * d
		x.lo[i] += step * x.dlo[i]
		x.up[i] += step * x.dup[i]
	}
	for k, d := range x.dmu {
		x.mu[k] += step * d
		x.t[k] += step * x.dt[k]
		x.s[k] += step * x.ds[k]
		x.sigma[k] += step * x.dsigma[k]
	}
}
