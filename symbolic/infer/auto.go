package infer

import (
	"math"

	"hinge/symbolic/infer/internal/activeset"
	"hinge/symbolic/infer/internal/dualascent"
	"hinge/symbolic/infer/internal/ipm"
	"hinge/symbolic/infer/internal/kkt"
	"hinge/symbolic/infer/internal/patches"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/sparse"
	"hinge/symbolic/lcqp"
)

// Auto is the default: it picks and combines methods, for each component. All choices
// are in this file. Each stands beside its reason; shares are of the time of a solve.
//
//   - A component of decomposeFrom targets or more whose rows tie near neighbours is
//     taken apart (package patches): work and memory then grow in proportion to it,
//     and no factor has to fit. Where that converges slowly, its multipliers are the
//     start of what follows, which begins with the interior point method.
//   - A warm start follows the active rows and bounds of the last solution (package
//     activeset): 86 % of a warm solve of the additions with sharp outputs and of
//     k-nearest-neighbour labels, and no sweep is made. Where the Newton system is an
//     arrow and that fails, the warm start is dropped: a start with other active rows
//     is worse than none.
//   - From zero, block ascent begins (package dualascent): after a sweep or two many
//     multipliers are right, at 2 % (Add2 sharp) to 23 % (Add2 soft) of the time.
//   - Between sweeps come Newton steps on the dual, as long as they halve the residual:
//     91 % of the citation graphs of 10⁵ terms, which need nothing else.
//   - Where they do not, ε is tiny and constraints are many: the dual is nearly
//     piecewise linear, with a breakpoint at every turn. The interior point method does
//     not see them. It is run on the rows that are active or nearly so, and its
//     multipliers are taken if the dual is higher there; at the second stall, or after
//     longAscent sweeps, its answer is the answer: 70 % of Add2 sharp, 81 % to 91 % of
//     chains, grids and k-nearest-neighbour labels of 10⁴ terms.
//   - Where the Newton system is an arrow (additions), a solve of it costs little: the
//     interior point method comes after longAscentArrow sweeps and at the first stall.
//   - The interior point's answer is polished to the point with the same active rows, so
//     that the next warm start can follow them.
//
// The dual never falls, from block to block, step to step and fallback to fallback,
// except when the interior point's answer itself is returned, whose dual value
// is that of the optimum within the tolerances.
type Auto struct{}

// Name returns "auto".
func (Auto) Name() string { return "auto" }

// Defaults returns 20,000 sweeps, tested after each eighth or when the method
// sees nothing left to do.
func (Auto) Defaults() (int, int) { return 20000, 8 }

// NewSolver returns working state.
func (Auto) NewSolver() Solver { return new(auto) }

const (
	// decomposeFrom is the size from which a component is taken apart.
	decomposeFrom = 8000
	// longAscent is the number of sweeps after which ascent has lost its way: with
	// Newton steps and one fallback a few are enough. Where the fallback costs
	// little it is longAscentArrow.
	longAscent, longAscentArrow = 100, 3
)

// What the factor of the interior point method may take: where Newton steps and
// sweeps go on otherwise, and where they are known to be slow.
var (
	shortFactor = activeset.ShortFactor
	longFactor  = sparse.Limits{Fill: 1 << 24, Work: 1 << 33}
)

// auto is the state of Auto: each method that it picks from has its own.
type auto struct {
	ascent dualascent.Ascent
	subset ipm.Subset
	activeset.Follower
	decomposition patches.Decomposition

	// atOnce says that the interior point method comes before anything else,
	// slow that the next component is to begin so.
	atOnce, slow bool
	tried        bool // a fallback after long has failed
	stalls       int  // how often Newton steps have stalled
	landed       bool // the interior point's answer, left in the problem, is ours
	sweeps       int

	safeY, safeDual, pull []float64
}

func (x *auto) WorksOnForms() {}

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
func (x *auto) cheap(p *Problem) bool { return kkt.Arrow(p) && !x.tried }

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
	x.pull = problem.Resize(x.pull, p.Targets)
	x.tried = true
	x.Point(p)
	if !x.subset.Solve(p, longFactor) {
		return false
	}
	v := p.Evaluate(x.pull)
	x.landed = p.Goal.Met(&v, 0.5)
	return x.landed
}

// improve finds the interior point's answer, keeps it and moves λ there unless
// the dual is lower.
func (x *auto) improve(p *Problem, limits sparse.Limits) {
	x.pull = problem.Resize(x.pull, p.Targets)
	x.Point(p)
	before := p.Evaluate(x.pull).Dual
	x.ascent.Keep()
	if !x.subset.Solve(p, limits) {
		return
	}
	v := p.Evaluate(x.pull)
	if !(v.Dual > before) || math.IsInf(v.Dual, 0) {
		return
	}
	x.safeY, x.safeDual = append(x.safeY[:0], p.Y...), append(x.safeDual[:0], p.Dual...)
	if p.Goal.Met(&v, 0.5) {
		x.landed = true
		return
	}
	x.subset.DropIdle(p)
	x.ascent.Restart(p)
	x.Point(p)
	if p.Evaluate(x.pull).Dual < before {
		x.ascent.Return()
	}
}

// Polish moves an answer to the point with the same active rows. Where ascent has
// solved a problem, it is that point already.
func (x *auto) Polish(p *Problem, solved bool) bool {
	if !solved {
		return x.Follower.Polish(p, nil)
	}
	return x.landed && kkt.Arrow(p) && x.Follower.Polish(p, &x.subset.Interior)
}

// decomposer is a Solver that can take a whole component apart before presolve, and
// so needs no matrix that spans it.
type decomposer interface {
	// decompose solves component c and writes its part of res, or returns false and
	// a start that is at least as good as warm.
	decompose(in *lcqp.Instance, warm *Warm, s *Settings, deadline problem.Deadline,
		c, instance int, res *Result) (better *Warm, done bool)
}

// decompose solves a large component by patches if that is possible.
func (x *auto) decompose(in *lcqp.Instance, warm *Warm, s *Settings, deadline problem.Deadline,
	c, instance int, res *Result) (better *Warm, done bool) {
	x.slow = false
	comp, out, g := &in.Components[c], &res.Components[c], &x.decomposition
	if s.NoPresolve || len(comp.Targets) < decomposeFrom {
		return warm, false
	}
	var start []float64
	if warm != nil {
		start = warm.Dual
	}
	t := patches.Task{Tolerance: s.tolerance(in.Epsilon, 0), MaxIterations: s.MaxIterations, Workers: s.Workers, Deadline: deadline,
		NewSolver: func() Solver { return new(auto) },
		Record: func(v *problem.Point, stats *Stats) {
			if s.Recorder != nil {
				s.Recorder.Record(Record{Instance: instance, Component: c, Iteration: stats.Iterations,
					Primal: v.Primal, Dual: v.Dual, Violation: v.Violation, Stats: *stats})
			}
		}}
	v, end := g.Run(in, comp, start, &t, res.Dual, res.Y)
	defer g.Release()
	switch end {
	case patches.NotLocal:
		return warm, false
	case patches.Slow:
		x.slow = true
		return &Warm{Dual: res.Dual}, false
	case patches.Converged:
		out.Status = Solved
	case patches.OutOfTime:
		out.Status = TimeLimit
	case patches.OutOfIterations:
		out.Status = IterationLimit
	}
	if end != patches.Converged && problem.Almost(0).Met(&v, 1) {
		out.Status = AlmostSolved
	}
	out.Stats = g.Stats
	out.Primal, out.Dual, out.Violation = v.Primal, v.Dual, v.Violation
	out.Energy = g.Finish(&res.Solution)
	return warm, true
}
