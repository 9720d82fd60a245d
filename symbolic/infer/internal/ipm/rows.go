package ipm

import (
	"hinge/symbolic/infer/internal/kkt"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/sparse"
	"hinge/symbolic/lcqp"
)

// rows are the rows with the iterate of the interior point method.
type rows struct {
	kkt.Rows
	lift                   []float64 // eliminated, μ changes by μ·inverse·coef·(change of the side) + lift
	t, dmu, dt, inverse    []float64
	s, sigma, kappa, shift []float64 // linear
}

// start sorts the rows.
func (r *rows) start(p *problem.Problem) {
	r.Rows.Start(p)
	for _, v := range []*[]float64{&r.lift, &r.t, &r.dmu, &r.dt, &r.inverse} {
		*v = problem.Resize(*v, p.Rows)
		clear(*v)
	}
	for _, v := range []*[]float64{&r.s, &r.sigma, &r.kappa, &r.shift} {
		*v = problem.Resize(*v, r.Linear)
		clear(*v)
	}
}

// begin places the rows inside their bounds. side are the left-hand sides.
func (r *rows) begin(p *problem.Problem, side []float64, scale float64) {
	for n, k := range r.Row {
		z, mu := r.Coef[n]*side[r.Of[n]]+r.B[n], p.Dual[k]
		switch p.Kind[k] {
		case lcqp.HardEQ:
			r.Mu[n] = mu
		case lcqp.HardLE:
			r.Mu[n] = max(scale, mu)
			r.t[n] = max(-z, startDistance)
		case lcqp.Square:
			r.Mu[n] = min(max(mu, 0.1*p.Curv[k]), scale)
			r.t[n] = max(r.Mu[n]*r.Half[n]-z, startDistance)
		case lcqp.Linear:
			l := n - r.Plain
			r.Mu[n] = max(p.Weight[k]/2, p.Curv[k])
			r.sigma[l] = r.Mu[n]
			r.s[l] = max(z, 0) + startDistance
			r.t[n] = r.s[l] - z
		}
	}
}

// resume places the rows around the multipliers of p, with products tau.
func (r *rows) resume(p *problem.Problem, side []float64, tau float64) {
	for n, k := range r.Row {
		z, mu := r.Coef[n]*side[r.Of[n]]+r.B[n], p.Dual[k]
		switch p.Kind[k] {
		case lcqp.HardEQ:
			r.Mu[n] = mu
		case lcqp.Linear:
			l, s := n-r.Plain, max(z, 0)
			r.s[l], r.sigma[l] = centre(s, r.Weight[l]+2*r.Curv[l]*s-mu, tau)
			r.Mu[n], r.t[n] = centre(mu, s-z, tau)
		default:
			r.Mu[n], r.t[n] = centre(mu, mu*r.Half[n]-z, tau)
		}
	}
}

// slack returns the changes of slack and its multiplier of linear potential l, which take less
// time to compute again than room to keep.
func (r *rows) slack(l int) (ds, dsigma float64) {
	s, n := r.s[l], r.Plain+l
	ds = r.shift[l] + s*r.kappa[l]*r.dmu[n]
	return ds, r.Weight[l] + 2*r.Curv[l]*(s+ds) - r.Mu[n] - r.sigma[l] - r.dmu[n]
}

// weigh eliminates the rows at the current point, for a step that lets the
// products tend to 0: it finds the lift of each row and adds up, by left-hand
// side, coef²·θ in theta, θ = μ·inverse, and coef·(μ + lift) in pull.
func (r *rows) weigh(side, theta, pull []float64) {
	clear(theta)
	clear(pull)
	n := len(r.Half)
	mu, t, of, coef, b := r.Mu[:n], r.t[:n], r.Of[:n], r.Coef[:n], r.B[:n]
	inverse, lifts := r.inverse[:n], r.lift[:n]
	for n, half := range r.Half {
		f, c, m := of[n], coef[n], mu[n]
		inv := 1 / (t[n] + m*(proximal+half))
		th := m * inv
		lift := th * (c*side[f] + b[n] - m*half)
		inverse[n], lifts[n] = inv, lift
		theta[f] += c * c * th
		pull[f] += c * (m + lift)
	}
	mu, t, of, coef, b = r.linears(r.Mu), r.linears(r.t), r.Of[r.Plain:][:r.Linear], r.linears(r.Coef), r.linears(r.B)
	inverse, lifts = r.linears(r.inverse), r.linears(r.lift)
	weight, curv, sigma, kappas, shifts := r.Weight, r.Curv, r.sigma, r.kappa, r.shift
	for l, s := range r.s {
		f, c, m := of[l], coef[l], mu[l]
		kappa := 1 / (2*curv[l]*s + sigma[l])
		inv := 1 / (t[l] + m*(proximal+s*kappa))
		th := m * inv
		shift := -s * (weight[l] + 2*curv[l]*s - m) * kappa
		lift := th * (c*side[f] + b[l] - s - shift)
		kappas[l], shifts[l] = kappa, shift
		inverse[l], lifts[l] = inv, lift
		theta[f] += c * c * th
		pull[f] += c * (m + lift)
	}
	for n := r.Plain + r.Linear; n < len(r.Row); n++ {
		f, c := r.Of[n], r.Coef[n]
		lift := (c*side[f] + r.B[n]) / proximal
		r.lift[n] = lift
		theta[f] += c * c / proximal
		pull[f] += c * (r.Mu[n] + lift)
	}
}

// linears returns the part of v that belongs to the linear potentials.
func (r *rows) linears(v []float64) []float64 { return v[r.Plain:][:r.Linear] }

// raise changes the lifts so that the products tend to tau, less second times the
// second-order terms of the direction found before, and adds up the changes by
// left-hand side.
func (r *rows) raise(tau, second float64, sum []float64) {
	clear(sum)
	n := len(r.Half)
	dmu, dt, of, coef, inverse, lift := r.dmu[:n], r.dt[:n], r.Of[:n], r.Coef[:n], r.inverse[:n], r.lift[:n]
	for n := range r.Half {
		d := (tau - second*dmu[n]*dt[n]) * inverse[n]
		lift[n] += d
		sum[of[n]] += coef[n] * d
	}
	mu, of, coef := r.linears(r.Mu), r.Of[r.Plain:][:r.Linear], r.linears(r.Coef)
	dmu, dt, inverse, lift = r.linears(r.dmu), r.linears(r.dt), r.linears(r.inverse), r.linears(r.lift)
	for l, kappa := range r.kappa {
		ds, dsigma := r.slack(l)
		grow := (tau - second*ds*dsigma) * kappa
		r.shift[l] += grow
		d := (tau - second*dmu[l]*dt[l] - mu[l]*grow) * inverse[l]
		lift[l] += d
		sum[of[l]] += coef[l] * d
	}
}

// step finds the steps of the rows when the left-hand sides move by side, for the
// tau and second that raise was called with (0 and 0 without). It returns the
// longest step ≤ room that keeps all positive and the sum of the second-order
// terms of the products.
func (r *rows) step(side []float64, tau, second, room float64) (longest, square float64) {
	n := len(r.Half)
	mu, t, dt, dmu := r.Mu[:n], r.t[:n], r.dt[:n], r.dmu[:n]
	of, coef, inverse, lift := r.Of[:n], r.Coef[:n], r.inverse[:n], r.lift[:n]
	for n := range r.Half {
		d := mu[n]*inverse[n]*coef[n]*side[of[n]] + lift[n]
		v := (tau-second*dmu[n]*dt[n]-t[n]*d)/mu[n] - t[n]
		dmu[n], dt[n] = d, v
		square += d * v
		if t[n]+room*v < 0 {
			room = -t[n] / v
		}
		if mu[n]+room*d < 0 {
			room = -mu[n] / d
		}
	}
	mu, t, dt, dmu = r.linears(r.Mu), r.linears(r.t), r.linears(r.dt), r.linears(r.dmu)
	of, coef, inverse, lift = r.Of[r.Plain:][:r.Linear], r.linears(r.Coef), r.linears(r.inverse), r.linears(r.lift)
	weight, curv, sigmas, kappa, shift := r.Weight, r.Curv, r.sigma, r.kappa, r.shift
	for l, s := range r.s {
		m, t, sigma := mu[l], t[l], sigmas[l]
		d := m*inverse[l]*coef[l]*side[of[l]] + lift[l]
		v := (tau-second*dmu[l]*dt[l]-t*d)/m - t
		ds := shift[l] + s*kappa[l]*d
		dsigma := weight[l] + 2*curv[l]*(s+ds) - m - sigma - d
		dmu[l], dt[l] = d, v
		square += d*v + ds*dsigma
		if t+room*v < 0 {
			room = -t / v
		}
		if m+room*d < 0 {
			room = -m / d
		}
		if s+room*ds < 0 {
			room = -s / ds
		}
		if sigma+room*dsigma < 0 {
			room = -sigma / dsigma
		}
	}
	for n := r.Plain + r.Linear; n < len(r.Row); n++ {
		r.dmu[n] = r.Coef[n]/proximal*side[r.Of[n]] + r.lift[n]
	}
	return room, square
}

// products returns the sum of the complementarity products.
func (r *rows) products() float64 {
	n := r.Plain + r.Linear
	return sparse.Dot(r.Mu[:n], r.t[:n]) + sparse.Dot(r.s, r.sigma)
}

// advance goes step along the direction and returns the sum of the products there.
func (r *rows) advance(step float64) float64 {
	n := r.Plain + r.Linear
	slacks := 0.0
	for l := range r.s { // before μ moves
		ds, dsigma := r.slack(l)
		s, sigma := r.s[l]+step*ds, r.sigma[l]+step*dsigma
		r.s[l], r.sigma[l] = s, sigma
		slacks += s * sigma
	}
	sum := advance(r.Mu[:n], r.dmu, r.t, r.dt, step) + slacks
	for n := n; n < len(r.Row); n++ {
		r.Mu[n] += step * r.dmu[n]
	}
	return sum
}

// advance adds step times da and db to a and b and returns their product.
func advance(a, da, b, db []float64, step float64) float64 {
	da, b, db = da[:len(a)], b[:len(a)], db[:len(a)]
	sum := 0.0
	for i, v := range a {
		v += step * da[i]
		w := b[i] + step*db[i]
		a[i], b[i] = v, w
		sum += v * w
	}
	return sum
}
