package ipm

import (
	"cmp"
	"math"
	"slices"

	"hinge/symbolic/infer/internal/activeset"
	"hinge/symbolic/infer/internal/kkt"
	"hinge/symbolic/infer/internal/problem"
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
// than memory. With more than 2²⁷ entries or 2³⁶ multiplications the method refuses: the status
// is TooLarge.
//
// It is insensitive to conditioning, takes 10 to 40 iterations, and cannot make
// much of a warm start by itself (see package activeset). It is
// the oracle of the tests, and the first choice of the default method where its factor
// costs little.
type InteriorPoint struct{}

// Name returns "ipm".
func (InteriorPoint) Name() string { return "ipm" }

// Capabilities returns that answers are optima.
func (InteriorPoint) Capabilities() problem.Capabilities {
	return problem.Capabilities{MaxIterations: 100, CheckEvery: 10, Exact: true, ProvesGap: true}
}

// NewSolver returns working state.
func (InteriorPoint) NewSolver() problem.Solver {
	x := new(solver)
	x.Share(x.Matrix())
	return x
}

var _ problem.ActiveSetSolver = (*solver)(nil)

// solver is an interior point method with what follows it.
type solver struct {
	Interior
	activeset.Follower
}

// Polish moves an answer to the point with the same active rows.
func (x *solver) Polish(p *problem.Problem, solved bool) bool {
	if !solved {
		return x.Follower.Polish(p, nil)
	}
	return x.Follower.Polish(p, &x.Interior)
}

// Interior holds the iterate. Inequality rows have μ and the distance t
// with a·y + b − s + t = 0; linear potentials also a free slack s with
// multiplier σ; squared potentials have s = μ/(2·Curv) throughout. Targets have
// the distances pl and pu from their bounds with multipliers lo and up.
// Distances are variables of their own: computed from y they would round to 0.
type Interior struct {
	y, pl, pu, lo, up      []float64 // by target
	dy, dpl, dpu, dlo, dup []float64
	invLo, invUp           []float64 // a bound's multiplier per unit of distance
	halfLo, halfUp         []float64 // change of lo and up were y to stay
	rows                   rows
	system                 system
	sum                    float64       // of the complementarity products
	least                  float64       // average product so far
	stale                  int           // iterations without a lower one
	Limits                 sparse.Limits // zero means Largest
	tooLarge               bool          // the factor would exceed them
	Inexact                bool          // no factor is made: Newton systems are solved by conjugate gradients
	near                   bool          // to the goal, so that directions are refined
	side, weightOf         []float64     // by left-hand side
	sideStep               []float64     // likewise, scratch of the problem; before there is a direction, what rows pull
	apartWeight, liftOf    []float64     // by separate form
}

// Matrix returns the matrix that the Newton systems are factored in.
func (x *Interior) Matrix() *kkt.Matrix { return &x.system.kkt }

// Init places the iterate well inside all bounds.
func (x *Interior) Init(p *problem.Problem) {
	n := p.Targets
	if x.tooLarge = !x.system.start(p, cmp.Or(x.Limits, Largest), x.Inexact); x.tooLarge {
		return
	}
	problem.ResizeAll(n, &x.y, &x.pl, &x.pu, &x.lo, &x.up, &x.dy, &x.dpl, &x.dpu, &x.dlo, &x.dup, &x.invLo, &x.invUp, &x.halfLo, &x.halfUp)
	problem.ResizeAll(n+p.Forms.Len(), &x.side, &x.weightOf)
	x.sideStep = p.Scratch()
	scale := 0.0
	for i := range n {
		scale = max(scale, p.Quad[i], math.Abs(p.Lin[i]))
		room := p.Upper[i] - p.Lower[i]
		x.y[i] = min(max(p.Y[i], p.Lower[i]+0.1*room), p.Upper[i]-0.1*room)
	}
	for k := range p.Rows {
		scale = max(scale, p.Weight[k], min(p.Curv[k], 1))
	}
	scale *= startMultiplier
	for i, y := range x.y {
		x.lo[i], x.up[i] = scale, scale
		x.pl[i], x.pu[i] = y-p.Lower[i], p.Upper[i]-y
	}
	x.least, x.stale, x.near = math.Inf(1), 0, false
	x.rows.start(p)
	x.rows.Sides(p, x.y, x.side)
	x.rows.begin(p, x.side, scale)
	x.sum = sparse.Dot(x.lo, x.pl) + sparse.Dot(x.up, x.pu) + x.rows.products()
	x.apartWeight, x.liftOf = problem.Resize(x.apartWeight, len(x.system.kkt.Forms)), problem.Resize(x.liftOf, len(x.system.kkt.Forms))
}

// Fits reports whether the factor is within the limits, which Init obeys from now on.
func (x *Interior) Fits(p *problem.Problem, l sparse.Limits) bool {
	x.Limits, x.Inexact = l, false
	return x.system.start(p, l, false)
}

// Begin is Init from the middle of the box. It returns false, with nothing done, when the
// factor would exceed the limits.
func (x *Interior) Begin(p *problem.Problem, l sparse.Limits) bool {
	return x.Fits(p, l) && x.fromMiddle(p)
}

// BeginInexact is Begin without a factor. It returns false, with nothing done, where Newton
// systems are not positive definite.
func (x *Interior) BeginInexact(p *problem.Problem) bool {
	x.Inexact = true
	return x.system.start(p, sparse.Limits{}, true) && x.fromMiddle(p)
}

func (x *Interior) fromMiddle(p *problem.Problem) bool {
	clear(p.Dual)
	for i := range p.Y {
		p.Y[i] = (p.Lower[i] + p.Upper[i]) / 2
	}
	x.Init(p)
	return true
}

// Resume is Begin from the point in p, optimal for a problem like p: the point of the
// central path of about its gap, in which the products of the two factors are all equal and
// their differences are the point's. It saves a third to two thirds of the steps.
func (x *Interior) Resume(p *problem.Problem, l sparse.Limits) bool {
	x.dy = problem.Resize(x.dy, p.Targets)
	v := p.Evaluate(x.dy)
	x.Limits, x.Inexact = l, false
	y := slices.Clone(p.Y)
	if x.Init(p); x.tooLarge {
		return false
	}
	r := &x.rows
	tau := min(resumed*v.Gap()/float64(2*p.Targets+r.Plain+2*r.Linear), startMultiplier*startDistance)
	copy(x.y, y)
	p.Pull(p.Dual, x.dy)
	for i, y := range y {
		g := 2*p.Quad[i]*y + x.dy[i]
		x.lo[i], x.pl[i] = centre(max(g, 0), y-p.Lower[i], tau)
		x.up[i], x.pu[i] = centre(max(-g, 0), p.Upper[i]-y, tau)
	}
	r.Sides(p, x.y, x.side)
	r.resume(p, x.side, tau)
	x.sum = sparse.Dot(x.lo, x.pl) + sparse.Dot(x.up, x.pu) + r.products()
	return true
}

// centre returns the factors of the product tau whose difference is a − b.
func centre(a, b, tau float64) (float64, float64) {
	d := math.Abs(a - b)
	large := (d + math.Sqrt(d*d+4*tau)) / 2
	if a > b {
		return large, tau / large
	}
	return tau / large, large
}

// Point clips y to the box and copies the multipliers.
func (x *Interior) Point(p *problem.Problem) {
	if x.tooLarge {
		return
	}
	for i, y := range x.y {
		p.Y[i] = min(max(y, p.Lower[i]), p.Upper[i])
	}
	for n, k := range x.rows.Row {
		p.Dual[k] = x.rows.Mu[n]
	}
}

// Iterate makes one predictor–corrector step on one factorisation.
func (x *Interior) Iterate(p *problem.Problem) problem.Progress {
	if x.tooLarge {
		return problem.Refused
	}
	r := &x.rows
	pairs := 2*len(x.y) + r.Plain + 2*r.Linear
	tau := x.sum / float64(pairs)
	if !(tau > 1e-300) || math.IsInf(tau, 1) {
		return problem.Settled
	}
	x.factor(p)
	if !x.Inexact {
		p.Stats.Factorizations++
	}
	if x.system.kkt.Stopped() {
		return problem.Moving // the point stays
	}
	before := x.system.kkt.Krylov()
	defer func() { p.Stats.Krylov += x.system.kkt.Krylov() - before }()
	step, square := x.direction(p, 0, 0, false)
	// The sum of the products after that step, over the present one.
	ratio := 1 - step + step*step*square/x.sum
	square = ratio * ratio
	goal, second := tau*square*square*ratio, 1.0
	if x.stale++; tau < 0.9*x.least {
		x.least, x.stale = tau, 0
	}
	if x.stale > patience {
		// Far from the central path the corrector can send the iterate round in
		// circles (as Mehrotra's method may); plain steps that centre lead back.
		goal, second = tau/2, 0
	}
	x.correct(p, goal, second)
	// Errors of a solution are corrected in the next step. Near the end, and when steps make
	// no progress, the solution is refined.
	step, _ = x.direction(p, goal, second, x.near || x.stale > 0)
	if step = min(1, 0.995*step); !(step > 1e-8) {
		return problem.Settled
	}
	x.move(step)
	if x.close(p) {
		return problem.Ready
	}
	return problem.Moving
}

// close reports whether the gap can be within the goal: apart from the residuals of the
// equations, the gap is the sum of the products.
func (x *Interior) close(p *problem.Problem) bool {
	g, r := &p.Goal, &x.rows
	value := g.Constant
	for i, y := range x.y {
		value += (p.Quad[i]*y + p.Lin[i]) * y
	}
	for l, s := range r.s {
		value += (r.Weight[l] + r.Curv[l]*s) * s
	}
	if r.Squares {
		for n, half := range r.Half {
			value += 0.5 * half * r.Mu[n] * r.Mu[n]
		}
	}
	allowed := g.AllowedAt(value)
	x.near = x.sum <= nearEnd*allowed
	return x.sum <= 2*allowed
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

// move goes step along the direction.
func (x *Interior) move(step float64) {
	for i, d := range x.dy {
		x.y[i] += step * d
	}
	for f, d := range x.sideStep {
		x.side[f] += step * d
	}
	x.sum = advance(x.lo, x.dlo, x.pl, x.dpl, step) + advance(x.up, x.dup, x.pu, x.dpu, step) + x.rows.advance(step)
}

// States tells the active rows and bounds: of the two factors of a product that
// tends to 0, the smaller one will be 0.
func (x *Interior) States(y, mu []float64, state []activeset.State, hold []int8) {
	r := &x.rows
	copy(y, x.y)
	copy(mu, r.Mu)
	for i := range hold {
		hold[i] = 0
		if x.lo[i] > x.pl[i] {
			hold[i] = -1
		} else if x.up[i] > x.pu[i] {
			hold[i] = 1
		}
	}
	for n := range state {
		state[n] = activeset.Idle
		switch {
		case n >= r.Plain+r.Linear:
			state[n] = activeset.Tight
		case n >= r.Plain && r.s[n-r.Plain] > r.sigma[n-r.Plain], n < r.Plain && r.Half[n]*r.Mu[n] > r.t[n]:
			state[n] = activeset.Active
		case (n >= r.Plain || r.Half[n] == 0) && r.Mu[n] > r.t[n]:
			state[n] = activeset.Tight
		}
	}
}
