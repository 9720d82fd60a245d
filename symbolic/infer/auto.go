package infer

import (
	"math"
	"time"

	"hinge/symbolic/infer/internal/sparse"
	"hinge/symbolic/lcqp"
)

// DualBCD picks and combines methods.
type DualBCD struct {
	// NoNewton leaves out everything but block steps: pure coordinate ascent.
	NoNewton bool
}

// Name returns "bcd".
func (DualBCD) Name() string { return "bcd" }

// Defaults returns 20,000 sweeps, tested after each eighth or when the method
// sees nothing left to do.
func (DualBCD) Defaults() (int, int) { return 20000, 8 }

// NewSolver returns working state.
func (d DualBCD) NewSolver() Solver {
	if d.NoNewton {
		return new(dualBCD)
	}
	return new(auto)
}

// auto is the state of DualBCD: each method that it picks from has its own.
type auto struct {
	ascent dualBCD
	subset subset
	activeSet
	patches giant

	// atOnce says that the interior point method comes before anything else,
	// slow that the next component is to begin so.
	atOnce, slow bool
	tried        bool // a fallback after long has failed
	stalls       int  // how often Newton steps have stalled
	landed       bool // the interior point's answer, left in the problem, is ours
	sweeps       int

	safeY, safeDual, pull []float64
}

const (
	// patchTargets is the size from which a component is solved by patches.
	patchTargets = 8000
	// longAscent is the number of sweeps after which ascent has lost its way: with
	// Newton steps and one fallback a few are enough. Where the fallback costs
	// little it is longAscentArrow.
	longAscent, longAscentArrow = 100, 3
)

// What the factor of the interior point method may take: where Newton steps and
// sweeps go on otherwise, and where they are known to be slow.
var longFactor = sparse.Limits{Fill: 1 << 24, Work: 1 << 33}

func (x *auto) worksOnForms() {}

// Init starts from p.Dual.
func (x *auto) Init(p *Problem) {
	x.ascent.Init(p)
	x.atOnce, x.slow = x.slow, false
	x.tried, x.landed, x.stalls, x.sweeps = false, false, 0, 0
	x.safeDual = x.safeDual[:0]
}

// Point writes the point reached.
func (x *auto) Point(p *Problem) {
	if !x.landed {
		x.ascent.Point(p)
	}
}

// Iterate makes one sweep over the dirty groups and, when it changed little,
// Newton steps; where they get short, it falls back to the interior point method.
func (x *auto) Iterate(p *Problem) Progress {
	if x.atOnce && x.interiorFirst(p) {
		return Settled
	}
	if x.ascent.Iterate(p) == Settled {
		return Settled
	}
	if x.long(p) && x.fallBack(p) {
		return Settled
	}
	if x.ascent.Newton(p, x.cheap(p)) {
		return x.stalled(p)
	}
	return Moving
}

// cheap tells whether Newton steps are to be given up for the interior point
// method unless they lead straight to the end: where it costs as much as a few of
// them.
func (x *auto) cheap(p *Problem) bool { return arrow(p) && !x.tried }

// long tells whether this sweep is the one after which to fall back.
func (x *auto) long(p *Problem) bool {
	x.sweeps++
	if x.cheap(p) {
		return x.sweeps == longAscentArrow
	}
	return x.sweeps == longAscent
}

// interiorFirst lands where the interior point method leads from the present point.
// It returns false when there is no way.
func (x *auto) interiorFirst(p *Problem) bool {
	x.atOnce = false
	x.improve(p, longFactor)
	if len(x.safeDual) == 0 {
		return false
	}
	x.land(p)
	return true
}

// stalled goes on after Newton steps have become short. It moves λ to the interior
// point's multipliers, with those of inactive rows set to zero, if the dual is higher
// there. Sweeps and Newton steps then make the answer exact. If they keep stalling,
// the interior point itself is the answer.
func (x *auto) stalled(p *Problem) Progress {
	if x.cheap(p) && x.fallBack(p) {
		return Settled
	}
	x.stalls++
	switch {
	case x.stalls == 1:
		x.improve(p, shortFactor)
	case len(x.safeDual) > 0:
		x.land(p)
	}
	if x.landed {
		return Settled
	}
	return Moving
}

// land makes the interior point's answer the point.
func (x *auto) land(p *Problem) {
	copy(p.Y, x.safeY)
	copy(p.Dual, x.safeDual)
	x.landed = true
}

// fallBack ends a long ascent along the edges of the dual, where Newton steps are
// refused again and again: it lands at the interior point's answer if the stop
// rule holds there, though its dual may lie below the present one by rounding.
func (x *auto) fallBack(p *Problem) bool {
	x.pull = resize(x.pull, p.Targets)
	x.tried = true
	x.Point(p)
	if !x.subset.solve(p, longFactor) {
		return false
	}
	v := p.evaluate(x.pull)
	x.landed = p.goal.met(&v, 0.5)
	return x.landed
}

// improve finds the interior point's answer, keeps it and moves λ there unless
// the dual is lower.
func (x *auto) improve(p *Problem, limits sparse.Limits) {
	x.pull = resize(x.pull, p.Targets)
	x.Point(p)
	before := p.evaluate(x.pull).dual
	x.ascent.Keep()
	if !x.subset.solve(p, limits) {
		return
	}
	v := p.evaluate(x.pull)
	if !(v.dual > before) || math.IsInf(v.dual, 0) {
		return
	}
	x.safeY, x.safeDual = append(x.safeY[:0], p.Y...), append(x.safeDual[:0], p.Dual...)
	if p.goal.met(&v, 0.5) {
		x.landed = true
		return
	}
	x.subset.dropIdle(p)
	x.ascent.restart(p)
	x.Point(p)
	if p.evaluate(x.pull).dual < before {
		x.ascent.Return()
	}
}

// Polish moves an answer to the point with the same active rows. Where ascent has
// solved a problem, it is that point already.
func (x *auto) Polish(p *Problem, solved bool) bool {
	if !solved {
		return x.activeSet.polish(p, nil)
	}
	return x.landed && arrow(p) && x.activeSet.polish(p, &x.subset.interior)
}

// decomposer is a Solver that can take a whole component apart before presolve, and
// so needs no matrix that spans it.
type decomposer interface {
	// decompose solves component c and writes its part of res, or returns false and
	// a start that is at least as good as warm.
	decompose(in *lcqp.Instance, warm *Warm, s *Settings, deadline time.Time,
		c, instance int, res *Result) (better *Warm, done bool)
}

// decompose solves a large component by patches if that is possible.
func (x *auto) decompose(in *lcqp.Instance, warm *Warm, s *Settings, deadline time.Time,
	c, instance int, res *Result) (better *Warm, done bool) {
	x.slow = false
	comp, out, g := &in.Components[c], &res.Components[c], &x.patches
	if s.NoPresolve || len(comp.Targets) < patchTargets {
		return warm, false
	}
	var start []float64
	if warm != nil {
		start = warm.Dual
	}
	t := task{tolerance: s.tolerance(in.Epsilon, 0), maxIterations: s.MaxIterations, workers: s.Workers, deadline: deadline,
		newSolver: func() Solver { return new(auto) },
		record: func(v *point, stats *Stats) {
			if s.Recorder != nil {
				s.Recorder.Record(Record{Instance: instance, Component: c, Iteration: stats.Iterations,
					Primal: v.primal, Dual: v.dual, Violation: v.violation, Stats: *stats})
			}
		}}
	v, end := g.run(in, comp, start, &t, res.Dual, res.Y)
	defer g.release()
	switch end {
	case notLocal:
		return warm, false
	case slowly:
		x.slow = true
		return &Warm{Dual: res.Dual}, false
	case converged:
		out.Status = Solved
	case outOfTime:
		out.Status = TimeLimit
	case outOfIterations:
		out.Status = IterationLimit
	}
	if end != converged && almost(0).met(&v, 1) {
		out.Status = AlmostSolved
	}
	out.Stats = g.stats
	out.Primal, out.Dual, out.Violation = v.primal, v.dual, v.violation
	out.Energy = g.finish(&res.Solution)
	return warm, true
}
