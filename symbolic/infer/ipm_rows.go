package infer

import "hinge/symbolic/lcqp"

// ipmRows are the rows of a problem in the order in which the interior point
// method works: inequalities and squared potentials (plain), linear potentials,
// equalities; so that its loops run over plain arrays.
type ipmRows struct {
	plain, linear int
	row           []int32 // of the problem
	of            []int32 // left-hand side, as counted by formPtr
	live          []int32 // forms that have rows

	coef, b, mu, t, dmu, dt []float64
	aim                     []float64 // what a direction adds to μ·t, to first order
	theta, inverse, lift    []float64
	half                    []float64 // plain: 1/(2·Curv), 0 for inequalities
	// Linear.
	weight, bend, s, sigma, ds, dsigma, kappa, shift, aimS []float64
}

// start sorts the rows.
func (r *ipmRows) start(p *Problem) {
	r.live = r.live[:0]
	for f := p.Targets; f+1 < len(p.formPtr); f++ {
		if p.formPtr[f] < p.formPtr[f+1] {
			r.live = append(r.live, int32(f-p.Targets))
		}
	}
	r.plain, r.linear = 0, 0
	for _, kind := range p.Kind {
		switch kind {
		case lcqp.Linear:
			r.linear++
		case lcqp.HardLE, lcqp.Square:
			r.plain++
		}
	}
	m := p.Rows
	r.row, r.of = resize(r.row, m), resize(r.of, m)
	for _, v := range []*[]float64{&r.coef, &r.b, &r.mu, &r.t, &r.dmu, &r.dt, &r.aim, &r.theta, &r.inverse, &r.lift} {
		*v = resize(*v, m)
		clear(*v)
	}
	r.half = resize(r.half, r.plain)
	for _, v := range []*[]float64{&r.weight, &r.bend, &r.s, &r.sigma, &r.ds, &r.dsigma, &r.kappa, &r.shift, &r.aimS} {
		*v = resize(*v, r.linear)
		clear(*v)
	}
	plain, linear, equal := 0, r.plain, r.plain+r.linear
	for f := range len(p.formPtr) - 1 {
		for k := p.formPtr[f]; k < p.formPtr[f+1]; k++ {
			var n int
			switch p.Kind[k] {
			case lcqp.HardEQ:
				n = equal
				equal++
			case lcqp.Linear:
				n = linear
				linear++
				r.weight[n-r.plain], r.bend[n-r.plain] = p.Weight[k], 2*p.Curv[k]
			default:
				n = plain
				plain++
				r.half[n] = 0
				if p.Kind[k] == lcqp.Square {
					r.half[n] = 1 / (2 * p.Curv[k])
				}
			}
			r.row[n], r.of[n], r.coef[n], r.b[n] = k, int32(f), p.coef[k], p.B[k]
		}
	}
}

// begin places the rows inside their bounds. side are the left-hand sides.
func (r *ipmRows) begin(p *Problem, side []float64, scale float64) {
	for n, k := range r.row {
		z, mu := r.coef[n]*side[r.of[n]]+r.b[n], p.Dual[k]
		switch p.Kind[k] {
		case lcqp.HardEQ:
			r.mu[n] = mu
		case lcqp.HardLE:
			r.mu[n] = max(scale, mu)
			r.t[n] = max(-z, 0.1)
		case lcqp.Square:
			r.mu[n] = min(max(mu, 0.1*p.Curv[k]), scale)
			r.t[n] = max(r.mu[n]*r.half[n]-z, 0.1)
		case lcqp.Linear:
			l := n - r.plain
			r.mu[n] = max(p.Weight[k]/2, p.Curv[k])
			r.sigma[l] = r.mu[n]
			r.s[l] = max(z, 0) + 0.1
			r.t[n] = r.s[l] - z
		}
	}
}

// sides writes the values of all left-hand sides that have rows.
func (r *ipmRows) sides(p *Problem, y, side []float64) {
	g := p.forms
	copy(side, y)
	rest := side[p.Targets:]
	for _, k := range r.live {
		from, to := g.ptr[k], g.ptr[k+1]
		col, val := g.col[from:to], g.val[from:to]
		v := 0.0
		for j, c := range col {
			v += val[j] * y[c]
		}
		rest[k] = v
	}
}

// gather adds to out, by target, what is given by left-hand side.
func (r *ipmRows) gather(p *Problem, side, out []float64) {
	g := p.forms
	for i := range out {
		out[i] += side[i]
	}
	rest := side[p.Targets:]
	for _, k := range r.live {
		v := rest[k]
		from, to := g.ptr[k], g.ptr[k+1]
		col, val := g.col[from:to], g.val[from:to]
		for j, c := range col {
			out[c] += val[j] * v
		}
	}
}

// weigh computes θ of the rows and sums it up by left-hand side.
func (r *ipmRows) weigh(sum []float64) {
	clear(sum)
	mu, t := r.mu, r.t
	for n, half := range r.half {
		inv := 1 / (t[n] + mu[n]*(proximal+half))
		th := mu[n] * inv
		r.inverse[n], r.theta[n] = inv, th
		sum[r.of[n]] += r.coef[n] * r.coef[n] * th
	}
	for l, s := range r.s {
		n := r.plain + l
		kappa := 1 / (r.bend[l]*s + r.sigma[l])
		inv := 1 / (t[n] + mu[n]*(proximal+s*kappa))
		th := mu[n] * inv
		r.kappa[l], r.inverse[n], r.theta[n] = kappa, inv, th
		sum[r.of[n]] += r.coef[n] * r.coef[n] * th
	}
	for n := r.plain + r.linear; n < len(r.row); n++ {
		r.theta[n] = 1 / proximal
		sum[r.of[n]] += r.coef[n] * r.coef[n] / proximal
	}
}

// raise computes lift of the rows and sums it up by left-hand side.
func (r *ipmRows) raise(side, sum []float64) {
	clear(sum)
	mu, t := r.mu, r.t
	for n, half := range r.half {
		f, c := r.of[n], r.coef[n]
		gap := c*side[f] + r.b[n] + t[n] - mu[n]*half
		lift := (r.aim[n] + mu[n]*gap) * r.inverse[n]
		r.lift[n] = lift
		sum[f] += c * lift
	}
	for l, s := range r.s {
		n := r.plain + l
		f, c := r.of[n], r.coef[n]
		rd := r.weight[l] + r.bend[l]*s - mu[n] - r.sigma[l]
		shift := (r.aimS[l] - s*rd) * r.kappa[l]
		r.shift[l] = shift
		r.dsigma[l] = rd // finished by step
		gap := c*side[f] + r.b[n] + t[n] - s - shift
		lift := (r.aim[n] + mu[n]*gap) * r.inverse[n]
		r.lift[n] = lift
		sum[f] += c * lift
	}
	for n := r.plain + r.linear; n < len(r.row); n++ {
		f, c := r.of[n], r.coef[n]
		r.lift[n] = (c*side[f] + r.b[n]) / proximal
		sum[f] += c * r.lift[n]
	}
}

// step finds the steps of the rows when the left-hand sides move by side, and
// returns the longest one ≤ room that keeps all positive.
func (r *ipmRows) step(side []float64, room float64) float64 {
	mu, t, dt, dmu := r.mu, r.t, r.dt, r.dmu
	for n := range r.half {
		d := r.theta[n]*r.coef[n]*side[r.of[n]] + r.lift[n]
		v := (r.aim[n] - t[n]*d) / mu[n]
		dmu[n], dt[n] = d, v
		if t[n]+room*v < 0 {
			room = -t[n] / v
		}
		if mu[n]+room*d < 0 {
			room = -mu[n] / d
		}
	}
	for l, s := range r.s {
		n := r.plain + l
		d := r.theta[n]*r.coef[n]*side[r.of[n]] + r.lift[n]
		v := (r.aim[n] - t[n]*d) / mu[n]
		ds := r.shift[l] + s*r.kappa[l]*d
		dsigma := r.dsigma[l] + r.bend[l]*ds - d
		dmu[n], dt[n], r.ds[l], r.dsigma[l] = d, v, ds, dsigma
		if t[n]+room*v < 0 {
			room = -t[n] / v
		}
		if mu[n]+room*d < 0 {
			room = -mu[n] / d
		}
		if s+room*ds < 0 {
			room = -s / ds
		}
		if r.sigma[l]+room*dsigma < 0 {
			room = -r.sigma[l] / dsigma
		}
	}
	for n := r.plain + r.linear; n < len(r.row); n++ {
		dmu[n] = r.theta[n]*r.coef[n]*side[r.of[n]] + r.lift[n]
	}
	return room
}
