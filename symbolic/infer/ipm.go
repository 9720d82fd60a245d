package infer

import (
	"math"

	"hinge/symbolic/lcqp"
)

// InteriorPoint is Mehrotra's predictor–corrector method on the primal problem
// with both kinds of bounds, made proximal in the multipliers: every constraint
// is relaxed by δ times the change of its multiplier in the step. So the method
// works where constraints are dependent or leave no interior, and multipliers
// that are not unique stay bounded.
//
// Slacks of rows, potentials and bounds are eliminated from each Newton system,
// which leaves a sparse quasidefinite matrix over the targets and the
// multipliers of the hard equalities. Its factorisation eliminates targets that
// no row couples for nothing: in MNIST-Addition only the digits of the sum
// remain.
//
// It is insensitive to conditioning, takes 10 to 40 iterations, and cannot make
// much of a warm start. It is the oracle of the tests, and what DualBCD turns
// to when its own steps become short.
type InteriorPoint struct{}

// Name returns "ipm".
func (InteriorPoint) Name() string { return "ipm" }

// Defaults returns 100 iterations, tested after each.
func (InteriorPoint) Defaults() (int, int) { return 100, 1 }

// NewSolver returns working state.
func (InteriorPoint) NewSolver() Solver { return new(interiorPoint) }

// interiorPoint holds the iterate. Inequality rows have μ and the distance t
// with a·y + b − s + t = 0; linear potentials also a free slack s with
// multiplier σ; squared potentials have s = μ/(2·Curv) throughout. Targets have
// the distances pl and pu from their bounds with multipliers lo and up.
// Distances are variables of their own: computed from y they would round to 0.
type interiorPoint struct {
	y, pl, pu, lo, up []float64 // by target
	mu, t, s, sigma   []float64 // by row

	dy, dpl, dpu, dlo, dup []float64
	dmu, dt, ds, dsigma    []float64
	pairs                  int // complementary pairs of rows
	system                 ipmSystem
}

// Init places the iterate well inside all bounds.
func (x *interiorPoint) Init(p *Problem) {
	n, m := p.Targets, p.Rows
	for _, v := range []*[]float64{&x.mu, &x.t, &x.s, &x.sigma, &x.dmu, &x.dt, &x.ds, &x.dsigma} {
		*v = resize(*v, m)
		clear(*v)
	}
	for _, v := range []*[]float64{&x.y, &x.pl, &x.pu, &x.lo, &x.up, &x.dy, &x.dpl, &x.dpu, &x.dlo, &x.dup} {
		*v = resize(*v, n)
	}
	scale := 0.0
	for i := range n {
		scale = max(scale, p.Quad[i], math.Abs(p.Lin[i]))
		room := p.Upper[i] - p.Lower[i]
		x.y[i] = min(max(p.Y[i], p.Lower[i]+0.1*room), p.Upper[i]-0.1*room)
	}
	for k := range m {
		scale = max(scale, p.Weight[k], min(p.Curv[k], 1))
	}
	for i, y := range x.y {
		x.lo[i], x.up[i] = scale, scale
		x.pl[i], x.pu[i] = y-p.Lower[i], p.Upper[i]-y
	}
	x.pairs = 0
	for k := range m {
		z := p.Activity(k, x.y)
		x.pairs++
		switch p.Kind[k] {
		case lcqp.HardEQ:
			x.mu[k] = p.Dual[k]
			x.pairs--
		case lcqp.HardLE:
			x.mu[k] = max(scale, p.Dual[k])
			x.t[k] = max(-z, 0.1)
		case lcqp.Square:
			x.mu[k] = min(max(p.Dual[k], 0.1*p.Curv[k]), scale)
			x.t[k] = max(x.mu[k]/(2*p.Curv[k])-z, 0.1)
		case lcqp.Linear:
			x.mu[k] = max(p.Weight[k]/2, p.Curv[k])
			x.sigma[k] = x.mu[k]
			x.s[k] = max(z, 0) + 0.1
			x.t[k] = x.s[k] - z
			x.pairs++
		}
	}
	x.system.pattern(p)
}

// Point clips y to the box and copies the multipliers.
func (x *interiorPoint) Point(p *Problem) {
	for i, y := range x.y {
		p.Y[i] = min(max(y, p.Lower[i]), p.Upper[i])
	}
	copy(p.Dual, x.mu)
}

// Iterate makes one predictor–corrector step on one factorisation.
func (x *interiorPoint) Iterate(p *Problem) Progress {
	tau := x.average(p, 0)
	if !(tau > 1e-300) || math.IsInf(tau, 1) {
		return Settled
	}
	x.factor(p)
	p.Stats.Factorizations++
	x.direction(p, 0, false)
	ratio := x.average(p, x.longest(p)) / tau
	x.direction(p, tau*ratio*ratio*ratio, true)
	step := min(1, 0.995*x.longest(p))
	if !(step > 1e-8) {
		return Settled
	}
	x.move(step)
	return Moving
}

// average returns the mean complementarity product after a step.
func (x *interiorPoint) average(p *Problem, step float64) float64 {
	sum := products(x.lo, x.dlo, x.pl, x.dpl, step) + products(x.up, x.dup, x.pu, x.dpu, step) +
		products(x.mu, x.dmu, x.t, x.dt, step) + products(x.s, x.ds, x.sigma, x.dsigma, step)
	return sum / float64(2*p.Targets+x.pairs)
}

// products returns Σ (a + step·da)(b + step·db).
func products(a, da, b, db []float64, step float64) float64 {
	da, b, db = da[:len(a)], b[:len(a)], db[:len(a)]
	sum := 0.0
	for i, v := range a {
		sum += (v + step*da[i]) * (b[i] + step*db[i])
	}
	return sum
}

// longest returns the longest step ≤ 1 that keeps everything positive.
func (x *interiorPoint) longest(p *Problem) float64 {
	step := 1.0
	step = cut(x.pl, x.dpl, step)
	step = cut(x.pu, x.dpu, step)
	step = cut(x.lo, x.dlo, step)
	step = cut(x.up, x.dup, step)
	step = cut(x.t, x.dt, step)
	step = cut(x.s, x.ds, step)
	step = cut(x.sigma, x.dsigma, step)
	for k, d := range x.dmu {
		if d < 0 && p.Kind[k] != lcqp.HardEQ && x.mu[k]+step*d < 0 {
			step = -x.mu[k] / d
		}
	}
	return step
}

// cut shortens step so that v + step·d stays ≥ 0.
func cut(v, d []float64, step float64) float64 {
	d = d[:len(v)]
	for i, x := range v {
		if x+step*d[i] < 0 {
			step = -x / d[i]
		}
	}
	return step
}

func (x *interiorPoint) move(step float64) {
	for _, v := range [...]struct{ x, d []float64 }{
		{x.y, x.dy}, {x.pl, x.dpl}, {x.pu, x.dpu}, {x.lo, x.dlo}, {x.up, x.dup},
		{x.mu, x.dmu}, {x.t, x.dt}, {x.s, x.ds}, {x.sigma, x.dsigma},
	} {
		for i, d := range v.d {
			v.x[i] += step * d
		}
	}
}
