package consensus

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	app "hinge/app/infer"
	"hinge/optim/collective"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/train/exit"
)

// Part is this rank's share of a program.
type Part struct {
	// Instance holds the rank's rows. It has no proximal term.
	Instance *lcqp.Instance
	// Targets holds the number that each target of the instance has in the whole program,
	// increasing.
	Targets []int32
}

// Settings are the settings of Solve. The zero value is a good choice.
type Settings struct {
	// Infer holds the tolerances and the time limit for the whole program; GapTolerance and
	// GapAbsolute bound the gap of all components together. Method, Workers and MaxIterations
	// are for the ranks' own problems.
	Infer infer.Settings
	// MaxIterations bounds the iterations of the ranks together. Zero means 2000.
	MaxIterations int
	// Small is the largest number of rows of a component of several ranks that is sent to one
	// of them. Zero means an eighth of the average number of rows of a rank, but at least
	// 10,000; a negative number sends none.
	Small int
	// WholeOnly leaves out the solves near the border, for comparisons.
	WholeOnly bool
	// Observe, if not nil, is called for each point that is judged, with the iterations of
	// consensus so far and the residual of the whole program. It must change nothing.
	Observe func(iterations int, r lcqp.Residual)
}

// Result is the outcome.
type Result struct {
	app.JointResult
	Near int // the number of solves near shared targets
}

// defaultIterations replaces a zero Settings.MaxIterations.
const defaultIterations = 2000

// state is one Solve in progress.
type state struct {
	c        collective.Comm
	in       *lcqp.Instance
	settings *Settings
	local    infer.Settings
	goal     tolerance
	deadline infer.Deadline
	links    *links
	own      []bool

	// By position: consensus, scaled multipliers, relative penalties, scratch. rho scales
	// the penalties.
	z, u, d, scratch []float64
	rho              float64
	pull             []float64 // by target

	res         infer.Result // of this rank's rows
	warm        infer.Warm
	sol         *lcqp.Solution // the solution in res
	certificate *infer.Certificate
	number      []int32   // Part.Targets
	common      int       // components of several ranks
	active      []int32   // positions whose targets consensus is sought for
	gathered    *gathered // the small components
	Iterations  int
	Near        int
}

// Solve solves the program whose parts the ranks of c pass. All ranks call it together, with
// the same settings.
func Solve(c collective.Comm, part *Part, s Settings, res *Result) error {
	begin := time.Now()
	err := check(part)
	if err := agree(c, err); err != nil {
		return err
	}
	st := newState(c, part.Instance, s, begin)
	st.number = part.Targets
	if st.links, err = newLinks(c, part.Targets, hardTargets(st.in)); err != nil {
		return err
	}
	st.own = st.links.owns(st.in.Targets)
	v, end, err := st.run()
	if err != nil {
		return err
	}
	*res = Result{app.JointResult{Solution: *st.sol, Own: st.own, Energy: v.energy, Residual: v.residual,
		Certificate: st.certificate, Iterations: st.Iterations, Shared: st.links.total}, st.Near}
	err = st.sizes(res)
	res.Status = st.status(v, end, res.Components)
	res.Runtime = time.Since(begin)
	return err
}

// agree makes an error of one rank one of all.
func agree(c collective.Comm, err error) error {
	return collective.Agree(c, err, func(error) int { return exit.Internal })
}

func check(part *Part) error {
	if part == nil || part.Instance == nil || len(part.Targets) != part.Instance.Targets {
		return errors.New("consensus: a part needs an instance and a number for each of its targets")
	}
	last := int32(-1)
	for i, number := range part.Targets {
		if number <= last {
			return fmt.Errorf("consensus: target %d has the number %d, want one above %d: numbers increase from 0 on", i, number, last)
		}
		last = number
	}
	for i, r := range part.Instance.Prox {
		if r != 0 {
			return fmt.Errorf("consensus: target %d has a proximal term", i)
		}
	}
	return nil
}

func newState(c collective.Comm, in *lcqp.Instance, s Settings, begin time.Time) *state {
	st := &state{c: c, in: in, settings: &s, rho: 1, local: s.Infer, pull: make([]float64, in.Targets)}
	s.MaxIterations = cmp.Or(s.MaxIterations, defaultIterations)
	st.goal = tolerance{gap: cmp.Or(s.Infer.GapTolerance, 1e-8), absolute: s.Infer.GapAbsolute, offset: in.Epsilon,
		violation: cmp.Or(s.Infer.FeasibilityTolerance, 1e-9), stationarity: cmp.Or(s.Infer.StationarityTolerance, 1e-7)}
	st.exactness(0)
	st.deadline.Stop = s.Infer.Stop
	if s.Infer.MaxTime > 0 {
		st.deadline.At = begin.Add(s.Infer.MaxTime)
	}
	return st
}

// hardTargets tells which targets are in a hard row.
func hardTargets(in *lcqp.Instance) []bool {
	hard := make([]bool, in.Targets)
	for _, i := range in.Col[:in.Ptr[in.Constraints]] {
		hard[i] = true
	}
	return hard
}

// run solves: first each rank for itself and components that are small for all, then, what
// several ranks have, together.
func (st *state) run() (v *point, end infer.Status, err error) {
	n := len(st.links.shared)
	st.z, st.u, st.d, st.scratch = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	err = infer.Solve(st.in, nil, st.limited(), &st.res)
	if err := agree(st.c, err); err != nil {
		return nil, 0, err
	}
	st.sol, st.certificate = &st.res.Solution, st.res.Certificate
	worst := float64(st.res.Status)
	if st.links.total > 0 {
		var status infer.Status
		if st.gathered, st.active, err = st.small(); err == nil {
			status, err = st.gathered.solve(st, st.sol, st.limited())
		}
		if err != nil {
			return nil, 0, err
		}
		worst = max(worst, float64(status))
	}
	most := []float64{worst, float64(len(st.active))}
	if err := collective.Max(st.c, most); err != nil {
		return nil, 0, err
	}
	if end := infer.Status(most[0]); end == infer.Infeasible || most[1] == 0 {
		v, err := st.complete(st.sol)
		return v, end, err
	}
	if err := st.penalties(); err != nil {
		return nil, 0, err
	}
	return st.together()
}

// patience is the number of iterations without a better point after which no further
// progress is expected.
const patience = 100

// together solves the components that several ranks share: near the border as long as that is
// enough, then by consensus until the stop rule holds.
func (st *state) together() (v *point, end infer.Status, err error) {
	least, since := math.Inf(1), 0
	// judge reports whether to end with the point reached.
	judge := func() (done bool, err error) {
		if v, err = st.complete(st.sol); err != nil {
			return false, err
		}
		stop := 0.0
		if st.deadline.Passed() {
			stop = 1
		}
		if stop, err = st.total(stop); err != nil {
			return false, err
		}
		e := st.excess(&v.residual, &st.goal)
		if st.settings.Observe != nil {
			st.settings.Observe(st.Iterations, v.residual)
		}
		if since++; e < least {
			least, since = e, 0
		}
		st.exactness(e)
		switch {
		case e <= 1:
			end = infer.Solved
		case stop > 0:
			end = infer.TimeLimit
		case st.Iterations >= st.settings.MaxIterations:
			end = infer.IterationLimit
		case since >= patience:
			end = infer.NoProgress
		}
		return end != infer.NotRun, nil
	}
	var strip *gathered
	for depth := nearDepth; ; depth *= farther {
		if strip, err = st.strip(depth); err != nil {
			return nil, 0, err
		}
		if strip == nil {
			break
		}
		before := least
		if err := st.solveNear(strip); err != nil {
			return nil, 0, err
		}
		if done, err := judge(); done || err != nil {
			return v, end, err
		}
		if least > before/worthwhile {
			break
		}
	}
	if strip == nil {
		if strip, err = st.strip(nearDepth); err != nil {
			return nil, 0, err
		}
	}
	for {
		if err := st.iterate(); err != nil {
			return nil, 0, err
		}
		st.gathered.restore(st.sol)
		before := least
		if done, err := judge(); done || err != nil {
			return v, end, err
		}
		if least > before/worthwhile {
			strip = nil // where it does not help much, it disturbs
		}
		if strip != nil {
			if err := st.solveNear(strip); err != nil {
				return nil, 0, err
			}
		}
	}
}

// total adds up a number over the ranks.
func (st *state) total(v float64) (float64, error) {
	sum := []float64{v}
	err := collective.Sum(st.c, sum)
	return sum[0], err
}

// exactness sets the tolerances of the ranks' own solves by the excess of the current point:
// their errors must be small beside its errors.
func (st *state) exactness(excess float64) {
	t := min(max(excess*errorShare, 1), looseLimit) / localShare
	st.local.GapTolerance, st.local.GapAbsolute = t*st.goal.gap, t*st.goal.absolute/float64(st.c.Size())
	st.local.FeasibilityTolerance, st.local.StationarityTolerance = st.goal.violation/localShare, t*st.goal.stationarity
}

const (
	// localShare is how much more exact than the whole the ranks' own problems are solved in
	// the end, errorShare how much more exact than the point reached while that is worse, and
	// looseLimit the largest ratio of tolerances.
	localShare, errorShare, looseLimit = 4, 0.01, 1e4
)

// limited are the settings of a rank's own solve, with the time that is left.
func (st *state) limited() infer.Settings {
	s := st.local
	if !st.deadline.At.IsZero() {
		s.MaxTime = max(time.Until(st.deadline.At), time.Millisecond)
	}
	return s
}

// sizes fills in the sizes of the whole program.
func (st *state) sizes(res *Result) error {
	in := st.in
	shared := make([]bool, in.Targets)
	for _, i := range st.links.shared {
		shared[i] = true
	}
	var rows, components float64 // rows in components with a target in common, components without one
	for c := range in.Components {
		comp, common := &in.Components[c], false
		for _, i := range comp.Targets {
			common = common || shared[i]
		}
		switch {
		case common:
			rows += float64(len(comp.Rows))
		case len(comp.Targets) > 0:
			components++
		}
	}
	sums := []float64{float64(in.Rows()), float64(in.Constraints), components, rows}
	err := collective.Sum(st.c, sums)
	res.Rows, res.Constraints, res.Components, res.SharedRows = int(sums[0]), int(sums[1]), int(sums[2])+st.common, int(sums[3])
	return err
}
