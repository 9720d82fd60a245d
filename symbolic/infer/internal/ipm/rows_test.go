package ipm

import (
	"math"
	"slices"
	"testing"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/problemtest"
)

// direction is what is kept of one; products are those of the changes of slack and multiplier of
// the linear potentials.
type direction struct{ dmu, dt, products []float64 }

func (r *rows) direction() *direction {
	d := &direction{slices.Clone(r.dmu), slices.Clone(r.dt), make([]float64, r.Linear)}
	for l := range d.products {
		ds, dsigma := r.slack(l)
		d.products[l] = ds * dsigma
	}
	return d
}

// newtonErrors returns the largest error of the rows' Newton equations at the
// direction of x, which was computed for products tau − second·(the products of
// before), each relative to its terms.
func newtonErrors(p *problem.Problem, x *Interior, tau, second float64, before *direction) float64 {
	r, side := &x.rows, make([]float64, len(x.side))
	r.Sides(p, x.y, side)
	worstError := 0.0
	note := func(terms ...float64) {
		sum, scale := 0.0, 1e-3
		for _, v := range terms {
			sum += v
			scale += math.Abs(v)
		}
		worstError = problem.Worst(worstError, math.Abs(sum)/scale)
	}
	for n := range r.Plain + r.Linear {
		f, c := r.Of[n], r.Coef[n]
		mu, tt, dmu, dt := r.Mu[n], r.t[n], r.dmu[n], r.dt[n]
		note(mu*tt, mu*dt, tt*dmu, second*before.dmu[n]*before.dt[n], -tau)
		if n < r.Plain {
			note(c*side[f], c*x.sideStep[f], r.B[n], tt, dt, -r.Half[n]*mu, -(r.Half[n]+proximal)*dmu)
			continue
		}
		l := n - r.Plain
		s, sigma := r.s[l], r.sigma[l]
		ds, dsigma := r.slack(l)
		note(c*side[f], c*x.sideStep[f], r.B[n], tt, dt, -s, -ds, -proximal*dmu)
		note(r.Weight[l], 2*r.Curv[l]*(s+ds), -mu, -dmu, -sigma, -dsigma)
		note(s*sigma, s*dsigma, sigma*ds, second*before.products[l], -tau)
	}
	return worstError
}

// Predictor and corrector must solve the Newton equations of every row, and the
// products after a step must be those that the step length was chosen for.
func TestIPMRowsNewtonEquations(t *testing.T) {
	problemtest.SizesOfForms(t, func(t *testing.T, p *problem.Problem) {
		var x Interior
		x.Init(p)
		for it := range 4 {
			x.factor(p)
			step, square := x.direction(p, 0, 0, true)
			before := x.rows.direction()
			if e := newtonErrors(p, &x, 0, 0, before); !(e < 1e-6) {
				t.Fatalf("iteration %d: predictor off by %v", it, e)
			}
			predicted := x.sum*(1-step) + step*step*square
			ahead := x.rows
			for _, v := range []*[]float64{&ahead.Mu, &ahead.t, &ahead.s, &ahead.sigma} {
				*v = append([]float64(nil), *v...)
			}
			sum := ahead.advance(step)
			for i := range x.y {
				sum += (x.lo[i]+step*x.dlo[i])*(x.pl[i]+step*x.dpl[i]) + (x.up[i]+step*x.dup[i])*(x.pu[i]+step*x.dpu[i])
			}
			if math.Abs(sum-predicted) > 1e-6*x.sum {
				t.Fatalf("iteration %d: products add up to %v after the predictor, expected %v", it, sum, predicted)
			}
			tau := x.sum / float64(10*(1+p.Rows))
			x.correct(p, tau, 1)
			step, _ = x.direction(p, tau, 1, true)
			if e := newtonErrors(p, &x, tau, 1, before); !(e < 1e-6) {
				t.Fatalf("iteration %d: corrector off by %v", it, e)
			}
			x.move(min(1, 0.9*step))
		}
	})
}

// The left-hand sides that are carried along must stay those of y.
func TestInteriorSidesDoNotDrift(t *testing.T) {
	problemtest.SizesOfForms(t, func(t *testing.T, p *problem.Problem) {
		var x Interior
		x.Init(p)
		for range 40 {
			if x.Iterate(p) == problem.Settled {
				break
			}
		}
		for f := range x.side {
			if f >= p.Targets && p.SidePtr[f] == p.SidePtr[f+1] {
				continue
			}
			if z := p.Side(f, x.y); math.Abs(x.side[f]-z) > 1e-9*(1+math.Abs(z)) {
				t.Fatalf("left-hand side %d is %v, that of y %v", f, x.side[f], z)
			}
		}
	})
}
