package infer

import "math"

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
// The step maximises the quadratic approximately within the domain of λ:
// multipliers that would leave it are put on its border and the others solved
// for again. The line search is exact, so the dual cannot fall.
type newton struct {
	wait, pause int

	active  []int32   // W
	at      []int32   // position of each group in W, −1 outside
	f       []float64 // partial derivatives over W
	largest float64   // the largest of them
	damping float64
	longest float64 // how far the line search may go

	rate []float64 // of the targets, as used in M
	diag []float64 // K and damping over W
	full []float64 // M, if it is small enough to be stored

	d      []float64 // step over W
	du     []float64 // Aᵀd
	lambda []float64

	// Of the quadratic model: residual, domain and trial step over W, the
	// positions solved for and their system.
	r, low, high, trial []float64
	free                []int32
	m, rhs              []float64
	// Of conjugate gradients.
	cgX, cgR, cgP, cgM, cgQ, cgZ []float64
}

func (w *newton) reset() { w.wait, w.pause = 1, 0 }

// due tells whether a step should be tried after this sweep.
func (w *newton) due() bool {
	w.wait--
	return w.wait <= 0
}

// step makes Newton steps as long as they succeed. Sweeps in between would
// push targets back onto bounds that a step has just released. It returns true
// when the residual has not halved in the last few of them.
func (w *newton) step(x *dualBCD, p *Problem) (stalled bool) {
	taken, since, best := 0, 0, math.Inf(1)
	for taken < 30 && !stalled && w.try(x, p) {
		taken++
		since++
		// Near the limits of the arithmetic steps go on without end.
		if w.largest < 1e-12 && w.largest > best/4 {
			break
		}
		if w.largest <= best/2 {
			best, since = w.largest, 0
		}
		stalled = since >= patience+400/len(w.active)
	}
	p.Stats.Newton += taken
	if taken > 0 {
		x.refresh()
		w.wait, w.pause = 1, 0
		return stalled || taken == 30
	}
	p.Stats.Rejected++
	w.pause = min(max(2*w.pause, 1), 32)
	w.wait = 1 + w.pause
	return false
}

// patience is the number of Newton steps in which the residual must halve, when
// they are costly; cheap ones are given more.
const patience = 3

func (w *newton) try(x *dualBCD, p *Problem) bool {
	if !w.collect(x) {
		return false
	}
	w.assemble(x, p)
	if len(w.active) <= denseLimit {
		return w.maximise(x, p) && w.search(x, p)
	}
	if w.project(x, p) && w.search(x, p) {
		return true
	}
	return w.ray(x, p) && w.search(x, p)
}

// collect finds W and the partial derivatives there.
func (w *newton) collect(x *dualBCD) bool {
	w.active, w.f = w.active[:0], w.f[:0]
	w.at = resize(w.at, len(x.lambda))
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
	if w.largest > neverActive {
		w.longest = math.Inf(1)
	}
	w.damping = min(max(1e-3*w.largest, 1e-12), 1e-3)
	return w.largest > 0
}

// project computes a step that keeps λ + d in its domain. It returns false when
// the step is not uphill.
func (w *newton) project(x *dualBCD, p *Problem) bool {
	n := len(w.active)
	w.d = resize(w.d, n)
	clear(w.d)
	w.free = w.free[:0]
	for r := range w.active {
		w.free = append(w.free, int32(r))
	}
	for range 12 {
		w.solve(x, p)
		keep := w.free[:0]
		for a, r := range w.free {
			k := int(w.active[r])
			low, high := x.rows.limits(k)
			v := x.lambda[k] + w.rhs[a]
			switch {
			case v < low:
				w.d[r] = low - x.lambda[k]
			case v > high:
				w.d[r] = high - x.lambda[k]
			default:
				w.rhs[len(keep)] = w.rhs[a]
				keep = append(keep, r)
			}
		}
		done := len(keep) == len(w.free)
		w.free = keep
		if done || len(keep) == 0 {
			break
		}
	}
	for a, r := range w.free {
		k := int(w.active[r])
		low, high := x.rows.limits(k)
		w.d[r] = min(max(w.rhs[a], low-x.lambda[k]), high-x.lambda[k])
	}
	return w.gain() > 0
}

func (w *newton) gain() float64 {
	gain := 0.0
	for r, d := range w.d {
		gain += d * w.f[r]
	}
	return gain
}

// ray computes an uphill direction along which a positive step is possible:
// multipliers at the border of their domain that would leave it are held.
func (w *newton) ray(x *dualBCD, p *Problem) bool {
	clear(w.d)
	w.free = w.free[:0]
	for r := range w.active {
		w.free = append(w.free, int32(r))
	}
	for {
		w.solve(x, p)
		keep := w.free[:0]
		for a, r := range w.free {
			k := int(w.active[r])
			low, high := x.rows.limits(k)
			near := nearEdge * math.Abs(w.rhs[a])
			if d := w.rhs[a]; !(d < 0 && x.lambda[k]-low <= near || d > 0 && high-x.lambda[k] <= near) {
				w.rhs[len(keep)] = d
				keep = append(keep, r)
			}
		}
		done := len(keep) == len(w.free)
		w.free = keep
		if done || len(keep) == 0 {
			break
		}
	}
	for a, r := range w.free {
		w.d[r] = w.rhs[a]
	}
	return w.gain() > 0
}
