package qp

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"hinge/symbolic/infer"
)

// Settings says how to solve. The zero value is a good choice.
type Settings struct {
	// Tolerance is what Residual.Max may be where the status is Solved. Zero means 1e-6.
	Tolerance float64
	// MaxSteps bounds the proximal steps. Zero means 30.
	MaxSteps int
	// MaxTime bounds the time. Zero means no bound.
	MaxTime time.Duration
	// Stop, when it is closed, ends the solve as MaxTime does. Nil means never.
	Stop <-chan struct{}
	// Recorder, if not nil, is shown the best result so far after each step.
	Recorder func(*Result)
}

// Result is the outcome.
type Result struct {
	Solution
	// Residual is the judge's word on the Solution.
	Residual Residual
	// Status is infer.Solved where Residual.Max is within the tolerance, else why not.
	Status infer.Status
	// Proof are multipliers of the rows by which Refutes finds that there is no point; nil
	// unless Status is infer.Infeasible.
	Proof []float64
	// Steps counts proximal steps, Iterations those of the method in all of them.
	Steps, Iterations int
}

const (
	// The least curvature of an unknown in a proximal step, in scaled units: half the
	// least of the problem, and between these.
	leastCurvature, mostCurvature = 1e-11, 1e-7
	// A step may move an unknown without bound by firstBox, and up to lastBox where that
	// held it.
	firstBox, moreBox, lastBox = 1e2, 1e2, 1e8
	// Where steps get on badly, costs are divided by morePrice times the largest
	// multiplier, up to mostPrice in all, and the curvature of steps is multiplied by
	// lessCurvature. Where steps are exact and no multiplier is above lowDual, costs are
	// multiplied instead, by up to 1/leastPrice.
	morePrice, mostPrice = 10, 1e8
	lessCurvature        = 1e-2
	lowDual, leastPrice  = 0.1, 1e-4
	// Where a step was not solved, the next ones begin with multipliers of farStart times the
	// costs, as long as those are solved: from there the interior point method keeps to the
	// central path where multipliers end at 10⁶ times the costs.
	farStart = 300
	// Multipliers that move a gradient by no more than noise·Tolerance are 0.
	noise = 1e-3
	// After so many steps more that did not halve the residual, there is no progress.
	patience = 2
)

// Solve solves a problem. The error is about a problem that is malformed or not of the
// form; how the solve went is in Result.Status.
func Solve(p *Problem, s Settings) (*Result, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	s.Tolerance, s.MaxSteps = cmp.Or(s.Tolerance, 1e-6), cmp.Or(s.MaxSteps, 30)
	if !(s.Tolerance > 0) || s.MaxSteps < 0 || s.MaxTime < 0 {
		return nil, fmt.Errorf("qp: Tolerance %v, MaxSteps %d, MaxTime %v; none may be negative", s.Tolerance, s.MaxSteps, s.MaxTime)
	}
	d, err := p.diagonal()
	if err != nil {
		return nil, err
	}
	x := &stepper{p: p, diagonal: d, s: s, scale: newScaling(d), box: firstBox, curvature: mostCurvature, feasible: 1e-9, begin: time.Now()}
	return x.run()
}

// stepper makes the proximal steps.
type stepper struct {
	p, diagonal   *Problem
	s             Settings
	scale         *scaling
	form          *form
	z             []float64
	box           float64
	curvature     float64 // at most
	gap, feasible float64 // tolerances of a step
	method        infer.InteriorPoint
	triedFar      bool // to begin far from the costs
	begin         time.Time
	res           infer.Result
	best          Solution // of the diagonal problem
	refined       bool
}

// rebuild makes the form for the present scales and takes z there from the last one.
func (x *stepper) rebuild() error {
	last := 1.0
	if x.form != nil {
		last = x.form.scale.length
	}
	scale := *x.scale
	f, err := newForm(x.diagonal, &scale, x.curvature)
	if err != nil {
		return err
	}
	if x.form == nil {
		x.z = make([]float64, f.in.Targets)
	}
	for i, z := range x.z {
		lower, upper := f.bounds(i)
		x.z[i] = min(max(z*last/scale.length, lower), upper)
	}
	x.form, x.gap = f, 0.1*x.s.Tolerance*f.cost
	return nil
}

// step makes the proximal step from z.
func (x *stepper) step() error {
	if err := x.form.at(x.z, x.box); err != nil {
		return err
	}
	return x.solve(x.gap, x.feasible)
}

// solve solves the instance.
func (x *stepper) solve(gap, feasible float64) error {
	s := infer.Settings{Method: x.method, MaxIterations: 400, Stop: x.s.Stop,
		GapTolerance: 1e-30, GapAbsolute: gap, FeasibilityTolerance: feasible, StationarityTolerance: 1e9}
	if x.s.MaxTime > 0 {
		s.MaxTime = max(x.s.MaxTime-time.Since(x.begin), 1)
	}
	return infer.Solve(x.form.in, nil, s, &x.res)
}

// judge judges a solution of the diagonal problem. If it is the best so far, it is kept.
func (x *stepper) judge(r *Result, sol Solution) (residual Residual, better bool) {
	own := Solution{X: sol.X[:len(x.p.P)], Row: sol.Row[:len(x.p.Low)]}
	x.p.bound(&own, noise*x.s.Tolerance)
	residual = Residuals(x.p, &own)
	if better = !(residual.Max() >= r.Residual.Max()); better {
		r.Solution, r.Residual, x.best = own, residual, sol
		if residual.Max() <= x.s.Tolerance {
			r.Status = infer.Solved
		}
	}
	return residual, better
}

// run makes steps until the judge is content or nothing helps.
func (x *stepper) run() (*Result, error) {
	if err := x.rebuild(); err != nil {
		return nil, err
	}
	best := &Result{Residual: Residual{Gap: math.NaN()}, Status: infer.NoProgress}
	stale, last := 0, math.Inf(1)
	for best.Steps < x.s.MaxSteps {
		if err := x.step(); err != nil {
			return nil, err
		}
		best.Steps++
		best.Iterations += x.res.Stats.Iterations
		residual, _ := x.judge(best, x.form.solution(x.res.Y, x.res.Dual, noise*x.s.Tolerance))
		x.ended(best)
		if x.s.Recorder != nil {
			x.s.Recorder(best)
		}
		if best.Status != infer.NoProgress {
			return best, nil
		}
		stale++
		if residual.Max() < last/2 {
			stale = 0
		}
		last = residual.Max()
		again, err := x.adapt(residual, &stale)
		if err != nil {
			return nil, err
		}
		if (!again || stale > 0) && x.nearlySolved(best) {
			if err := x.refine(best); err != nil || best.Status == infer.Solved {
				return best, err
			}
		}
		if !again {
			break
		}
	}
	return best, nil
}

// ended sets the status where a step that did not solve the problem was the last one.
func (x *stepper) ended(r *Result) {
	switch {
	case r.Status == infer.Solved:
	case x.res.Status == infer.TooLarge:
		r.Status = infer.TooLarge
	case x.res.Status == infer.Infeasible:
		if r.Proof = x.form.proof(x.p, x.res.Certificate); r.Proof != nil {
			r.Status = infer.Infeasible
		}
	case x.res.Status == infer.TimeLimit:
		r.Status = infer.TimeLimit
	}
}

// adapt changes what seems to hinder the next step. It returns false when there is
// nothing to change. stale is how many steps have not halved the residual.
func (x *stepper) adapt(r Residual, stale *int) (bool, error) {
	infeasible := x.res.Status == infer.Infeasible
	if infeasible || x.form.held(x.res.Y) {
		if x.box *= moreBox; x.box > lastBox {
			return false, nil
		}
		*stale = 0
	}
	slow := !x.res.Status.OK() && !infeasible
	if slow && x.method.Start == farStart {
		// It did not help, so it is taken back, and not tried again.
		x.method.Start, x.triedFar, *stale = 0, true, 0
		return true, nil
	}
	if !infeasible {
		copy(x.z, x.res.Y)
	}
	if slow && !x.triedFar {
		x.method.Start = farStart
	}
	if (slow || *stale > 0) && x.scale.price < mostPrice {
		if length := largest(x.res.Y); length > 10 {
			x.scale.length *= length
			x.box = firstBox
		}
		if most := largest(x.res.Dual); slow || most > lowDual {
			x.scale.price *= morePrice * max(most, 1)
		} else {
			// Costs so small beside the curvature of steps keep these short.
			x.scale.price *= max(morePrice*most, leastPrice)
		}
		x.curvature = max(lessCurvature*x.curvature, leastCurvature)
		err := x.rebuild()
		return err == nil, err
	}
	if max(r.Gap, r.Primal) > x.s.Tolerance {
		x.gap, x.feasible = max(0.1*x.gap, 1e-20), max(0.1*x.feasible, 1e-15)
	}
	return *stale <= patience, nil
}

// largest returns the largest magnitude.
func largest(x []float64) float64 {
	most := 0.0
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}
