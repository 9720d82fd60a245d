package patches

import (
	"math"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// gather computes pull from the multipliers.
func (g *Decomposition) gather() {
	in := g.in
	for _, i := range g.comp.Targets {
		_, g.pull[i] = g.objective(i)
	}
	for _, row := range g.comp.Rows {
		mu := g.dual[row]
		if mu == 0 {
			continue
		}
		for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
			g.pull[in.Col[j]] += in.Val[j] * mu
		}
	}
}

// check recomputes pull, evaluates the present point, and collects the targets
// of the rows that are off. The gap is a sum of terms that are each ≥ 0, one a
// row and one per target (Fenchel's inequality), so that nothing cancels in it.
func (g *Decomposition) check() problem.Point {
	in := g.in
	g.forget()
	g.gather()
	var v problem.Point
	gap := 0.0
	for _, i := range g.comp.Targets {
		quad, lin := g.objective(i)
		y, m, low, up := g.y[i], g.pull[i], in.Lower[i], in.Upper[i]
		v.Primal += (quad*y+lin)*y + in.Prox[i]*in.Center[i]*in.Center[i]
		x := min(max(-m/(2*quad), low), up)
		// (quad·y² + m·y) − (quad·x² + m·x)
		gap += (y - x) * (quad*(y+x) + m)
		if pull := 2*quad*y + m; pull > 0 {
			v.Stationarity = problem.Worst(v.Stationarity, pull*(y-low))
		} else {
			v.Stationarity = problem.Worst(v.Stationarity, pull*(y-up))
		}
	}
	for _, row := range g.comp.Rows {
		r := g.row(row, g.activity(row))
		v.Primal += r.primal
		gap += r.gap
		v.Violation = problem.Worst(v.Violation, r.violation)
		v.Product = problem.Worst(v.Product, r.product)
		v.Stationarity = problem.Worst(v.Stationarity, r.stationarity)
		g.judge(row, &r)
	}
	v.Dual = v.Primal - gap
	g.allowed = g.task.Tolerance.Allowed(v.Dual)
	g.Stats.Checks++
	return v
}

// checkParts collects the targets of the rows that are not optimal after a sweep over few
// subdomains. It examines only rows that the sweep can have changed; all others are as before.
// It returns false if there are none, or if the subdomains were many: then the whole component
// has to be examined.
func (g *Decomposition) checkParts() bool {
	c := &g.parts
	if 10*len(c.list) > len(g.comp.Targets) {
		return false
	}
	g.forget()
	for _, list := range [...][]int32{c.list, c.overlapList} {
		for _, i := range list {
			for _, row := range g.in.RowsOf(i) {
				r := g.row(row, g.activity(row))
				g.judge(row, &r)
			}
		}
	}
	return len(g.dirty) > 0
}

// forget empties the set of dirty targets.
func (g *Decomposition) forget() {
	for _, i := range g.dirty {
		g.isDirty[i] = false
	}
	g.dirty = g.dirty[:0]
}

// judge marks the targets of a row as dirty if the row's error exceeds its share of the
// permitted error.
func (g *Decomposition) judge(row int32, r *rowError) {
	in, t := g.in, &g.task.Tolerance
	if !(r.gap > gapShare*g.allowed/float64(g.rows) || r.violation > rowShare*t.Violation || r.stationarity > rowShare*t.Stationarity) {
		return
	}
	for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
		if t := in.Col[j]; !g.isDirty[t] && !g.fixed(t) {
			g.isDirty[t] = true
			g.dirty = append(g.dirty, t)
		}
	}
}

func (g *Decomposition) activity(row int32) float64 {
	in := g.in
	a := in.B[row]
	for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
		a += in.Val[j] * g.y[in.Col[j]]
	}
	return a
}

// rowError is the contribution of one row to the value of a point, with the best slack for the
// row's activity a: its cost, its part of the gap, cost(s) + cost*(μ) − μ·a, and its distance
// from optimality.
type rowError struct {
	primal, gap, violation, product, stationarity float64
}

func (g *Decomposition) row(row int32, a float64) (r rowError) {
	mu := g.dual[row]
	weight, curv := g.in.RowCost(int(row))
	switch g.in.Kinds[row] {
	case lcqp.HardEQ:
		r.violation = math.Abs(a)
		r.product = math.Abs(mu * a)
		r.gap = -mu * a
	case lcqp.HardLE:
		r.violation = max(a, 0)
		r.product = math.Abs(mu * a)
		r.gap = -mu * a
	case lcqp.Square:
		if curv == 0 {
			break
		}
		s := max(a, 0)
		r.primal = curv * s * s
		d := mu/(2*curv) - s
		r.gap = curv*d*d + mu*(s-a)
		r.stationarity = math.Abs(2*curv*d) / max(1, curv)
	case lcqp.Linear:
		if curv == 0 {
			break
		}
		s := max(a, 0)
		r.primal = (weight + curv*s) * s
		sigma := weight + 2*curv*s - mu
		r.stationarity = max(-sigma, sigma*s) / max(1, weight)
		if over := mu - weight; over > 0 {
			d := over/(2*curv) - s
			r.gap = curv*d*d + mu*(s-a)
		} else {
			r.gap = curv*s*s - over*s + mu*(s-a)
		}
	}
	return r
}
