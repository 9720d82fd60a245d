package infer

import "math"

// newton tries semismooth Newton steps on the dual. With the piece of every
// curve frozen, the dual is a quadratic with negative Hessian
//
//	M = A_W H A_Wᵀ + K,  H = diag(dy_i/dv_i),  K = diag(dz_g/dλ_g),
//
// over the groups W that are not at rest inside a flat piece. Where M is
// singular (constraints that only targets at their bounds could repair) a tiny
// multiple of the identity makes the step long in the directions that matter,
// and the exact line search stops it where a target comes off its bound.
//
// The step maximises the quadratic approximately within the domain of λ:
// multipliers that would leave it are put on its border and the others solved
// for again. The line search is exact, so the dual cannot fall.
type newton struct {
	wait, pause int

	active []int32 // W
	at     []int32 // position of each group in W, −1 outside
	f      []float64
	full   []float64 // M
	free   []int32   // positions in W still solved for
	m      []float64 // M restricted to free, factored
	rhs    []float64
	d      []float64 // step over W
	du     []float64 // Aᵀd
	lambda []float64
}

func (w *newton) reset() { w.wait, w.pause = 1, 0 }

// due tells whether a step should be tried after this sweep.
func (w *newton) due() bool {
	w.wait--
	return w.wait <= 0
}

// step makes Newton steps as long as they succeed. Sweeps in between would
// push targets back onto bounds that a step has just released.
func (w *newton) step(x *dualBCD, p *Problem) {
	taken := 0
	for taken < 30 && w.try(x, p) {
		taken++
	}
	p.Stats.Newton += taken
	if taken > 0 {
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
	if w.project(x, p) && w.search(x, p, 1) {
		return true
	}
	return w.ray(x, p) && w.search(x, p, math.Inf(1))
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

// assemble builds the lower triangle of M.
func (w *newton) assemble(x *dualBCD, p *Problem) {
	g, n := &x.groups, len(w.active)
	w.full = resize(w.full, n*n)
	clear(w.full)
	for i := range p.Targets {
		rate := x.rate[i]
		if rate == 0 {
			continue
		}
		from, to := g.colPtr[i], g.colPtr[i+1]
		for a := from; a < to; a++ {
			r := w.at[g.colRow[a]]
			if r < 0 {
				continue
			}
			row := w.full[int(r)*n : int(r)*n+n]
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
		for j := g.ptr[k]; j < g.ptr[k+1]; j++ {
			rate += 1e-10 * g.val[j] * g.val[j] / (2 * p.Quad[g.col[j]])
		}
		w.full[r*n+r] += rate
	}
}

// solve solves for the free positions with the others' d held.
func (w *newton) solve(p *Problem) {
	all, n := len(w.active), len(w.free)
	w.m, w.rhs = resize(w.m, n*n), resize(w.rhs, n)
	for a, r := range w.free {
		row := w.full[int(r)*all : int(r)*all+int(r)+1]
		for b, s := range w.free[:a+1] {
			w.m[a*n+b] = row[s]
		}
		w.rhs[a] = w.f[r]
	}
	if n < all {
		// Subtract M_free,held · d_held.
		for r, d := range w.d {
			if d == 0 {
				continue
			}
			for a, s := range w.free {
				hi, lo := max(int(s), r), min(int(s), r)
				w.rhs[a] -= w.full[hi*all+lo] * d
			}
		}
	}
	cholesky(w.m, n)
	p.Stats.Factorizations++
	choleskySolve(w.m, n, w.rhs)
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
		w.solve(p)
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
		w.solve(p)
		keep := w.free[:0]
		for a, r := range w.free {
			k := int(w.active[r])
			low, high := x.rows.limits(k)
			if d := w.rhs[a]; !(d < 0 && x.lambda[k] <= low || d > 0 && x.lambda[k] >= high) {
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

// search moves x along d to the highest point of the dual, at most by limit.
func (w *newton) search(x *dualBCD, p *Problem, limit float64) bool {
	g := &x.groups
	w.du = resize(w.du, p.Targets)
	clear(w.du)
	e := x.walk.entries[:0]
	for r, k := range w.active {
		d := w.d[r]
		if d == 0 {
			continue
		}
		st := x.rows.edge(int(k), x.lambda[k], x.rowState[k], w.f[r] > 0)
		e = append(e, walkEntry{&x.rows, x.lambda[k], d, k, st})
		for j := g.ptr[k]; j < g.ptr[k+1]; j++ {
			w.du[g.col[j]] += g.val[j] * d
		}
	}
	groups := len(e)
	for i, du := range w.du {
		if du != 0 {
			e = append(e, walkEntry{&x.targets, -x.u[i], -du, int32(i), x.state[i]})
		}
	}
	x.walk.entries = e
	// Most of the gain of a step that is long because M is singular comes from
	// its very beginning. To go on for the small rest would carry multipliers
	// far along directions in which the dual is flat.
	gain := w.gain()
	x.walk.run(gain, limit, 1e-8*gain)
	moved := false
	for _, entry := range e[:groups] {
		k := entry.f
		if entry.v == x.lambda[k] {
			continue
		}
		moved = true
		low, high := x.rows.limits(int(k))
		x.lambda[k] = min(max(entry.v, low), high)
		x.placeRow(int(k))
		x.dirty[k] = true
	}
	for _, entry := range e[groups:] {
		x.placeTarget(entry.f, -entry.v)
	}
	return moved
}
