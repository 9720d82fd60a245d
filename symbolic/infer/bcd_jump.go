package infer

import (
	"math"

	"hinge/symbolic/lcqp"
)

// jump is the answer to short steps. Where ε is tiny and constraints are many
// the dual is nearly piecewise linear, with a breakpoint at every turn, and
// ascent methods crawl along its edges. The interior point method does not
// see them. Its multipliers, with those of inactive rows set to zero, are the
// next point if the dual is higher there; sweeps and Newton steps then make the
// answer exact. If they keep stalling, the interior point itself is the answer.
func (x *dualBCD) jump(p *Problem) Progress {
	x.jumps++
	x.pull = resize(x.pull, p.Targets)
	first := 1
	if len(x.newton.active) < 64 {
		first = 5 // Newton steps of small systems are cheaper than the leap
	}
	switch {
	case x.jumps == first:
		x.leap(p)
	case x.jumps > first+3 && len(x.safeDual) > 0:
		copy(p.Y, x.safeY)
		copy(p.Dual, x.safeDual)
		x.landed = true
		return Settled
	}
	return Moving
}

// leap runs the interior point method, keeps its answer and moves λ to it
// unless the dual is lower there.
func (x *dualBCD) leap(p *Problem) {
	x.safeDual = x.safeDual[:0]
	x.Point(p)
	before := p.evaluate(x.pull).dual
	x.oldLambda = append(x.oldLambda[:0], x.lambda...)
	for i := range p.Y {
		p.Y[i] = (p.Lower[i] + p.Upper[i]) / 2
	}
	clear(p.Dual)
	v := x.solveInterior(p)
	if !(v.dual > before) || math.IsInf(v.dual, 0) {
		return
	}
	x.safeY = append(x.safeY[:0], p.Y...)
	x.safeDual = append(x.safeDual[:0], p.Dual...)
	x.adopt(p)
	x.Point(p)
	if p.evaluate(x.pull).dual < before {
		copy(x.lambda, x.oldLambda)
		x.refresh()
	}
}

// solveInterior runs the interior point method on p until its gap is closed.
func (x *dualBCD) solveInterior(p *Problem) point {
	x.interior.Init(p)
	limit, _ := InteriorPoint{}.Defaults()
	for range limit {
		progress := x.interior.Iterate(p)
		x.interior.Point(p)
		v := p.evaluate(x.pull)
		if progress == Settled || math.Abs(v.primal-v.dual) <= 1e-10*(1e-3+math.Abs(v.dual)) &&
			v.violation <= 0.1*neverActive && v.stationarity <= 1e-8 {
			return v
		}
	}
	return p.evaluate(x.pull)
}

// adopt takes λ from the interior point. A multiplier smaller than its row's
// distance from being active belongs to an inactive row and becomes zero.
func (x *dualBCD) adopt(p *Problem) {
	g := &x.groups
	for k := range x.lambda {
		v := 0.0
		for _, e := range g.members(k) {
			if x.interior.t[e.row] < x.interior.mu[e.row] || p.Kind[e.row] == lcqp.HardEQ {
				v += e.coef * x.interior.mu[e.row]
			}
		}
		low, high := x.rows.limits(k)
		x.lambda[k] = min(max(v, low), high)
		x.dirty[k] = true
	}
	x.refresh()
}
