package dualascent

import (
	"math"

	"hinge/symbolic/infer/internal/problem"
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
// The step maximises the quadratic approximately within the domain of λ. The
// line search is exact, so the dual cannot fall.
type newton struct {
	wait, pause int

	active  []int32   // W
	at      []int32   // position of each group in W, −1 outside
	f       []float64 // partial derivatives over W
	largest float64   // the largest of them
	damping float64
	longest float64 // how far the line search may go

	model  model
	system system
	ray    ray
}

func (w *newton) reset() {
	w.wait, w.pause = 1, 0
}

// due tells whether a step should be tried after this sweep.
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
// push targets back onto bounds that a step has just released. It returns true
// when the residual has not halved in the last few of them.
func (w *newton) step(x *Ascent, p *problem.Problem) (stalled bool) {
	const most = 30
	taken, since, best := 0, 0, math.Inf(1)
	for taken < most && !stalled && w.try(x, p) {
		taken++
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
		return stalled || taken == most
	}
	p.Stats.Rejected++
	w.pause = min(max(2*w.pause, 1), 32)
	w.wait = 1 + w.pause
	return false
}

// try makes one step.
func (w *newton) try(x *Ascent, p *problem.Problem) bool {
	if !w.collect(x) {
		return false
	}
	w.system.assemble(x, p, w.active, w.at, w.damping)
	if !w.maximise(x, p) {
		return false
	}
	w.ray.aim(x, w.active, w.model.d)
	return w.ray.ascend(x, w.gain(), w.longest)
}

// collect finds W and the partial derivatives there.
func (w *newton) collect(x *Ascent) bool {
	w.active, w.f = w.active[:0], w.f[:0]
	w.at = problem.Resize(w.at, len(x.lambda))
	w.largest = 0
	for k := range x.lambda {
		w.at[k] = -1
		f := x.slope(k)
		if f == 0 && x.low[k] < x.high[k] {
			continue
		}
		w.largest = max(w.largest, math.Abs(f))
		w.at[k] = int32(len(w.active))
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
