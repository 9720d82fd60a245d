package infer

import (
	"math"

	"hinge/symbolic/lcqp"
)

// Point writes y and gives every row its multiplier.
func (x *dualBCD) Point(p *Problem) {
	copy(p.Y, x.y)
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
func share(p *Problem, rows []event, at, total float64) {
	kinks := false
	near := 1e-13 * (1 + math.Abs(at))
	for _, e := range rows {
		mu := 0.0
		switch active := (at-e.at)*e.coef > 0; {
		case math.Abs(at-e.at) <= near:
			kinks = kinks || p.Kind[e.row] != lcqp.Square
		case active && p.Kind[e.row] > lcqp.HardEQ:
			mu = p.Weight[e.row] + 2*p.Curv[e.row]*e.coef*(at-e.at)
		}
		p.Dual[e.row] = mu
		total -= e.coef * mu
	}
	if !kinks {
		return
	}
	for pass := range 2 {
		for _, e := range rows {
			if math.Abs(at-e.at) > near || total == 0 {
				continue
			}
			mu := total / e.coef
			switch kind := p.Kind[e.row]; {
			case pass == 0 && kind == lcqp.Linear:
				mu = min(max(mu, 0), p.Weight[e.row])
			case pass == 1 && kind == lcqp.HardLE:
				mu = max(mu, 0)
			case pass == 1 && kind == lcqp.HardEQ:
			default:
				continue
			}
			p.Dual[e.row] += mu
			total -= e.coef * mu
		}
	}
}
