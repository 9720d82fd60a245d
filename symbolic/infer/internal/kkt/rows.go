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
	Forms         []int32 // that have rows, the first pairs of two targets
	pairs         int
	// ApartRow are the rows of separate forms, ApartForm the number of each one's separate
	// form.
	ApartRow, ApartForm []int32
	Squares             bool // some row is a squared potential

	Coef, B, Mu  []float64 // Mu are the multipliers
	Half         []float64 // plain: 1/(2·Curv), 0 for inequalities
	Weight, Curv []float64 // linear

	own [4][]float64 // room for Coef, B, Weight and Curv where they are in an order of their own
}

// group returns where rows of a kind stand: 0 plain, 1 linear, 2 equalities.
func group(kind lcqp.Kind) int {
	switch kind {
	case lcqp.Linear:
		return 1
	case lcqp.HardEQ:
		return 2
	}
	return 0
}

// Start sorts the rows. Where they are in order already, the numbers of p are used, until the
// next Start.
func (r *Rows) Start(p *problem.Problem) {
	g := p.Forms
	apart := Of(p.Layout).Apart
	r.Forms, r.pairs = pairsFirst(g, r.Forms[:0], func(k int) bool { return p.SidePtr[p.Targets+k] < p.SidePtr[p.Targets+k+1] })
	var count [3]int
	sorted, last := true, 0
	for _, kind := range p.Kind {
		g := group(kind)
		count[g]++
		sorted, last = sorted && g >= last, g
	}
	r.Plain, r.Linear, r.Squares = count[0], count[1], false
	m := p.Rows
	r.Row, r.Of = problem.Resize(r.Row, m), problem.Resize(r.Of, m)
	r.Mu = problem.Resize(r.Mu, m)
	clear(r.Mu)
	if sorted {
		r.Coef, r.B, r.Weight, r.Curv = p.Coef, p.B, p.Weight[r.Plain:][:r.Linear], p.Curv[r.Plain:][:r.Linear]
	} else {
		for i, n := range [...]int{m, m, r.Linear, r.Linear} {
			r.own[i] = problem.Resize(r.own[i], n)
		}
		r.Coef, r.B, r.Weight, r.Curv = r.own[0], r.own[1], r.own[2], r.own[3]
	}
	r.Half = problem.Resize(r.Half, r.Plain)
	r.ApartRow, r.ApartForm = r.ApartRow[:0], r.ApartForm[:0]
	next := [3]int{0, r.Plain, r.Plain + r.Linear}
	for f := range len(p.SidePtr) - 1 {
		for k := p.SidePtr[f]; k < p.SidePtr[f+1]; k++ {
			g := group(p.Kind[k])
			n := next[g]
			next[g]++
			switch p.Kind[k] {
			case lcqp.HardLE:
				r.Half[n] = 0
			case lcqp.Square:
				r.Half[n] = 1 / (2 * p.Curv[k])
				r.Squares = true
			}
			r.Row[n], r.Of[n] = k, int32(f)
			if !sorted {
				r.Coef[n], r.B[n] = p.Coef[k], p.B[k]
				if g == 1 {
					r.Weight[n-r.Plain], r.Curv[n-r.Plain] = p.Weight[k], p.Curv[k]
				}
			}
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
	rest, g := side[p.Targets:], p.Forms
	for _, k := range r.Forms[:r.pairs] {
		a, b, v := g.Pair(k)
		rest[k] = y[a] + v*y[b]
	}
	for _, k := range r.Forms[r.pairs:] {
		rest[k] = g.Apply(int(k), y)
	}
}

// Gather adds side, given by left-hand side, to out, by target.
func (r *Rows) Gather(p *problem.Problem, side, out []float64) {
	for i := range out {
		out[i] += side[i]
	}
	rest, g := side[p.Targets:], p.Forms
	for _, k := range r.Forms[:r.pairs] {
		a, b, v := g.Pair(k)
		out[a] += rest[k]
		out[b] += v * rest[k]
	}
	for _, k := range r.Forms[r.pairs:] {
		g.Spread(int(k), rest[k], out)
	}
}
