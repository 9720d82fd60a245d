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
	cheap   bool    // another way costs little
	stalled bool    // and is to be made

	model  model
	system system
	du     []float64 // Aᵀd
	groups int       // number of groups that move
}

func (w *newton) reset() {
	w.wait, w.pause = 1, 0
	w.system.sparse = true
}

// due tells whether a step should be tried after this sweep.
func (w *newton) due() bool {
	w.wait--
	return w.wait <= 0
}

// patience returns the number of Newton steps in which the residual must halve:
// few when they are costly.
func (w *newton) patience() int {
	n := len(w.active)
	switch {
	case n > denseLimit:
		return 1
	case w.cheap:
		return cheapPatience
	}
	return 3 + 400/n
}

// step makes Newton steps as long as they succeed. Sweeps in between would
// push targets back onto bounds that a step has just released. It returns true
// when the residual has not halved in the last few of them.
func (w *newton) step(x *Ascent, p *problem.Problem, cheap bool) (stalled bool) {
	taken, since, best := 0, 0, math.Inf(1)
	w.stalled, w.cheap = false, cheap
	limit := 30
	if w.cheap {
		limit = 10
	}
	for taken < limit && !stalled && w.try(x, p) {
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
	}
	if taken > 0 || w.stalled {
		w.wait, w.pause = 1, 0
		return stalled || w.stalled || taken == limit
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
	if w.stalled = w.cheap && len(w.active) > denseLimit && w.largest > cheapResidual; w.stalled {
		return false
	}
	w.system.assemble(x, p, w.active, w.at, w.damping)
	return w.maximise(x, p) && w.search(x, p)
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
