package qp

import (
	"math"
	"slices"

	"hinge/symbolic/infer"
)

const (
	// What is left of a residual may be rounding where it is at most roundingShare of
	// 1 + |value|.
	roundingShare = 1e-8
	// The unit of corrections shrinks by moreZoom from one to the next, at most mostZooms
	// times.
	moreZoom, mostZooms = 30, 12
	// A correction moves no unknown by more than zoomBox units.
	zoomBox = 1e4
	// A bound less than a unit away that pushes by more than strongPush units is kept to.
	strongPush = 1e6
	// Variables whose last digit is worth more than lastDigit units stay where they are.
	lastDigit = 1e-3
	// The gap is balanced by no more than little of the tolerance.
	little = 1e-2
)

// refine takes rounding out of the solution at hand: it solves for corrections, in units
// that are ever smaller. The problem of a correction is the same as before, with the exact
// residuals as sides and costs (iterative refinement as Gleixner, Steffy and Wolter have it
// for linear programs, 2016). Where the digits of large variables end, the small ones of
// their rows take the correction alone; keeping to that is ours.
func (x *stepper) refine(r *Result) error {
	x.refined = true
	if err := x.correct(r); err != nil || r.Status == infer.Solved {
		return err
	}
	x.p.balance(r, x.s.Tolerance)
	return nil
}

// correct makes the corrections.
func (x *stepper) correct(r *Result) error {
	sides := slices.Clone(x.form.in.B)
	defer copy(x.form.in.B, sides)
	sol, zoom := x.best, 1.0
	for range mostZooms {
		next := min(zoom*moreZoom, 1/max(x.form.shift(&sol), 1e-20))
		if next <= zoom {
			return nil
		}
		zoom = next
		if err := x.form.zoom(&sol, zoom); err != nil {
			return err
		}
		if err := x.solve(1e-10, 1e-10); err != nil || !x.res.Status.OK() {
			return err
		}
		r.Iterations += x.res.Stats.Iterations
		kept := sol.Row
		sol = x.form.corrected(&sol, &x.res, zoom)
		x.judge(r, sol)
		// The multipliers may have had all their digits before.
		if _, better := x.judge(r, Solution{X: sol.X, Row: kept}); better {
			sol.Row = kept
		}
		if r.Status == infer.Solved {
			return nil
		}
	}
	return nil
}

// balance takes what is left of the gap out of the last digits of one variable. Multipliers
// have such digits too, and one digit of a large one may be worth more of the gap than is
// asked for. With multipliers as they are the gap changes by 2·H·x + Q times the change of
// x. Of the variables in whose digits it fits that one is moved for which rows and gradient
// change least, and only by little of the tolerance; the judge has the last word.
func (p *Problem) balance(r *Result, tolerance float64) {
	_, gap := p.residuals(&r.Solution)
	reach := slices.Clone(p.P) // largest coefficients
	for j, c := range p.Col {
		reach[c] = max(reach[c], math.Abs(p.Val[j]))
	}
	for i := range p.P {
		col, val := p.offDiagonal(i)
		for j, c := range col {
			reach[i], reach[c] = max(reach[i], math.Abs(val[j])), max(reach[c], math.Abs(val[j]))
		}
	}
	best, least, change := -1, little*tolerance, 0.0
	for i, g := range p.gradient(&Solution{X: r.X}) {
		slope := 2*g.value() - p.Q[i]
		delta := -gap / slope
		lower, upper := p.bounds(i)
		if x := r.X[i] + delta; r.Bound[i] == 0 && x > lower && x < upper &&
			math.Abs(slope)*digit(r.X[i]) < tolerance && math.Abs(delta)*reach[i] <= least {
			best, least, change = i, math.Abs(delta)*reach[i], delta
		}
	}
	if best < 0 {
		return
	}
	sol := r.Solution
	sol.X = slices.Clone(sol.X)
	sol.X[best] += change
	if residual := Residuals(p, &sol); residual.Max() <= tolerance {
		r.Solution, r.Residual, r.Status = sol, residual, infer.Solved
	}
}

// nearlySolved reports whether what keeps r from being solved may be rounding.
func (x *stepper) nearlySolved(r *Result) bool {
	return !x.refined && r.Residual.Max() <= roundingShare*(1+math.Abs(r.Residual.Value))
}

// shift makes the form that of what is to be added to sol, but not yet its instance:
// bounds and sides of rows are relative to it, and center has the gradient. It returns the
// largest violation, or distance to a bound that pushes or push if that is less.
func (f *form) shift(sol *Solution) (left float64) {
	for i, g := range f.p.gradient(sol) {
		d := f.scale.col[i] * f.scale.length
		lower, upper := f.p.bounds(i)
		f.lower[i], f.upper[i], f.center[i] = (lower-sol.X[i])/d, (upper-sol.X[i])/d, g.value()*d*f.cost
	}
	slack := len(f.p.P)
	for n, k := range f.from {
		w := f.scale.row[k] / f.scale.length
		a := f.p.activity(int(k), sol.X)
		below, above := a.short(f.p.Low[k])*w, a.short(f.p.High[k])*w
		b := -max(below, 0) - min(above, 0)
		f.in.B[n] = b
		left = max(left, math.Abs(b))
		if f.p.Low[k] < f.p.High[k] {
			f.lower[slack], f.upper[slack], f.center[slack] = below+b, above+b, -sol.Row[k]*f.cost/w
			slack++
		}
	}
	for i, g := range f.center {
		left = max(left, min(g, -f.lower[i]), min(-g, f.upper[i]))
	}
	return left
}

// zoom makes the shifted form the instance, in units of 1/zoom.
func (f *form) zoom(sol *Solution, zoom float64) error {
	for n := range f.in.B {
		f.in.B[n] *= zoom
	}
	for i, g := range f.center {
		g *= zoom
		lower, upper := f.lower[i]*zoom, f.upper[i]*zoom
		f.lower[i], f.upper[i] = max(lower, -zoomBox), min(upper, zoomBox)
		switch {
		case g > strongPush && lower > -1:
			f.upper[i] = f.lower[i]
		case g < -strongPush && upper < 1:
			f.lower[i] = f.upper[i]
		case i < len(sol.X) && digit(sol.X[i])*zoom > lastDigit*f.scale.col[i]*f.scale.length:
			f.lower[i], f.upper[i] = 0, 0
		}
		_, quad := f.curvature(i)
		f.prox[i] = quad - f.in.Epsilon
		f.center[i] = -g / (2 * f.prox[i])
	}
	return f.set()
}

// corrected returns sol with the correction that the instance was solved for.
func (f *form) corrected(sol *Solution, res *infer.Result, zoom float64) Solution {
	next := Solution{X: slices.Clone(sol.X), Row: slices.Clone(sol.Row)}
	for i := range next.X {
		lower, upper := f.p.bounds(i)
		next.X[i] = min(max(next.X[i]+res.Y[i]/zoom*f.scale.col[i]*f.scale.length, lower), upper)
	}
	for n, k := range f.from {
		next.Row[k] = f.p.oneSided(int(k), next.Row[k]+res.Dual[n]/zoom*f.scale.row[k]/(f.scale.length*f.cost))
	}
	return next
}

// digit returns what the last digit of x is worth.
func digit(x float64) float64 { return math.Nextafter(math.Abs(x), math.Inf(1)) - math.Abs(x) }
