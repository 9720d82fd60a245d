package dualascent

import (
	"math"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/sparse"
)

// newton tries semismooth Newton steps on the dual. With the piece of every
// curve frozen, the dual is a quadratic with negative Hessian
//
//	M = A_W H A_Wᵀ + K,  H = diag(dy_i/dv_i),  K = diag(dz_g/dλ_g),
//
// over the groups W that are not at rest inside a flat piece. M is singular
// where only targets at their bounds could repair a constraint: multipliers then
// must move on until a target comes off its bound. A damping proportional to
// the residual (Levenberg) gives such directions a moderate length beside the
// others, and the exact line search, which may go far beyond a full step, finds
// where they end.
//
// The step maximises the quadratic over the multipliers inside their domain and is cut
// off at its ends; those at an end are left to sweeps. The line search is exact, so the
// dual cannot fall.
type newton struct {
	wait, pause int

	active  []int32   // W
	f       []float64 // partial derivatives over W
	largest float64   // the largest of them
	damping float64
	longest float64 // how far the line search may go

	d, rhs []float64 // the step over W; right-hand side and solution over free
	free   []int32   // positions in W that are solved for
	system system
	ray    ray
}

func (w *newton) reset() {
	w.wait, w.pause = 1, 0
}

// due reports whether a step should be tried after this sweep.
func (w *newton) due() bool {
	w.wait--
	return w.wait <= 0
}

// patience returns the number of Newton steps in which the residual must halve:
// few when they are costly.
func (w *newton) patience() int {
	if n := len(w.active); n <= smallSystem {
		return 3 + 400/n
	}
	return 1
}

// step makes Newton steps as long as they succeed. Sweeps in between would
// push targets back onto bounds that a step has just released. It is stalled
// when the residual has not halved in the last few of them, and ready when the last one
// has gained no more than the gap may be: what is left then may do.
func (w *newton) step(x *Ascent, p *problem.Problem) (stalled, ready bool) {
	const most = 30
	taken, since, best := 0, 0, math.Inf(1)
	for taken < most && !stalled && !ready && w.try(x, p) {
		taken++
		ready = w.gain() <= p.Goal.AllowedAt(0)
		since++
		// Near the limits of the arithmetic steps go on without end.
		if w.largest < 1e-12 && w.largest > best/4 {
			break
		}
		if w.largest <= best/2 {
			best, since = w.largest, 0
		}
		stalled = since >= w.patience() || w.system.inexact
	}
	p.Stats.Newton += taken
	if taken > 0 {
		x.refresh()
		w.wait, w.pause = 1, 0
		return stalled || taken == most, ready
	}
	p.Stats.Rejected++
	w.pause = min(max(2*w.pause, 1), 32)
	w.wait = 1 + w.pause
	return false, false
}

// try makes one step.
func (w *newton) try(x *Ascent, p *problem.Problem) bool {
	if !w.collect(x) {
		return false
	}
	w.system.assemble(x, p, w.active, w.damping)
	if !w.direction(x, p) {
		return false
	}
	w.ray.aim(x, w.active, w.d)
	return w.ray.ascend(x, w.gain(), w.longest)
}

// direction finds the step. It returns false when it is not uphill.
func (w *newton) direction(x *Ascent, p *problem.Problem) bool {
	w.free, w.rhs = w.free[:0], w.rhs[:0]
	for r, k := range w.active {
		if low, high := x.rows.limits(int(k)); low < x.lambda[k] && x.lambda[k] < high {
			w.free, w.rhs = append(w.free, int32(r)), append(w.rhs, w.f[r])
		}
	}
	w.system.solve(p, w.free, w.rhs)
	w.d = problem.Resize(w.d, len(w.active))
	clear(w.d)
	for a, r := range w.free {
		k := w.active[r]
		low, high := x.rows.limits(int(k))
		w.d[r] = min(max(w.rhs[a], low-x.lambda[k]), high-x.lambda[k])
	}
	return w.gain() > 0
}

// gain is the slope of the dual along d.
func (w *newton) gain() float64 { return sparse.Dot(w.f, w.d) }

// collect finds W and the partial derivatives there.
func (w *newton) collect(x *Ascent) bool {
	w.active, w.f = w.active[:0], w.f[:0]
	w.largest = 0
	for k := range x.lambda {
		f := x.slope(k)
		if f == 0 && x.low[k] < x.high[k] {
			continue
		}
		w.largest = max(w.largest, math.Abs(f))
		w.active = append(w.active, int32(k))
		w.f = append(w.f, f)
	}
	// Far steps are for violations that matter. What is left of others may be
	// rounding in the data, which no step removes.
	w.longest = 1
	if w.largest > problem.NeverActive {
		w.longest = math.Inf(1)
	}
	w.damping = min(max(1e-3*w.largest, 1e-12), 1e-3)
	return w.largest > 0
}
