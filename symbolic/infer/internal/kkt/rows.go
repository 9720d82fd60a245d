package kkt

import (
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// Rows are the rows of a problem in the order in which the interior point
// and the primal–dual active set method work: inequalities and squared potentials
// (plain), linear potentials, equalities; so that loops run over plain arrays.
type Rows struct {
	Plain, Linear int
	Row           []int32 // of the problem
	Of            []int32 // left-hand side, as counted by SidePtr
	Forms         []int32 // that have rows, pairs first
	// The rows of forms apart, and the number of each one's form among those.
	ApartRow, ApartForm []int32
	Squares             bool // some row is a squared potential

	// mu are the multipliers; eliminated from a Newton system, a row's multiplier
	// changes by theta·coef·(change of its left-hand side) + lift.
	Coef, B, Mu, Theta, Lift []float64
	Half                     []float64 // plain: 1/(2·Curv), 0 for inequalities
	Weight, Bend             []float64 // linear: w and 2·Curv
}

// Start sorts the rows.
func (r *Rows) Start(p *problem.Problem) {
	g := p.Forms
	apart := Of(p.Layout).Apart
	r.Forms = pairsFirst(g, r.Forms[:0], func(k int) bool { return p.SidePtr[p.Targets+k] < p.SidePtr[p.Targets+k+1] })
	r.Plain, r.Linear, r.Squares = 0, 0, false
	for _, kind := range p.Kind {
		switch kind {
		case lcqp.Linear:
			r.Linear++
		case lcqp.HardLE, lcqp.Square:
			r.Plain++
		}
	}
	m := p.Rows
	r.Row, r.Of = problem.Resize(r.Row, m), problem.Resize(r.Of, m)
	for _, v := range []*[]float64{&r.Coef, &r.B, &r.Mu, &r.Theta, &r.Lift} {
		*v = problem.Resize(*v, m)
		clear(*v)
	}
	r.Half = problem.Resize(r.Half, r.Plain)
	r.Weight, r.Bend = problem.Resize(r.Weight, r.Linear), problem.Resize(r.Bend, r.Linear)
	r.ApartRow, r.ApartForm = r.ApartRow[:0], r.ApartForm[:0]
	plain, linear, equal := 0, r.Plain, r.Plain+r.Linear
	for f := range len(p.SidePtr) - 1 {
		for k := p.SidePtr[f]; k < p.SidePtr[f+1]; k++ {
			var n int
			switch p.Kind[k] {
			case lcqp.HardEQ:
				n = equal
				equal++
			case lcqp.Linear:
				n = linear
				linear++
				r.Weight[n-r.Plain], r.Bend[n-r.Plain] = p.Weight[k], 2*p.Curv[k]
			default:
				n = plain
				plain++
				r.Half[n] = 0
				if p.Kind[k] == lcqp.Square {
					r.Half[n] = 1 / (2 * p.Curv[k])
					r.Squares = true
				}
			}
			r.Row[n], r.Of[n], r.Coef[n], r.B[n] = k, int32(f), p.Coef[k], p.B[k]
			if f >= p.Targets && apart[f-p.Targets] >= 0 {
				r.ApartRow = append(r.ApartRow, int32(n))
				r.ApartForm = append(r.ApartForm, apart[f-p.Targets])
			}
		}
	}
}

// Sides writes the values of all left-hand sides that have rows.
func (r *Rows) Sides(p *problem.Problem, y, side []float64) {
	copy(side, y)
	rest := side[p.Targets:]
	for _, k := range r.Forms {
		rest[k] = p.Forms.Apply(int(k), y)
	}
}

// Gather adds to out, by target, what is given by left-hand side.
func (r *Rows) Gather(p *problem.Problem, side, out []float64) {
	for i := range out {
		out[i] += side[i]
	}
	rest := side[p.Targets:]
	for _, k := range r.Forms {
		p.Forms.Spread(int(k), rest[k], out)
	}
}
