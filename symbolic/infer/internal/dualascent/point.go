package dualascent

import (
	"math"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// Point writes y and gives every row its multiplier. When two rows exclude each
// other, it gives them the multipliers that prove it.
func (x *Ascent) Point(p *problem.Problem) {
	copy(p.Y, x.y)
	if len(x.conflict) > 0 {
		clear(p.Dual)
		for _, f := range x.conflict {
			p.Dual[f.Row] = f.Mu
		}
		return
	}
	for i := range p.Targets {
		share(p, x.targets.rowsOf(i), x.y[i], -x.u[i]-2*p.Quad[i]*x.y[i]-p.Lin[i])
	}
	for k, v := range x.lambda {
		share(p, x.rows.rowsOf(k), x.z[k], v)
	}
}

func (c *curves) rowsOf(f int) []event { return c.events[c.eventPtr[f]:c.eventPtr[f+1]] }

// share splits the total multiplier Σ coef·μ of the rows of one curve at place
// at. Rows away from their own breakpoint have only one possible multiplier;
// what is left goes to the rows that have their breakpoint here: linear hinges
// take up to their weight, hard rows the rest. Bounds of the box take what
// no row can take.
func share(p *problem.Problem, rows []event, at, total float64) {
	kinks := false
	near := 1e-13 * (1 + math.Abs(at))
	for _, e := range rows {
		mu := 0.0
		switch active := (at-e.at)*e.coef > 0; {
		case p.Kind[e.row] <= lcqp.HardEQ:
			kinks = kinks || math.Abs(at-e.at) <= problem.NeverActive
		case p.Kind[e.row] == lcqp.Linear && math.Abs(at-e.at) <= near:
			kinks = true
		case active:
			mu = p.Weight[e.row] + 2*p.Curv[e.row]*e.coef*(at-e.at)
		}
		p.Dual[e.row] = mu
		total -= e.coef * mu
	}
	if !kinks {
		return
	}
	for _, e := range rows {
		if p.Kind[e.row] == lcqp.Linear && math.Abs(at-e.at) <= near {
			mu := min(max(total/e.coef, 0), p.Weight[e.row])
			p.Dual[e.row] = mu
			total -= e.coef * mu
		}
	}
	// Domains that end at two places which differ by rounding were made one
	// point between them: the second pass looks for hard rows close by.
	for _, within := range [...]float64{near, problem.NeverActive} {
		for _, e := range rows {
			if p.Kind[e.row] > lcqp.HardEQ || math.Abs(total) <= 1e-300 || math.Abs(at-e.at) > within {
				continue
			}
			mu := total / e.coef
			if p.Kind[e.row] == lcqp.HardLE {
				mu = max(mu, 0)
			}
			p.Dual[e.row] += mu
			total -= e.coef * mu
		}
	}
}
