package integer

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// Point is a point with integer targets 0 or 1 and its regularised value.
type Point struct {
	Y     []float64
	Value float64
}

// Best finds the k points with the lowest values that differ pairwise in the given targets.
// These targets are 0 or 1; the other targets have their best values. Best returns fewer
// points if no more exist. search is Listed if no better points exist (apart from points whose
// values differ from the last one by at most 1e-6 of 1 + |Value|), Infeasible if there is no
// point, and otherwise the limit that ended the search, with the points so far.
//
// The search is the same as in Solve, with the value of the k-th best point in place of the
// best point's value. The gaps of the settings and Proof are not used.
func Best(ctx context.Context, in *lcqp.Instance, targets []int, k int, s Settings) (points []Point, search Status, err error) {
	limits := newLimits(ctx, s.MaxTime, s.MaxNodes)
	integer, err := chosen(in, targets)
	if err != nil {
		return nil, NotRun, err
	}
	if k < 1 || s.MaxTime < 0 || s.MaxNodes < 0 {
		return nil, NotRun, fmt.Errorf("integer: %d points, MaxTime %v, MaxNodes %d; want at least 1, and no negative limit", k, s.MaxTime, s.MaxNodes)
	}
	s.GapAbsolute, s.GapRelative, s.Proof = 0, 0, false
	var relaxed infer.Result
	if err := infer.Solve(in, nil, limits.within(s.Solver), &relaxed); err != nil {
		return nil, NotRun, err
	}
	trees, err := newSearches(in, integer, &s, limits, &relaxed)
	if err != nil {
		return nil, NotRun, err
	}
	points, search = []Point{{Y: slices.Clone(relaxed.Y)}}, Listed
	for c, t := range trees {
		comp := &in.Components[c]
		if t == nil {
			part := &relaxed.Components[c]
			switch {
			case part.Status == infer.Infeasible:
				return nil, Infeasible, nil
			case !part.Status.OK():
				search = max(search, Unresolved)
			}
			for i := range points {
				points[i].Value += part.Primal
			}
			continue
		}
		t.best = &ranking{most: k, known: map[string]bool{}}
		if err := t.run(math.MaxInt); err != nil {
			return nil, NotRun, err
		}
		status := t.best.status(t)
		search = max(search, status)
		if status == Infeasible {
			return nil, Infeasible, nil
		}
		points = together(points, comp.Targets, t.best.points, k)
	}
	return points, search, nil
}

// together returns the best k sums of points of the whole and points of a component, whose
// targets have the given numbers.
func together(whole []Point, targets []int32, part []Point, k int) []Point {
	type pair struct{ a, b int }
	var pairs []pair
	for a := range whole {
		for b := range part {
			if (a+1)*(b+1) <= k { // no better pair is in front of more than these
				pairs = append(pairs, pair{a, b})
			}
		}
	}
	value := func(p pair) float64 { return whole[p.a].Value + part[p.b].Value }
	slices.SortStableFunc(pairs, func(p, q pair) int { return cmp.Compare(value(p), value(q)) })
	var sums []Point
	for _, p := range pairs[:min(k, len(pairs))] {
		sum := Point{slices.Clone(whole[p.a].Y), value(p)}
		for i, t := range targets {
			sum.Y[t] = part[p.b].Y[i]
		}
		sums = append(sums, sum)
	}
	return sums
}

// ranking are the best points of a component, the best first.
type ranking struct {
	most   int
	points []Point
	known  map[string]bool // by integer targets
	failed bool            // a relaxation with all integer targets fixed could not be judged
}

// add adds a point, unless it is there, and returns the value that another one has to be
// below.
func (r *ranking) add(integer []bool, y []float64, value float64) float64 {
	var key []byte
	for i, is := range integer {
		if is {
			key = append(key, flag(y[i] > 0.5))
		}
	}
	if !r.known[string(key)] {
		r.known[string(key)] = true
		at, _ := slices.BinarySearchFunc(r.points, value, func(p Point, v float64) int {
			if p.Value <= v {
				return -1
			}
			return 1
		})
		r.points = slices.Insert(r.points, at, Point{slices.Clone(y), value})
		r.points = r.points[:min(len(r.points), r.most)]
	}
	if len(r.points) < r.most {
		return math.Inf(1)
	}
	return r.points[r.most-1].Value
}

// status returns how the search of a tree has ended.
func (r *ranking) status(t *tree) Status {
	switch {
	case t.status != NotRun:
		return t.status
	case r.failed:
		return Unresolved
	case len(r.points) == 0:
		return Infeasible
	}
	return Listed
}

// fail notes that a relaxation could not be judged. It returns false.
func (t *tree) fail() bool {
	if t.best != nil && t.res.Status != infer.Infeasible {
		t.best.failed = true
	}
	return false
}
