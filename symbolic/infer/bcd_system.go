package infer

import "math"

// denseLimit is the largest system that is factored. Larger ones, whose
// matrices are sparse, are solved by conjugate gradients.
const denseLimit = 300

// nearEdge is how near, relative to its scale, a value in a jump of its curve
// counts as being on the edge. M then uses the curvature beyond the edge: if
// the step goes there, it is right, and if not, the dual is less curved than M
// says and the line search goes further. The other choice would stop the line
// search at once, over and over.
const nearEdge = 1e-9

// assemble prepares M: its diagonal part K + damping, and its lower triangle if
// it is to be factored.
func (w *newton) assemble(x *dualBCD, p *Problem) {
	g, n := &x.groups, len(w.active)
	w.diag = resize(w.diag, n)
	w.rate = resize(w.rate, p.Targets)
	for i, u := range x.u {
		w.rate[i] = x.targets.softRate(i, -u, x.state[i], nearEdge*(x.uScale[i]+p.Quad[i]))
	}
	for r, k := range w.active {
		rate := x.rows.softRate(int(k), x.lambda[k], x.rowState[k], nearEdge*math.Abs(x.lambda[k]))
		for j := g.ptr[k]; j < g.ptr[k+1]; j++ {
			rate += w.damping * g.val[j] * g.val[j] / (2 * p.Quad[g.col[j]])
		}
		w.diag[r] = rate
	}
	if n > denseLimit {
		return
	}
	w.full = resize(w.full, n*n)
	clear(w.full)
	for i := range p.Targets {
		rate := w.rate[i]
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
	for r := range n {
		for s := range r {
			w.full[s*n+r] = w.full[r*n+s]
		}
	}
	for r, v := range w.diag {
		w.full[r*n+r] += v
	}
}

// solve solves M_free,free · rhs = f_free − M_free,held · d_held.
func (w *newton) solve(x *dualBCD, p *Problem) {
	if len(w.active) > denseLimit {
		w.conjugate(x, p)
		return
	}
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

// conjugate solves the same system by conjugate gradients with a diagonal
// preconditioner. M is applied as A_W(H(A_Wᵀv)) + diag·v. The accuracy follows
// the residual of the outer iteration, as inexact Newton methods do.
func (w *newton) conjugate(x *dualBCD, p *Problem) {
	all := len(w.active)
	for _, v := range []*[]float64{&w.cgX, &w.cgR, &w.cgP, &w.cgM, &w.cgQ, &w.cgZ} {
		*v = resize(*v, all)
	}
	w.du = resize(w.du, p.Targets)
	sol, res, dir, pre, q, z := w.cgX, w.cgR, w.cgP, w.cgM, w.cgQ, w.cgZ
	clear(pre)
	for _, r := range w.free {
		pre[r] = w.diagonal(x, r)
	}
	clear(sol)
	w.apply(x, w.d, q)
	norm, rho := 0.0, 0.0
	for r := range all {
		res[r], dir[r] = 0, 0
		if pre[r] > 0 {
			res[r] = w.f[r] - q[r]
			z[r] = res[r] / pre[r]
			dir[r] = z[r]
			norm += res[r] * res[r]
			rho += res[r] * z[r]
		}
	}
	goal := norm * min(1e-4, max(w.largest*w.largest, 1e-20))
	for range 5*int(math.Sqrt(float64(all))) + 200 {
		if norm <= goal || rho == 0 {
			break
		}
		w.apply(x, dir, q)
		curvature := 0.0
		for r := range all {
			if pre[r] > 0 {
				curvature += dir[r] * q[r]
			}
		}
		if !(curvature > 0) {
			break
		}
		step := rho / curvature
		next := 0.0
		norm = 0
		for r := range all {
			if pre[r] > 0 {
				sol[r] += step * dir[r]
				res[r] -= step * q[r]
				z[r] = res[r] / pre[r]
				norm += res[r] * res[r]
				next += res[r] * z[r]
			}
		}
		for r := range all {
			if pre[r] > 0 {
				dir[r] = z[r] + next/rho*dir[r]
			}
		}
		rho = next
		p.Stats.Krylov++
	}
	w.rhs = resize(w.rhs, len(w.free))
	for a, r := range w.free {
		w.rhs[a] = sol[r]
	}
}

// diagonal returns M_rr.
func (w *newton) diagonal(x *dualBCD, r int32) float64 {
	g, k := &x.groups, w.active[r]
	v := w.diag[r]
	for j := g.ptr[k]; j < g.ptr[k+1]; j++ {
		v += w.rate[g.col[j]] * g.val[j] * g.val[j]
	}
	return v
}

// apply writes M·v into out, both over W.
func (w *newton) apply(x *dualBCD, v, out []float64) {
	g := &x.groups
	clear(w.du)
	for r, k := range w.active {
		if d := v[r]; d != 0 {
			for j := g.ptr[k]; j < g.ptr[k+1]; j++ {
				w.du[g.col[j]] += g.val[j] * d
			}
		}
	}
	for i := range w.du {
		w.du[i] *= w.rate[i]
	}
	for r, k := range w.active {
		s := w.diag[r] * v[r]
		for j := g.ptr[k]; j < g.ptr[k+1]; j++ {
			s += g.val[j] * w.du[g.col[j]]
		}
		out[r] = s
	}
}
