package infer

import "math"

// newton tries semismooth Newton steps on the dual. With the piece of every
// curve frozen, the dual is a quadratic with negative Hessian
//
//	M = A_W H A_Wᵀ + K,  H = diag(dy_i/dv_i),  K = diag(dz_g/dλ_g),
//
// over the groups W that are not at rest inside a flat piece. The step is
// clipped to the domain of λ and accepted, possibly shortened, only if a
// supergradient at its end proves that the dual has not fallen.
type newton struct {
	wait, pause int

	active []int32 // W
	at     []int32 // position of each group in W, −1 outside
	m      []float64
	step_  []float64
	f      []float64
	d      []float64 // clipped step by group
	u, y   []float64 // trial point
	state  []int32
	lambda []float64
}

func (w *newton) reset() { w.wait, w.pause = 1, 0 }

// due tells whether a step should be tried after this sweep.
func (w *newton) due() bool {
	w.wait--
	return w.wait <= 0
}

// step tries one Newton step and moves x if it is accepted.
func (w *newton) step(x *dualBCD, p *Problem) {
	if w.try(x, p) {
		p.Stats.Newton++
		w.wait, w.pause = 1, 0
		return
	}
	p.Stats.Rejected++
	w.pause = min(max(2*w.pause, 1), 32)
	w.wait = 1 + w.pause
}

func (w *newton) try(x *dualBCD, p *Problem) bool {
	if !w.collect(x) {
		return false
	}
	w.assemble(x, p)
	n := len(w.active)
	cholesky(w.m, n)
	p.Stats.Factorizations++
	w.step_ = append(w.step_[:0], w.f...)
	choleskySolve(w.m, n, w.step_)
	gain := 0.0
	w.d = resize(w.d, len(x.lambda))
	for n, k := range w.active {
		low, high := x.rows.limits(int(k))
		w.d[k] = min(max(x.lambda[k]+w.step_[n], low), high) - x.lambda[k]
		gain += w.d[k] * w.f[n]
	}
	if !(gain > 0) {
		return false
	}
	return w.search(x, p, gain)
}

// collect finds W and the partial derivatives there.
func (w *newton) collect(x *dualBCD) bool {
	w.active, w.f = w.active[:0], w.f[:0]
	w.at = resize(w.at, len(x.lambda))
	moving := false
	for k := range x.lambda {
		w.at[k] = -1
		f := x.slope(k)
		if f == 0 && x.low[k] < x.high[k] {
			continue
		}
		moving = moving || f != 0
		w.at[k] = int32(len(w.active))
		w.active = append(w.active, int32(k))
		w.f = append(w.f, f)
	}
	return moving
}

// assemble builds M.
func (w *newton) assemble(x *dualBCD, p *Problem) {
	g, n := &x.groups, len(w.active)
	w.m = resize(w.m, n*n)
	clear(w.m)
	for i := range p.Targets {
		_, rate, _ := x.targets.seek(i, -x.u[i], x.state[i])
		if rate == 0 {
			continue
		}
		from, to := g.colPtr[i], g.colPtr[i+1]
		for a := from; a < to; a++ {
			r := w.at[g.colRow[a]]
			if r < 0 {
				continue
			}
			row := w.m[int(r)*n : int(r)*n+n]
			v := rate * g.colVal[a]
			for b := from; b <= a; b++ {
				if s := w.at[g.colRow[b]]; s >= 0 {
					row[s] += v * g.colVal[b]
				}
			}
		}
	}
	for r, k := range w.active {
		_, rate, _ := x.rows.seek(int(k), x.lambda[k], x.rowState[k])
		w.m[r*n+r] = w.m[r*n+r]*(1+1e-13) + rate
	}
}

// search goes along d, whose directional derivative at 0 is gain, to a point
// where the dual certainly is no lower, and moves x there.
func (w *newton) search(x *dualBCD, p *Problem, gain float64) bool {
	w.u, w.y = resize(w.u, p.Targets), resize(w.y, p.Targets)
	w.state = resize(w.state, p.Targets)
	w.lambda = append(w.lambda[:0], x.lambda...)
	low, slopeLow := 0.0, gain
	high, slopeHigh := 0.0, 0.0
	t := 1.0
	for range 8 {
		slope := w.trial(x, t)
		if slope >= 0 || slope > -1e-13*gain {
			w.accept(x)
			return true
		}
		high, slopeHigh = t, slope
		t = low + (high-low)*slopeLow/(slopeLow-slopeHigh)
		t *= 0.999 // stay on the safe side of the root of a linear piece
	}
	return false
}

// trial evaluates the point λ + t·d and returns the best lower bound on the
// slope of the dual there along d.
func (w *newton) trial(x *dualBCD, t float64) float64 {
	g := &x.groups
	copy(w.u, x.u)
	for _, k := range w.active {
		d := t * w.d[k]
		w.lambda[k] = x.lambda[k] + d
		if d == 0 {
			continue
		}
		for j := g.ptr[k]; j < g.ptr[k+1]; j++ {
			w.u[g.col[j]] += g.val[j] * d
		}
	}
	for i, u := range w.u {
		w.y[i], _, w.state[i] = x.targets.seek(i, -u, x.state[i])
	}
	slope := 0.0
	for _, k := range w.active {
		d := w.d[k]
		if d == 0 {
			continue
		}
		v := 0.0
		for j := g.ptr[k]; j < g.ptr[k+1]; j++ {
			v += g.val[j] * w.y[g.col[j]]
		}
		_, _, st := x.rows.seek(int(k), w.lambda[k], x.rowState[k])
		low, high := x.rows.reach(int(k), w.lambda[k], st)
		if d > 0 {
			slope += d * (v - low)
		} else {
			slope += d * (v - high)
		}
	}
	return slope
}

// accept moves x to the last trial point.
func (w *newton) accept(x *dualBCD) {
	g := &x.groups
	for _, k := range w.active {
		if w.lambda[k] != x.lambda[k] {
			x.lambda[k] = w.lambda[k]
			x.placeRow(int(k))
			x.dirty[k] = true
		}
	}
	for i, y := range w.y {
		x.u[i] = w.u[i]
		x.state[i] = w.state[i]
		if y == x.y[i] {
			continue
		}
		x.y[i] = y
		for j := g.colPtr[i]; j < g.colPtr[i+1]; j++ {
			x.dirty[g.colRow[j]] = true
		}
	}
}

var _ = math.Abs
