package infer

import (
	"math"
	"time"

	"hinge/symbolic/lcqp"
)

// worker is the state of one goroutine of the driver. Workers are pooled, so
// their storage is reused from solve to solve.
type worker struct {
	method   Method
	solver   Solver
	presolve presolve
	giant    giant
	homotopy homotopy
	refiner  refiner
	problem  Problem
	pull     []float64
	keptY    []float64
	keptDual []float64
	last     []float64 // duals at the previous check, for certificates
}

// use makes the worker's solver one of the method's.
func (w *worker) use(m Method) {
	if w.solver == nil || w.method != m {
		w.method, w.solver = m, m.NewSolver()
	}
}

// formSolver is a Solver that works on the forms of a problem and does not need
// A by row and column.
type formSolver interface{ worksOnForms() }

// component solves component c of an instance and writes its part of res. This
// is the only loop that knows when to stop.
func (w *worker) component(in *lcqp.Instance, warm *Warm, s *Settings, deadline time.Time,
	c, instance int, level reduction, res *Result) (certificate *Certificate) {
	out := &res.Components[c]
	*out = ComponentResult{}
	warm, slow, done := w.patches(in, warm, s, deadline, c, instance, res)
	if done {
		return nil
	}
	pre, p := &w.presolve, &w.problem
	pre.tol = max(s.FeasibilityTolerance, neverActive)
	if level == reduceMerged && s.NoPresolve {
		level = reduceFixed
	}
	if !pre.run(in, c, level, p) {
		return w.infeasible(in, c, res)
	}
	if !w.onForms() {
		p.expand()
	}
	p.Stats.RowsLeft, p.Stats.TargetsLeft = p.Rows, p.Targets
	pre.start(p, warm)
	p.goal = goal{s.GapTolerance, s.GapAbsolute, in.Epsilon, pre.primal, s.FeasibilityTolerance, s.StationarityTolerance}
	w.pull = resize(w.pull, p.Targets)
	var v point
	e := &evaluation{in: in, settings: s, presolved: pre.primal, instance: instance, component: c}
	switch {
	case p.Targets == 0:
		out.Status = Solved
	case warm != nil && len(warm.Dual) > 0 && len(warm.Y) > 0 && w.again(p, e, &v):
		out.Status = Solved
	default:
		if warm != nil && kktOf(p.layout).arrow && w.refines() {
			warm = nil // a start with other active rows is worse than none
		}
		pre.start(p, warm)
		if out.Status = w.iterate(p, e, deadline, slow, &v); out.Status == Infeasible {
			if len(pre.lay.tree) > 0 {
				// The proof has to name the rows that merged targets.
				return w.component(in, warm, s, deadline, c, instance, reduceChains, res)
			}
			return w.infeasible(in, c, res)
		}
	}
	energy, constant := pre.finish(p, &res.Solution)
	if off := pre.recoveryError(&res.Solution); out.Status.OK() && off > s.StationarityTolerance {
		out.Status = AlmostSolved
		if off > 1e-6 {
			out.Status = NoProgress
		}
	}
	out.Energy = energy
	out.Primal, out.Dual, out.Violation = v.primal+constant, v.dual+constant, v.violation
	out.Stats = p.Stats
	return nil
}

// again tries to go on from the warm start in p, with the active rows and bounds
// that it has.
func (w *worker) again(p *Problem, e *evaluation, v *point) bool {
	if !w.refines() {
		return false
	}
	fits := w.homotopy.fits(p)
	if fits && w.homotopy.straight(p) {
		return e.test(p, w.pull, v, false)
	}
	if e.test(p, w.pull, v, false) {
		return true
	}
	return (fits && w.homotopy.follow(p) || w.refiner.run(p, nil)) && e.test(p, w.pull, v, false)
}

// follow moves the point in p, or that of the interior point method in x, to the
// optimum near it.
func (w *worker) follow(p *Problem, x *interiorPoint) bool {
	return w.homotopy.fits(p) && (w.homotopy.straight(p) || w.homotopy.follow(p)) || w.refiner.run(p, x)
}

// polish replaces the point in p, or that of the interior point method in x, by
// the one at which the same rows and bounds are active, if there is one that the
// stop rule accepts. It is more exact, and the next warm start can use it.
func (w *worker) polish(p *Problem, e *evaluation, x *interiorPoint, v *point, settled bool) bool {
	w.keptY, w.keptDual = append(w.keptY[:0], p.Y...), append(w.keptDual[:0], p.Dual...)
	before := *v
	if !w.follow(p, x) {
		return false
	}
	if !e.test(p, w.pull, v, settled) {
		copy(p.Y, w.keptY)
		copy(p.Dual, w.keptDual)
		*v = before
		return false
	}
	return true
}

// interior returns the interior point method whose iterate on the whole of p is the
// solver's point, nil if there is none.
func (w *worker) interior(p *Problem) *interiorPoint {
	switch x := w.solver.(type) {
	case *interiorPoint:
		return x
	case *dualBCD:
		if x.leap.landed && arrow(p) {
			return &x.leap.interior
		}
	}
	return nil
}

// refines tells whether the method may start from a refined warm state: those
// of the paper start from what they are given.
func (w *worker) refines() bool {
	x, pure := w.solver.(*dualBCD)
	return w.onForms() && !(pure && x.options.NoNewton)
}

func (w *worker) onForms() bool {
	_, ok := w.solver.(formSolver)
	return ok
}

// iterate runs the method from p until the stop rule holds or the method ends.
func (w *worker) iterate(p *Problem, e *evaluation, deadline time.Time, slow bool, v *point) Status {
	s := e.settings
	w.solver.Init(p)
	if x, ok := w.solver.(*dualBCD); ok {
		x.leap.atOnce = slow
	}
	w.last = append(w.last[:0], p.Dual...)
	late := func() bool { return !deadline.IsZero() && time.Now().After(deadline) }
	violation := 0.0 // at the last test: one that shrinks will vanish
	for progress := Moving; ; {
		w.solver.Point(p)
		if e.test(p, w.pull, v, progress == Settled) {
			if x := w.interior(p); x != nil {
				w.polish(p, e, x, v, false)
			}
			return Solved
		}
		if v.violation > s.FeasibilityTolerance && (v.violation > violation/2 || progress == Settled) && w.farkas(p) {
			return Infeasible
		}
		violation = v.violation
		stop := NotRun
		switch {
		case progress == Settled:
			stop = NoProgress
		case progress == Refused:
			stop = TooLarge
		case p.Stats.Iterations >= s.MaxIterations:
			stop = IterationLimit
		case late():
			stop = TimeLimit
		}
		if stop != NotRun {
			if stop != TooLarge && stop != TimeLimit && w.refines() && w.polish(p, e, nil, v, true) {
				return Solved
			}
			if v.violation <= 1e-6 && v.stationarity <= 1e-6 && e.gap(v) <= 1e-6*(1+math.Abs(v.dual+e.presolved)) {
				stop = AlmostSolved
			}
			return stop
		}
		progress = Moving
		for n := 0; progress == Moving && n < s.CheckEvery && p.Stats.Iterations < s.MaxIterations; n++ {
			progress = w.solver.Iterate(p)
			p.Stats.Iterations++
			if late() {
				break
			}
		}
	}
}

// evaluation is the stop rule for one component.
type evaluation struct {
	in                  *lcqp.Instance
	settings            *Settings
	presolved           float64 // value of what presolve has set aside
	instance, component int
}

func (e *evaluation) gap(v *point) float64 { return worst(math.Abs(v.primal-v.dual), v.product) }

// test evaluates the point of p and tells whether the stop rule holds. pull is
// scratch; settled tells that the method sees nothing left to improve.
func (e *evaluation) test(p *Problem, pull []float64, v *point, settled bool) bool {
	s := e.settings
	*v = p.evaluate(pull)
	p.Stats.Checks++
	if s.Recorder != nil {
		s.Recorder.Record(Record{Instance: e.instance, Component: e.component, Iteration: p.Stats.Iterations,
			Primal: v.primal + e.presolved, Dual: v.dual + e.presolved, Violation: v.violation, Stats: p.Stats})
	}
	gap := e.gap(v)
	allowed := max(s.GapTolerance*(e.in.Epsilon+math.Abs(v.dual+e.presolved)), s.GapAbsolute)
	if settled && gap > allowed {
		allowed = max(allowed, min(p.rounding(pull), 1e-7))
	}
	return v.violation <= s.FeasibilityTolerance && v.stationarity <= s.StationarityTolerance && gap <= allowed
}

// infeasible writes a harmless point for a component without feasible points.
func (w *worker) infeasible(in *lcqp.Instance, c int, res *Result) *Certificate {
	out := &res.Components[c]
	out.Status = Infeasible
	out.Primal, out.Dual, out.Violation = math.Inf(1), math.Inf(1), math.Inf(1)
	out.Stats = w.problem.Stats
	for _, t := range in.Components[c].Targets {
		res.Y[t], res.LowerDual[t], res.UpperDual[t] = in.Lower[t], 0, 0
	}
	for _, row := range in.Components[c].Rows {
		res.Dual[row] = 0
		if k := int(row) - in.Constraints; k >= 0 {
			res.Slack[k], res.SlackDual[k] = 0, 0
		}
	}
	return w.presolve.certificate()
}

// farkas tests whether the hard part of the duals, or of their change since the
// last check, proves the problem infeasible: when there is no feasible point
// the dual is unbounded, and both tend to the direction in which it grows. On
// success the proof is left in presolve.seed.
func (w *worker) farkas(p *Problem) bool {
	for k, mu := range p.Dual {
		w.last[k] = mu - w.last[k]
	}
	found := w.proves(p, w.last) || w.proves(p, p.Dual)
	copy(w.last, p.Dual)
	return found
}

func (w *worker) proves(p *Problem, mu []float64) bool {
	m := w.pull
	clear(m)
	margin, scale := 0.0, 0.0
	g := p.forms
	for f := range len(p.formPtr) - 1 {
		lambda := 0.0
		for k := p.formPtr[f]; k < p.formPtr[f+1]; k++ {
			v := mu[k]
			if p.Kind[k] > lcqp.HardEQ || v == 0 || p.Kind[k] == lcqp.HardLE && v < 0 {
				continue
			}
			margin += v * p.B[k]
			scale += math.Abs(v * p.B[k])
			lambda += p.coef[k] * v
		}
		if f < p.Targets {
			m[f] += lambda
			scale += math.Abs(lambda)
			continue
		}
		for j := g.ptr[f-p.Targets]; lambda != 0 && j < g.ptr[f-p.Targets+1]; j++ {
			m[g.col[j]] += g.val[j] * lambda
			scale += math.Abs(g.val[j] * lambda)
		}
	}
	for i, v := range m {
		margin += min(v*p.Lower[i], v*p.Upper[i])
	}
	if !(margin > 1e-9*scale) {
		return false
	}
	w.presolve.seed = w.presolve.seed[:0]
	for k, v := range mu {
		if p.Kind[k] == lcqp.HardEQ && v != 0 || p.Kind[k] == lcqp.HardLE && v > 0 {
			w.presolve.seed = append(w.presolve.seed, fixing{row: w.presolve.rows[k], mu: v})
		}
	}
	return true
}
