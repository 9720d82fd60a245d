package integer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// Settings are the settings of a search. The zero value searches to the optimum.
type Settings struct {
	// Solver is for the relaxations.
	Solver infer.Settings
	// GapAbsolute ends the search of a component when Value − Bound is at most its share of
	// it. Zero means no such end.
	GapAbsolute float64
	// MaxTime bounds the time. Zero means no bound.
	MaxTime time.Duration
	// Proof keeps the leaves of the search for Check.
	Proof bool
	// Progress, if not nil, is told value and bound of the component in search after
	// each node.
	Progress func(nodes int, value, bound float64)
}

// Status is the way a search ended. The status of an instance is the largest status of its
// components.
type Status uint8

const (
	// NotRun: no search was made.
	NotRun Status = iota
	// Optimal: the gap is at most 1e-6·(1 + |Value|).
	Optimal
	// GapReached: the gap is within the settings' bound.
	GapReached
	// Listed: List and Best have found all points that they were to find.
	Listed
	// Unresolved: the search is over, but relaxations that the solver could not finish
	// leave a larger gap.
	Unresolved
	// PointLimit: ListSettings.MaxPoints ended the search of a part.
	PointLimit
	// TimeLimit: Settings.MaxTime ended the search.
	TimeLimit
	// Interrupted: the context was cancelled.
	Interrupted
	// Infeasible: no values of the integer targets satisfy the hard rows.
	Infeasible
)

var statusText = [...]string{
	NotRun:      "not run",
	Optimal:     "optimal: no point with integer targets is better",
	GapReached:  "gap reached: the point is within the gap that was asked for",
	Listed:      "listed: there are no other points",
	Unresolved:  "unresolved: some relaxations could not be solved well enough to close the gap",
	PointLimit:  "limit of points reached: there may be others",
	TimeLimit:   "time limit reached before the gap was closed",
	Interrupted: "interrupted before the gap was closed",
	Infeasible:  "infeasible: no values 0 and 1 of the integer targets satisfy the hard constraints",
}

// String returns one sentence.
func (s Status) String() string {
	if int(s) >= len(statusText) {
		return fmt.Sprintf("no status: %d", uint8(s))
	}
	return statusText[s]
}

// Result is the outcome of a search.
type Result struct {
	// Result is the result of the last relaxation, the program with the integer targets
	// fixed at the answer; its Status is about that program. Where no point was found, it is
	// the result of the continuous relaxation.
	infer.Result
	// Search is the way the search ended.
	Search Status
	// Value is the regularised value of the point, +Inf without one, and Bound a number
	// that no point is below.
	Value, Bound float64
	// Nodes counts relaxations.
	Nodes int
	// Proof has the leaves, with Settings.Proof, by component; nil for components
	// without integer targets.
	Proof [][]Leaf
}

// Gap returns Value − Bound, ≥ 0; it is 0 where the search proves that there is no point.
func (r *Result) Gap() float64 {
	if r.Value == r.Bound { // both may be +Inf
		return 0
	}
	return r.Value - r.Bound
}

// ErrNoPoint is returned if the search ended before a feasible point was found.
var ErrNoPoint = errors.New("integer: no feasible point found")

// Err returns nil where there is a feasible point, and an error before a search.
func (r *Result) Err() error {
	switch {
	case r.Search != NotRun && !math.IsInf(r.Value, 1):
		return nil
	case r.Search == Infeasible:
		return fmt.Errorf("integer: %s", r.Search)
	}
	return fmt.Errorf("%w: %s", ErrNoPoint, r.Search)
}

// optimal is the gap, relative to 1 + |Value|, at which a point is called optimal.
const optimal = 1e-6

// Solve searches for the optimum of in with the given targets 0 or 1. The targets'
// bounds must be 0 and 1 or fixed to either. The error is about the arguments; how the
// search went is in res.Search. in is not changed.
func Solve(ctx context.Context, in *lcqp.Instance, targets []int, s Settings, res *Result) error {
	limits := newLimits(ctx, s.MaxTime)
	integer, err := chosen(in, targets)
	if err != nil {
		return err
	}
	if !(s.GapAbsolute >= 0) || s.MaxTime < 0 {
		return fmt.Errorf("integer: negative GapAbsolute or MaxTime")
	}
	*res = Result{Result: res.Result}
	if err := infer.Solve(in, nil, limits.within(s.Solver), &res.Result); err != nil {
		return err
	}
	answer := *in
	answer.Lower, answer.Upper = slices.Clone(in.Lower), slices.Clone(in.Upper)
	if s.Proof {
		res.Proof = make([][]Leaf, len(in.Components))
	}
	// First every root, so that an early end finds a point.
	trees := make([]*tree, len(in.Components))
	for c := range trees {
		if trees[c], err = newSearch(in, c, integer, &s, limits, &res.Result); err != nil {
			return err
		}
	}
	for _, most := range []int{1, math.MaxInt} {
		for _, t := range trees {
			if t == nil {
				continue
			}
			if err := t.run(most); err != nil {
				return err
			}
		}
	}
	found := true
	for c, t := range trees {
		if t == nil {
			found = found && res.Components[c].Status != infer.Infeasible
		} else {
			found = t.answer(in.Components[c].Targets, &answer) && found
		}
	}
	if found { // the point is there already: this takes no search and no limit
		if err := infer.Solve(&answer, nil, s.Solver, &res.Result); err != nil {
			return err
		}
	}
	res.Search = Optimal
	for c, t := range trees {
		res.add(c, t)
	}
	res.Nodes = limits.used
	return nil
}

// newSearch returns the search of component c, or nil where it has no integer targets
// that are free.
func newSearch(in *lcqp.Instance, c int, integer []bool, s *Settings, l *limits, relaxed *infer.Result) (*tree, error) {
	comp := &in.Components[c]
	part, some := make([]bool, len(comp.Targets)), false
	warm := new(infer.Warm)
	for i, t := range comp.Targets {
		part[i] = integer[t] && in.Lower[t] < in.Upper[t]
		some = some || part[i]
		warm.Y = append(warm.Y, relaxed.Y[t])
	}
	if !some {
		return nil, nil
	}
	for _, row := range comp.Rows {
		warm.Dual = append(warm.Dual, relaxed.Dual[row])
	}
	sub, err := in.Cut(comp.Targets, comp.Rows)
	if err != nil {
		return nil, err
	}
	return newTree(sub, part, s, l, s.GapAbsolute/float64(len(in.Components)), warm), nil
}

// answer ends the search of a component, whose targets are these of in, and reports whether it has found a point. If so,
// the integer targets are fixed there to that point.
func (t *tree) answer(targets []int32, in *lcqp.Instance) bool {
	t.finish()
	for i, target := range targets {
		if t.integer[i] && t.y != nil {
			in.Lower[target], in.Upper[target] = t.y[i], t.y[i]
		}
	}
	return t.y != nil
}

// add adds the outcome of component c: that of its search t, or of its last solve where there was no search.
func (r *Result) add(c int, t *tree) {
	var status Status
	var value, bound float64
	if t == nil {
		solved := &r.Components[c]
		status, value, bound = Optimal, solved.Primal, min(solved.Dual, solved.Primal)
		switch {
		case solved.Status == infer.Infeasible:
			status = Infeasible
		case !(solved.Violation <= feasible):
			status, value = Unresolved, math.Inf(1)
		case !solved.Status.OK():
			status = Unresolved
		}
	} else {
		status, value, bound = t.status, t.value, t.bound
		if r.Proof != nil {
			r.Proof[c] = t.leaves
		}
	}
	r.Search = max(r.Search, status)
	if r.Search == Infeasible {
		r.Value, r.Bound = math.Inf(1), math.Inf(1)
		return
	}
	r.Value += value
	r.Bound += bound
}

// limits holds the limits of a search.
type limits struct {
	ctx      context.Context
	deadline time.Time
	used     int // nodes
}

// newLimits begins to count; a limit of zero is none.
func newLimits(ctx context.Context, most time.Duration) *limits {
	l := &limits{ctx: ctx}
	if most > 0 {
		l.deadline = time.Now().Add(most)
	}
	return l
}

// over returns the status that ends the search, or NotRun.
func (l *limits) over() Status {
	switch {
	case l.ctx.Err() != nil:
		return Interrupted
	case !l.deadline.IsZero() && !time.Now().Before(l.deadline):
		return TimeLimit
	}
	return NotRun
}

// within returns the settings of a relaxation that ends in time.
func (l *limits) within(s infer.Settings) infer.Settings {
	if s.Stop == nil {
		s.Stop = l.ctx.Done()
	}
	if !l.deadline.IsZero() {
		left := max(time.Until(l.deadline), 1)
		if s.MaxTime == 0 || left < s.MaxTime {
			s.MaxTime = left
		}
	}
	return s
}
