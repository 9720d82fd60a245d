package infer

// maximise computes a step d that (nearly) maximises the quadratic model
//
//	q(d) = f·d − ½ dᵀMd  with λ + d within its domain,
//
// for a dense M: rounds of projected Gauss–Seidel, which find out which
// multipliers end at the border of the domain, and of an exact solve over the
// others. q never falls, so the step is uphill. It returns false when there is
// none.
func (w *newton) maximise(x *dualBCD, p *Problem) bool {
	n := len(w.active)
	w.d, w.low, w.high = resize(w.d, n), resize(w.low, n), resize(w.high, n)
	w.r, w.trial = resize(w.r, n), resize(w.trial, n)
	clear(w.d)
	copy(w.r, w.f)
	for r, k := range w.active {
		low, high := x.rows.limits(int(k))
		w.low[r], w.high[r] = low-x.lambda[k], high-x.lambda[k]
	}
	for range 2 {
		w.gaussSeidel(2)
		if w.subspace(p) {
			break
		}
	}
	return w.gain() > 0
}

// gaussSeidel makes sweeps of exact, projected coordinate steps on the model
// and keeps r = f − M·d.
func (w *newton) gaussSeidel(sweeps int) {
	n := len(w.active)
	for range sweeps {
		for r := range n {
			row := w.full[r*n : r*n+n]
			d := min(max(w.d[r]+w.r[r]/row[r], w.low[r]), w.high[r])
			if step := d - w.d[r]; step != 0 {
				w.d[r] = d
				for s, m := range row {
					w.r[s] -= m * step
				}
			}
		}
	}
}

// subspace solves for the positions off the border with the others held and
// goes to the solution, as far as the model rises. It returns true when d then
// maximises the model.
func (w *newton) subspace(p *Problem) bool {
	n := len(w.active)
	w.free = w.free[:0]
	for r := range n {
		if w.d[r] > w.low[r] && w.d[r] < w.high[r] {
			w.free = append(w.free, int32(r))
		}
	}
	k := len(w.free)
	w.m, w.rhs = resize(w.m, k*k), resize(w.rhs, k)
	for a, r := range w.free {
		row := w.full[int(r)*n : int(r)*n+n]
		for b, s := range w.free[:a+1] {
			w.m[a*k+b] = row[s]
		}
		w.rhs[a] = w.r[r]
	}
	cholesky(w.m, k)
	p.Stats.Factorizations++
	choleskySolve(w.m, k, w.rhs)
	// The projected step, if it is higher than where we are; else the longest
	// straight one.
	copy(w.trial, w.d)
	clipped, longest := false, 1.0
	for a, r := range w.free {
		d := w.d[r] + w.rhs[a]
		if d < w.low[r] || d > w.high[r] {
			clipped = true
			end := w.low[r]
			if d > end {
				end = w.high[r]
			}
			longest = min(longest, (end-w.d[r])/w.rhs[a])
			d = end
		}
		w.trial[r] = d
	}
	before := w.model()
	w.d, w.trial = w.trial, w.d
	w.residual()
	if clipped && w.model() <= before {
		w.d, w.trial = w.trial, w.d
		for a, r := range w.free {
			w.d[r] = min(max(w.d[r]+longest*w.rhs[a], w.low[r]), w.high[r])
		}
		w.residual()
	}
	if clipped {
		return false
	}
	for r := range n {
		if w.d[r] <= w.low[r] && w.r[r] > 0 || w.d[r] >= w.high[r] && w.r[r] < 0 {
			return false
		}
	}
	return true
}

// residual recomputes r = f − M·d.
func (w *newton) residual() {
	n := len(w.active)
	for r := range n {
		w.r[r] = w.f[r] - dot(w.full[r*n:r*n+n], w.d)
	}
}

// model returns q(d) = ½ (f + r)·d.
func (w *newton) model() float64 { return (dot(w.f, w.d) + dot(w.r, w.d)) / 2 }
