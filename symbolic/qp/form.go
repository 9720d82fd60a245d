package qp

import (
	"math"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// form is a scaled problem in the form of package lcqp. A row with room is an equality
// with a slack, an unknown of its own behind the variables, so that every row is an
// equality and every bound one of an unknown.
type form struct {
	p       *Problem
	scale   *scaling
	cost    float64 // what costs are multiplied by
	least   float64 // curvature
	in      *lcqp.Instance
	from    []int32 // row of the problem that each row is
	slackOf []int32 // row of the problem that each slack is for

	lower, upper, prox, center []float64
}

func newForm(p *Problem, s *scaling) (*form, error) {
	f := &form{p: p, scale: s, cost: s.cost(p)}
	rows := &lcqp.Sparse{Targets: len(p.P), Ptr: []int32{0}}
	for k, low := range p.Low {
		high := p.High[k]
		if math.IsInf(low, 0) && math.IsInf(high, 0) {
			continue
		}
		w, b := s.row[k], 0.0
		col, val := p.row(k)
		for j, c := range col {
			rows.Col = append(rows.Col, c)
			rows.Val = append(rows.Val, w*val[j]*s.col[c])
		}
		if low < high {
			rows.Col = append(rows.Col, int32(rows.Targets))
			rows.Val = append(rows.Val, -1)
			rows.Targets++
			f.slackOf = append(f.slackOf, int32(k))
		} else {
			b = -w / s.length * high
		}
		rows.Ptr = append(rows.Ptr, int32(len(rows.Col)))
		rows.B = append(rows.B, b)
		rows.Kinds = append(rows.Kinds, lcqp.HardEQ)
		f.from = append(f.from, int32(k))
	}
	t, err := rows.Compile()
	if err != nil {
		return nil, err
	}
	f.least = mostCurvature
	for i, v := range p.P {
		if d := s.col[i] * s.length; v > 0 {
			f.least = min(f.least, max(0.25*v*d*d*f.cost, leastCurvature))
		}
	}
	if f.in, err = t.NewInstance(f.least / 2); err != nil {
		return nil, err
	}
	for _, v := range []*[]float64{&f.lower, &f.upper, &f.prox, &f.center} {
		*v = make([]float64, t.Targets)
	}
	return f, nil
}

// bounds returns those of unknown i, which may be infinite.
func (f *form) bounds(i int) (lower, upper float64) {
	if n := i - len(f.p.P); n >= 0 {
		k := f.slackOf[n]
		w := f.scale.row[k] / f.scale.length
		return f.p.Low[k] * w, f.p.High[k] * w
	}
	d := f.scale.col[i] * f.scale.length
	lower, upper = f.p.bounds(i)
	return lower / d, upper / d
}

// at makes the instance the proximal step from z that goes no further than box where
// there is no bound.
func (f *form) at(z []float64, box float64) error {
	for i, z := range z {
		lower, upper := f.bounds(i)
		f.lower[i], f.upper[i] = max(lower, z-box), min(upper, z+box)
		half, lin := 0.0, 0.0
		if i < len(f.p.P) {
			d := f.scale.col[i] * f.scale.length
			half, lin = 0.5*f.p.P[i]*d*d*f.cost, f.p.Q[i]*d*f.cost
		}
		quad := max(half, f.least)
		lin -= 2 * (quad - half) * z
		f.prox[i] = quad - f.in.Epsilon
		f.center[i] = -lin / (2 * f.prox[i])
	}
	if err := f.in.SetBounds(f.lower, f.upper); err != nil {
		return err
	}
	return f.in.SetProx(f.prox, f.center)
}

// held tells whether an unknown is at a bound that the problem does not have.
func (f *form) held(z []float64) bool {
	for i, z := range z {
		lower, upper := f.bounds(i)
		if z >= f.upper[i] && f.upper[i] < upper || z <= f.lower[i] && f.lower[i] > lower {
			return true
		}
	}
	return false
}

// solution returns a point and multipliers of the form in the units of the problem. The
// bounds on variables take what the multipliers of the rows leave, where they can.
func (f *form) solution(z, dual []float64) Solution {
	p, s := f.p, f.scale
	sol := Solution{X: make([]float64, len(p.P)), Row: make([]float64, len(p.Low)), Bound: make([]float64, len(p.P))}
	for n, mu := range dual {
		k := f.from[n]
		if mu > 0 && !math.IsInf(p.High[k], 0) || mu < 0 && !math.IsInf(p.Low[k], 0) {
			sol.Row[k] = mu * s.row[k] / (s.length * f.cost)
		}
	}
	for i, z := range z[:len(p.P)] {
		lower, upper := p.bounds(i)
		sol.X[i] = min(max(z*s.col[i]*s.length, lower), upper)
		sol.Bound[i] = -p.P[i]*sol.X[i] - p.Q[i]
	}
	for k, mu := range sol.Row {
		col, val := p.row(k)
		for j, c := range col {
			sol.Bound[c] -= val[j] * mu
		}
	}
	for i, mu := range sol.Bound {
		lower, upper := p.bounds(i)
		if mu > 0 && math.IsInf(upper, 0) || mu < 0 && math.IsInf(lower, 0) {
			sol.Bound[i] = 0
		}
	}
	return sol
}

// proves tells whether a combination of rows shows that the problem itself has no
// point: without the bounds of the step.
func (f *form) proves(c *infer.Certificate) bool {
	pull := make([]float64, f.in.Targets)
	margin, scale := 0.0, 0.0
	for n, row := range c.Rows {
		mu := c.Mu[n]
		margin += mu * f.in.B[row]
		scale += math.Abs(mu * f.in.B[row])
		for j := f.in.Ptr[row]; j < f.in.Ptr[row+1]; j++ {
			pull[f.in.Col[j]] += mu * f.in.Val[j]
			scale += math.Abs(mu * f.in.Val[j])
		}
	}
	for i, v := range pull {
		lower, upper := f.bounds(i)
		if v < 0 {
			lower = upper
		}
		if !math.IsInf(lower, 0) || math.Abs(v) > 1e-12*scale {
			margin += v * lower
		}
	}
	return margin > 1e-9*scale
}
