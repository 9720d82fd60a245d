package infer

import (
	"fmt"
	"math"

	"hinge/symbolic/infer/internal/activeset"
	"hinge/symbolic/infer/internal/dualascent"
	"hinge/symbolic/infer/internal/ipm"
	"hinge/symbolic/infer/internal/patches"
	"hinge/symbolic/infer/internal/primal"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/sparse"
)

// Auto is the default: it picks and combines methods, for each component. All choices
// are in this file. Each stands beside its reason.
//
//   - A warm start follows the active rows and bounds of the last solution (package
//     activeset): a quarter to two fifths of a solve from zero of large components after
//     steps of 0.01. Where it ends with a few rows wrong in 10⁵ targets and more, patches
//     around them repair it; where with few for the size of the component, or at a rate that
//     leaves too many steps, the interior point method resumes from the old point, in a
//     third to two thirds of its steps. Of small components, the warm start is then dropped:
//     a start with other active rows is worse than none. Of tiny ones it is dropped at once
//     where many rows have changed: from zero, three sweeps find most of them.
//   - On small components (additions) block ascent begins (package
//     dualascent): after fewSweeps sweeps most multipliers are right where outputs are
//     soft, and the active set methods find the rest. Where they do not, the interior
//     point method is run from the middle of the box. Newton steps on the dual, which
//     stood between, made these solves longer by a third. Of lattices they show few,
//     which is why those are left to the table.
//   - A larger quadratic component, as citation graphs have with rules such as
//     HasCat(A, C) = HasCat(B, C) ^2, is solved by block descent on the primal (package
//     primal), from the last solution if there is one: on Cora that takes a sixth of the time
//     of the interior point method, and a fortieth of that of ascent. Where a few passes show
//     that it would take longer than to find the active bounds, this is done from the point
//     that it has reached.
//   - Elsewhere a table of costs predicts the seconds of three approaches from the size and
//     shape of the component and from what a factor takes, and the fastest begins (costs.go; see
//     Choice). The interior point method is that of grids and regressions of up to 10⁶ terms.
//     Patches (package patches), for decomposeFrom targets
//     or more whose rows tie near neighbours, have work and memory in proportion to them;
//     beyond apartFrom targets, where a factor would take gigabytes, they are tried first
//     unless the component is a lattice, as images are.
//     Ascent, by sweeps and by Newton steps on the dual with conjugate gradients, is that of
//     graphs with squared hinges of one direction, whose rows reach far.
//   - Where patches converge slowly, or ascent stalls at kinks or takes longAscent sweeps,
//     the interior point method follows if its factor fits at all; where ascent stalls elsewhere, if it
//     costs little.
//   - Where it does not fit and the dual has kinks, as in bodies in space, the Newton systems
//     of the interior point method are solved by conjugate gradients.
//   - The interior point's answer is polished to the point with the same active rows
//     where that costs little, so that the next warm start can follow them.
type Auto struct {
	// Begin is the approach to begin with on components that are not small, where it can be
	// taken, in place of the one of least predicted cost: ByAscent, ByInterior, ByPatches.
	Begin Approach
}

// Name returns "auto".
func (Auto) Name() string { return "auto" }

// Capabilities says that answers are optima, and that the options are those of the dual methods.
func (Auto) Capabilities() Capabilities {
	return Capabilities{MaxIterations: 20000, CheckEvery: 8, Exact: true, ProvesGap: true, Family: DualFamily}
}

// Validate reports whether Begin is an approach to begin with.
func (m Auto) Validate() error {
	if m.Begin != ByCost && m.Begin != ByAscent && m.Begin != ByInterior && m.Begin != ByPatches {
		return fmt.Errorf("infer: Auto cannot begin with approach %d", m.Begin)
	}
	return nil
}

// NewSolver returns working state.
func (m Auto) NewSolver() Solver { return newAuto(m.Begin) }

func newAuto(only Approach) *auto {
	x := &auto{only: only}
	x.Share(x.interior.Matrix())
	x.decomposition.NewSolver = func() Solver {
		x := newAuto(ByCost)
		x.part = true
		return x
	}
	return x
}

const (
	// tinyTargets is the size up to which a warm start is not tried if more than a third
	// of as many rows, and more than fewReleased, are off by offReleased: sharp outputs of
	// MNIST-Add1 would take 17 breakpoints, and 1.4 times as long as from zero.
	tinyTargets, fewReleased = 64, 8
	offReleased              = 1e-3
	// mostPolished is the number of rows up to which a point is polished, which takes as much room
	// again as the rows do.
	mostPolished = 1 << 20
	// decomposeFrom is the size from which a component may be taken apart, apartFrom
	// that from which it is before presolve, unless it is a lattice.
	decomposeFrom, apartFrom = 8000, 400000
	// fewSweeps is the number of sweeps after which the active rows are guessed.
	fewSweeps = 3
	// longAscent is the number of sweeps after which ascent has lost its way. After fewStalls sweeps whose
	// Newton steps stall it has, too, if the interior point method costs stalledCost times what ascent was
	// predicted to, at most: nearly all sweeps stall on relaxations of assignments, few on citation graphs.
	longAscent, fewStalls, stalledCost = 100, 2, 10
	// Of the factorisations of a solve from zero by the interior point method, one that follows
	// active rows makes shareFollowed at most, one that resumes shareResumed.
	shareFollowed, shareResumed = 1.0 / 3, 1.0 / 2
	// fewPasses is the number of passes of descent after which the number of those to come is
	// predicted, mostPasses the number after which ascent follows where no factor fits.
	fewPasses, mostPasses = 4, 83
	// sweepSeconds is what a multiplication of a sweep of descent takes, by the clock of the
	// table of costs.
	sweepSeconds = 1e-8
)

// phase is where Auto is with a component.
type phase uint8

const (
	// sweeping: block ascent has the point; the interior point method was not run yet.
	sweeping phase = iota
	// resuming: a warm start could not be followed to its end, and the interior point
	// method is to begin with it.
	resuming
	// interior: the interior point method has the point.
	interior
	// finishing: block ascent goes on to the end, as the interior point method has ended or its
	// factor does not fit.
	finishing
	// descending: block descent on the primal has the point.
	descending
	// settled: the active set methods have found the point and left it in the problem.
	settled
)

// auto is the state of Auto: each method that it picks from has its own.
type auto struct {
	activeset.Follower
	ascent        dualascent.Ascent
	interior      ipm.Interior
	decomposition patches.Decomposition
	descent       primal.Descent

	only   Approach // to begin with, ByCost for the cheapest
	part   bool     // it solves parts of a component, from what is known of them
	small  bool     // the component is
	kinked bool     // the dual has kinks
	whole  bool     // the next component cannot be taken apart
	slow   bool     // patches converge slowly on it
	phase  phase
	// polished tells that the interior point method's point was.
	polished bool
	sweeps   int
	stalls   int // of the Newton steps of ascent
	pull     []float64

	known     bool    // whether descent is for the component is
	quadratic bool    // it is
	passes    int     // of descent
	most      float64 // passes that it may take
	change    float64 // the largest of a target in the last sweep
	rate      float64 // change over that of the pass before
}

// Init starts from p.Dual, or begins inside.
func (x *auto) Init(p *Problem) {
	x.small, x.kinked = activeset.Small(p), activeset.Kinked(p)
	resume := x.phase == resuming && !x.small
	x.phase, x.sweeps, x.stalls, x.polished = sweeping, 0, 0, false
	if x.descends(p) {
		p.Choice = Choice{Approach: ByDescent, Features: features(p)}
		x.phase, x.slow, x.passes, x.most = descending, false, 0, 0
		x.descent.Init(p)
		x.known = false // what follows is another component
		return
	}
	x.known = false
	limits, inside := ipm.Largest, x.slow
	switch {
	case x.part:
	case x.small && (p.Targets <= tinyTargets || features(p).Shape != Lattice):
		p.Choice = Choice{Approach: ByGuess}
	case !x.slow:
		x.whole = true // patches are no choice any more
		p.Choice, limits = x.choose(p, resume)
		inside = p.Choice.Approach == ByInterior
	}
	x.slow = false
	if resume && x.interior.Resume(p, limits) {
		x.phase = interior
		return
	}
	if !inside || !x.begin(p, limits) {
		x.ascent.Init(p)
	}
}

// choose returns the approach to p that is predicted to be the fastest, or the one asked for,
// and what a factor may take where that is the interior point method. resume reports whether
// that would begin with a warm start.
func (x *auto) choose(p *Problem, resume bool) (Choice, sparse.Limits) {
	best, steps := x.rival(p), 1.0
	if resume {
		steps = shareResumed
	}
	l := worth(best.Seconds/steps, best.Features)
	if (x.only == ByCost || x.only == ByInterior) && x.interior.Fits(p, l) {
		f, need := best.Features, x.interior.Matrix().Need()
		f.Fill, f.Work = need.Fill, need.Work
		if s := steps * costs.Seconds(ByInterior, f); s < best.Seconds {
			best = Choice{Approach: ByInterior, Seconds: s, Features: f}
		}
	}
	if math.IsInf(best.Seconds, 1) {
		best.Seconds = 0
	}
	return best, l
}

// rival is the best choice beside the interior point method: ascent for want of another one.
func (x *auto) rival(p *Problem) Choice {
	f := features(p)
	best := Choice{Approach: ByAscent, Seconds: math.Inf(1), Features: f}
	if x.only == ByCost || x.only == ByAscent {
		best.Seconds = costs.Seconds(ByAscent, f)
	}
	if !x.whole && p.Targets >= decomposeFrom {
		s := costs.Seconds(ByPatches, f)
		if x.only == ByPatches || x.only == ByCost && s < best.Seconds {
			best = Choice{Approach: ByPatches, Seconds: s, Features: f}
		}
	}
	return best
}

// worth is what a factor may take for the interior point method to end within the seconds.
func worth(seconds float64, f Features) sparse.Limits {
	work := (seconds - costs.Seconds(ByInterior, f)) / costs.Multiplication
	return sparse.Limits{Fill: ipm.Largest.Fill, Work: max(1, min(work, ipm.Largest.Work))}
}

// begin starts the interior point method, unless its factor would exceed the limits. Where
// those are the widest, a dual with kinks leaves nothing better than the method without a
// factor.
func (x *auto) begin(p *Problem, limits sparse.Limits) bool {
	ok := x.interior.Begin(p, limits) || limits == ipm.Largest && x.kinked && x.interior.BeginInexact(p)
	if ok {
		x.phase = interior
	}
	return ok
}

// Point writes the point reached.
func (x *auto) Point(p *Problem) {
	switch x.phase {
	case settled:
	case interior:
		x.interior.Point(p)
	case descending:
		x.descent.Point(p)
	default:
		x.ascent.Point(p)
	}
}

// Iterate makes one step of the interior point method, or one pass of descent, or one sweep of
// ascent and the Newton steps after it.
func (x *auto) Iterate(p *Problem) Progress {
	if x.phase == interior {
		progress := x.interior.Iterate(p)
		if progress == Ready && !x.small && !x.polished && !x.interior.Inexact && p.Rows <= mostPolished {
			return x.polish(p)
		}
		if progress != Settled {
			return progress
		}
		x.Point(p)
		if x.met(p, 1) {
			return Settled
		}
		// It has come to the end of what rounding allows. Ascent goes on from there.
		x.phase = finishing
		x.ascent.Init(p)
		return Moving
	}
	if x.phase == descending {
		return x.descend(p)
	}
	if x.ascent.Iterate(p) == Settled {
		return Settled
	}
	if x.sweeps++; (x.small || x.part) && x.phase == sweeping {
		if x.sweeps == fewSweeps {
			return x.guess(p)
		}
		return Moving
	}
	stalled, ready := x.ascent.Newton(p)
	if stalled {
		x.stalls++
	}
	switch {
	case x.phase == sweeping && (x.sweeps >= longAscent || stalled && x.kinked && !ready):
		if !x.begin(p, ipm.Largest) {
			x.phase = finishing
		}
	case ready:
		return Ready
	case x.phase == sweeping && stalled && x.stalls == fewStalls:
		f := features(p)
		x.begin(p, worth(stalledCost*costs.Seconds(ByAscent, f), f))
	}
	return Moving
}

// polish moves a point whose gap is small enough, but not the multipliers of rows that are both
// active and without effect, which come slowly, to the optimum near it.
func (x *auto) polish(p *Problem) Progress {
	x.Point(p)
	x.pull = problem.Resize(x.pull, p.Targets)
	if v := p.Evaluate(x.pull); v.Gap() > p.Goal.Allowed(v.Dual) || p.Goal.MetButGap(&v, 1) {
		return Ready
	}
	x.polished = true
	if x.Follower.Polish(p, &x.interior) && x.met(p, 1) {
		x.phase = settled
		return Settled
	}
	return Ready
}

// guess moves the point to the optimum with about the active rows and bounds that ascent
// has found; where that is none, the interior point method begins.
func (x *auto) guess(p *Problem) Progress {
	x.Point(p)
	if x.Follower.Polish(p, nil) && x.met(p, 0.5) {
		x.phase = settled
		return Settled
	}
	x.begin(p, ipm.Largest)
	return Moving
}

// descends reports whether p is quadratic and not small, unless another approach was asked for.
func (x *auto) descends(p *Problem) bool {
	if !x.known {
		x.known, x.quadratic = true, x.only == ByCost && !x.part && !activeset.Small(p) && x.descent.Reads(p)
	}
	return x.quadratic
}

// descend makes a pass of descent. Where that converges slowly, the active bounds are guessed.
func (x *auto) descend(p *Problem) Progress {
	if x.passes >= fewPasses && x.tooSlow(p) {
		x.Limits = ipm.Largest
		progress := x.guess(p)
		x.Limits = sparse.Limits{}
		if x.phase == descending {
			x.phase = sweeping
			x.ascent.Init(p)
		}
		return progress
	}
	last := x.change
	x.change = x.descent.Pass(p)
	x.rate = x.change / last
	if x.passes++; x.change < primal.Rounding {
		return Settled
	}
	return Ready
}

// tooSlow reports whether descent is predicted to take longer than to find the active bounds. The
// errors that fade slowly are left longest, so that it may take longer than predicted.
func (x *auto) tooSlow(p *Problem) bool {
	left := math.Inf(1) // passes
	if x.rate < 1 {
		left = math.Log(min(p.Goal.Stationarity/x.change, 1)) / math.Log(x.rate)
	}
	total := float64(x.passes) + left
	if total <= 2*fewPasses {
		return false // not even worth the order of a factor
	}
	if x.most == 0 {
		x.most = mostPasses
		if x.interior.Fits(p, ipm.Largest) {
			f, need := features(p), x.interior.Matrix().Need()
			f.Fill, f.Work = need.Fill, need.Work
			x.most = shareFollowed * costs.Seconds(ByInterior, f) / (sweepSeconds * primal.Sweeps * float64(x.descent.Work()))
		}
	}
	return total > x.most
}

// met reports whether the point in p is within a share of what is asked for.
func (x *auto) met(p *Problem, share float64) bool {
	x.pull = problem.Resize(x.pull, p.Targets)
	v := p.Evaluate(x.pull)
	return p.Goal.Met(&v, share)
}

// Polish moves an answer to the point with the same active rows: one of the interior point method,
// where that costs little. Where ascent has solved a problem, it is polished already.
func (x *auto) Polish(p *Problem, solved bool) bool {
	if !solved {
		return x.Follower.Polish(p, nil)
	}
	return x.phase == interior && x.small && x.Follower.Polish(p, &x.interior)
}

// Decompose solves a large component by patches where that is predicted to be the fastest.
func (x *auto) Decompose(w *problem.Whole, p *Problem) problem.Parts {
	n := len(w.Component.Targets)
	if !w.Presolved {
		x.slow, x.phase, x.whole, x.known = false, sweeping, w.AsIs || n < decomposeFrom, false
		p.Choice = Choice{Approach: ByPresolve}
	}
	switch {
	case x.whole:
		return problem.Parts{}
	case !w.Presolved:
		if n < apartFrom || x.only != ByPatches && (x.only != ByCost || mirrored(w.Instance, w.Component) || lattice(w.Instance, w.Component)) {
			return problem.Parts{}
		}
		p.Choice = Choice{Approach: ByPatches}
	case activeset.Small(p) || x.descends(p):
		return problem.Parts{}
	case p.Near:
		p.Choice = Choice{Approach: ByFollowing}
	default:
		if p.Choice, _ = x.choose(p, x.phase == resuming); p.Choice.Approach != ByPatches {
			return problem.Parts{}
		}
	}
	x.whole = true // whatever follows
	r := x.decomposition.Decompose(w, p)
	if r.End == problem.Slow {
		x.slow, x.phase = true, sweeping
	}
	return r
}

var (
	_ problem.ActiveSetSolver = (*auto)(nil)
	_ problem.Decomposer      = (*auto)(nil)
)
