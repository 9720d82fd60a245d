package qp

import (
	"math"
	"slices"

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

func newForm(p *Problem, s *scaling, curvature float64) (*form, error) {
	f := &form{p: p, scale: s, cost: s.cost(p)}
	rows := &lcqp.Sparse{Targets: len(p.P)}
	for k, low := range p.Low {
		high := p.High[k]
		if math.IsInf(low, 0) && math.IsInf(high, 0) {
			continue
		}
		w, b := s.row[k], 0.0
		col, val := p.row(k)
		col, val = slices.Clone(col), slices.Clone(val)
		for j, c := range col {
			val[j] = w * val[j] * s.col[c]
		}
		if low < high {
			col, val = append(col, int32(rows.Targets)), append(val, -1)
			rows.Targets++
			f.slackOf = append(f.slackOf, int32(k))
		} else {
			b = -w / s.length * high
		}
		rows.Append(lcqp.HardEQ, col, val, b)
		f.from = append(f.from, int32(k))
	}
	t, err := rows.Compile()
	if err != nil {
		return nil, err
	}
	f.least = curvature
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

// curvature returns half the curvature of unknown i, and what it has in a proximal step.
func (f *form) curvature(i int) (half, quad float64) {
	if i < len(f.p.P) {
		d := f.scale.col[i] * f.scale.length
		half = 0.5 * f.p.P[i] * d * d * f.cost
	}
	return half, max(half, f.least)
}

// at makes the instance the proximal step from z that goes no further than box where
// there is no bound.
func (f *form) at(z []float64, box float64) error {
	for i, z := range z {
		lower, upper := f.bounds(i)
		f.lower[i], f.upper[i] = max(lower, z-box), min(upper, z+box)
		half, quad := f.curvature(i)
		lin := -2 * (quad - half) * z
		if i < len(f.p.P) {
			lin += f.p.Q[i] * f.scale.col[i] * f.scale.length * f.cost
		}
		f.prox[i] = quad - f.in.Epsilon
		f.center[i] = -lin / (2 * f.prox[i])
	}
	return f.set()
}

// set gives the instance bounds and proximal term.
func (f *form) set() error {
	if err := f.in.SetBounds(f.lower, f.upper); err != nil {
		return err
	}
	return f.in.SetProx(f.prox, f.center)
}

// held reports whether an unknown is at a bound that the problem does not have.
func (f *form) held(z []float64) bool {
	for i, z := range z {
		lower, upper := f.bounds(i)
		if z >= f.upper[i] && f.upper[i] < upper || z <= f.lower[i] && f.lower[i] > lower {
			return true
		}
	}
	return false
}

// solution returns a point and multipliers of rows in the units of the problem.
// Multipliers that move no gradient by more than noise are 0: they are rounding, and
// times the distance of a far side they would not look small.
func (f *form) solution(z, dual []float64, noise float64) Solution {
	p, s := f.p, f.scale
	sol := Solution{X: make([]float64, len(p.P)), Row: make([]float64, len(p.Low))}
	for i, z := range z[:len(p.P)] {
		lower, upper := p.bounds(i)
		sol.X[i] = min(max(z*s.col[i]*s.length, lower), upper)
	}
	for n, mu := range dual {
		k := f.from[n]
		sol.Row[k] = p.oneSided(int(k), mu*s.row[k]/(s.length*f.cost))
		if _, val := p.row(int(k)); p.Low[k] < p.High[k] && math.Abs(sol.Row[k])*largest(val) <= noise {
			sol.Row[k] = 0
		}
	}
	return sol
}

// oneSided returns a multiplier of row k, or 0 if that would be one of an infinite side.
func (p *Problem) oneSided(k int, mu float64) float64 {
	if mu > 0 && math.IsInf(p.High[k], 0) || mu < 0 && math.IsInf(p.Low[k], 0) {
		return 0
	}
	return mu
}

// bound sets the multipliers of the bounds on variables to what those of the rows leave,
// where they can take it. What is no more than noise they take where that makes the gap
// smaller: where the bound is nearer than 0 is.
func (p *Problem) bound(sol *Solution, noise float64) {
	sol.Bound = make([]float64, len(p.P))
	for i, g := range p.gradient(sol) {
		mu := -g.value()
		lower, at := p.bounds(i)
		free := lower < at
		if mu < 0 {
			at = lower
		}
		if away := math.Abs(at - sol.X[i]); math.IsInf(at, 0) || free && math.Abs(mu) <= noise && away > 0 && away >= math.Abs(sol.X[i]) {
			mu = 0
		}
		sol.Bound[i] = mu
	}
}
