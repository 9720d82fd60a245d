package infer

import (
	"cmp"
	"math"

	"hinge/symbolic/infer/internal/sparse"
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
// remain. Rows with the same left-hand side share its work.
//
// The factor of a component whose rows tie everything together can be larger
// than memory. Its size is known before it is made; with more than 2²⁶ entries or
// 2³⁶ multiplications the method refuses: the status is TooLarge.
//
// It is insensitive to conditioning, takes 10 to 40 iterations, and cannot make
// much of a warm start by itself (see the package comment on warm starts). It is
// the oracle of the tests, and what DualBCD turns to when its own steps become
// short.
type InteriorPoint struct{}

// Name returns "ipm".
func (InteriorPoint) Name() string { return "ipm" }

// Defaults returns 100 iterations, tested after each tenth and when the method
// takes its gap for small enough.
func (InteriorPoint) Defaults() (int, int) { return 100, 10 }

// patienceOfIPM is the number of iterations without progress after which steps
// begin to centre.
const patienceOfIPM = 3

// NewSolver returns working state.
func (InteriorPoint) NewSolver() Solver { return new(interiorPoint) }

// interiorPoint holds the iterate. Inequality rows have μ and the distance t
// with a·y + b − s + t = 0; linear potentials also a free slack s with
// multiplier σ; squared potentials have s = μ/(2·Curv) throughout. Targets have
// the distances pl and pu from their bounds with multipliers lo and up.
// Distances are variables of their own: computed from y they would round to 0.
type interiorPoint struct {
	y, pl, pu, lo, up          []float64 // by target
	dy, dpl, dpu, dlo, dup     []float64
	aimLo, aimUp               []float64
	rows                       ipmRows
	system                     ipmSystem
	least                      float64       // average product so far
	stale                      int           // iterations without a lower one
	limits                     sparse.Limits // zero means largest
	tooLarge                   bool          // the factor would exceed them
	side, sideStep, sideDual   []float64     // by left-hand side
	weightOf, liftOf, gradient []float64
}

func (x *interiorPoint) worksOnForms() {}

// Init places the iterate well inside all bounds.
func (x *interiorPoint) Init(p *Problem) {
	n := p.Targets
	for _, v := range []*[]float64{&x.y, &x.pl, &x.pu, &x.lo, &x.up, &x.dy, &x.dpl, &x.dpu, &x.dlo, &x.dup, &x.gradient, &x.aimLo, &x.aimUp} {
		*v = resize(*v, n)
	}
	for _, v := range []*[]float64{&x.side, &x.sideStep, &x.sideDual, &x.weightOf, &x.liftOf} {
		*v = resize(*v, n+p.forms.len())
	}
	scale := 0.0
	for i := range n {
		scale = max(scale, p.Quad[i], math.Abs(p.Lin[i]))
		room := p.Upper[i] - p.Lower[i]
		x.y[i] = min(max(p.Y[i], p.Lower[i]+0.1*room), p.Upper[i]-0.1*room)
	}
	for k := range p.Rows {
		scale = max(scale, p.Weight[k], min(p.Curv[k], 1))
	}
	for i, y := range x.y {
		x.lo[i], x.up[i] = scale, scale
		x.pl[i], x.pu[i] = y-p.Lower[i], p.Upper[i]-y
	}
	x.least, x.stale = math.Inf(1), 0
	x.rows.start(p)
	x.rows.sides(p, x.y, x.side)
	x.rows.begin(p, x.side, scale)
	x.tooLarge = !x.system.start(p, cmp.Or(x.limits, largest))
}

// Point clips y to the box and copies the multipliers.
func (x *interiorPoint) Point(p *Problem) {
	for i, y := range x.y {
		p.Y[i] = min(max(y, p.Lower[i]), p.Upper[i])
	}
	for n, k := range x.rows.row {
		p.Dual[k] = x.rows.mu[n]
	}
}

// Iterate makes one predictor–corrector step on one factorisation.
func (x *interiorPoint) Iterate(p *Problem) Progress {
	if x.tooLarge {
		return Refused
	}
	sum, pairs := x.products()
	tau := sum / pairs
	if !(tau > 1e-300) || math.IsInf(tau, 1) {
		return Settled
	}
	x.factor(p)
	p.Stats.Factorizations++
	x.aimAt(0, 0)
	step := x.direction(p, false)
	ratio := x.ahead(step) / sum
	goal, second := tau*ratio*ratio*ratio, 1.0
	if x.stale++; tau < 0.9*x.least {
		x.least, x.stale = tau, 0
	}
	if x.stale > patienceOfIPM {
		// Far from the central path the corrector can send the iterate round in
		// circles (as Mehrotra's method may); plain steps that centre lead back.
		goal, second = tau/2, 0
	}
	x.aimAt(goal, second)
	step = min(1, 0.995*x.direction(p, true))
	if !(step > 1e-8) {
		return Settled
	}
	x.move(step)
	if x.close(p) {
		return Ready
	}
	return Moving
}

// close tells whether the gap can be within the goal: but for what is left of
// the equations, it is the sum of the products.
func (x *interiorPoint) close(p *Problem) bool {
	sum, _ := x.products()
	value := 0.0
	for i, y := range x.y {
		value += (p.Quad[i]*y + p.Lin[i]) * y
	}
	for l, s := range x.rows.s {
		value += (x.rows.weight[l] + 0.5*x.rows.bend[l]*s) * s
	}
	for n, half := range x.rows.half {
		value += 0.5 * half * x.rows.mu[n] * x.rows.mu[n]
	}
	g := &p.goal
	return sum <= 2*max(g.relative*(g.offset+math.Abs(value)), g.absolute)
}

// aimAt sets aim such that all products become tau, with second times the
// second-order terms of the direction found before.
func (x *interiorPoint) aimAt(tau, second float64) {
	r := &x.rows
	n := r.plain + r.linear
	aimAt(x.aimLo, x.lo, x.dlo, x.pl, x.dpl, tau, second)
	aimAt(x.aimUp, x.up, x.dup, x.pu, x.dpu, tau, second)
	aimAt(r.aim[:n], r.mu, r.dmu, r.t, r.dt, tau, second)
	aimAt(r.aimS, r.s, r.ds, r.sigma, r.dsigma, tau, second)
}

func aimAt(aim, a, da, b, db []float64, tau, second float64) {
	a, da, b, db = a[:len(aim)], da[:len(aim)], b[:len(aim)], db[:len(aim)]
	for i := range aim {
		aim[i] = tau - a[i]*b[i] - second*da[i]*db[i]
	}
}

// products returns the sum of the complementarity products and their number.
func (x *interiorPoint) products() (sum, pairs float64) {
	r := &x.rows
	n := r.plain + r.linear
	sum = sparse.Dot(x.lo, x.pl) + sparse.Dot(x.up, x.pu) + sparse.Dot(r.mu[:n], r.t[:n]) + sparse.Dot(r.s, r.sigma)
	return sum, float64(2*len(x.y) + n + r.linear)
}

// ahead returns the sum of the products after a step along the direction.
func (x *interiorPoint) ahead(step float64) float64 {
	r := &x.rows
	n := r.plain + r.linear
	return productsAhead(x.lo, x.dlo, x.pl, x.dpl, step) + productsAhead(x.up, x.dup, x.pu, x.dpu, step) +
		productsAhead(r.mu[:n], r.dmu, r.t, r.dt, step) + productsAhead(r.s, r.ds, r.sigma, r.dsigma, step)
}

// productsAhead returns Σ (a + step·da)(b + step·db).
func productsAhead(a, da, b, db []float64, step float64) float64 {
	da, b, db = da[:len(a)], b[:len(a)], db[:len(a)]
	sum := 0.0
	for i, v := range a {
		sum += (v + step*da[i]) * (b[i] + step*db[i])
	}
	return sum
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
	r := &x.rows
	for _, v := range [...]struct{ x, d []float64 }{
		{x.y, x.dy}, {x.pl, x.dpl}, {x.pu, x.dpu}, {x.lo, x.dlo}, {x.up, x.dup},
		{r.mu, r.dmu}, {r.t, r.dt}, {r.s, r.ds}, {r.sigma, r.dsigma},
	} {
		d := v.d[:len(v.x)]
		for i := range v.x {
			v.x[i] += step * d[i]
		}
	}
}
