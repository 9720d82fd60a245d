package infer

import "hinge/symbolic/lcqp"

// sortedRows are the rows of a problem in the order in which the interior point
// and the primal–dual active set method work: inequalities and squared potentials
// (plain), linear potentials, equalities; so that loops run over plain arrays.
type sortedRows struct {
	plain, linear int
	row           []int32 // of the problem
	of            []int32 // left-hand side, as counted by formPtr
	byLength              // the forms that have rows
	// The rows of forms apart, and the number of each one's form among those.
	apartRow, apartForm []int32
	squares             bool // some row is a squared potential

	// mu are the multipliers; eliminated from a Newton system, a row's multiplier
	// changes by theta·coef·(change of its left-hand side) + lift.
	coef, b, mu, theta, lift []float64
	half                     []float64 // plain: 1/(2·Curv), 0 for inequalities
	weight, bend             []float64 // linear: w and 2·Curv
}

// start sorts the rows.
func (r *sortedRows) start(p *Problem) {
	g := p.forms
	apart := kktOf(p.layout).apart
	r.byLength.reset()
	for k := range int32(g.len()) {
		if f := p.Targets + int(k); p.formPtr[f] < p.formPtr[f+1] {
			r.byLength.add(k, g.ptr[k+1]-g.ptr[k])
		}
	}
	r.plain, r.linear, r.squares = 0, 0, false
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
	for _, v := range []*[]float64{&r.coef, &r.b, &r.mu, &r.theta, &r.lift} {
		*v = resize(*v, m)
		clear(*v)
	}
	r.half = resize(r.half, r.plain)
	r.weight, r.bend = resize(r.weight, r.linear), resize(r.bend, r.linear)
	r.apartRow, r.apartForm = r.apartRow[:0], r.apartForm[:0]
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
					r.squares = true
				}
			}
			r.row[n], r.of[n], r.coef[n], r.b[n] = k, int32(f), p.coef[k], p.B[k]
			if f >= p.Targets && apart[f-p.Targets] >= 0 {
				r.apartRow = append(r.apartRow, int32(n))
				r.apartForm = append(r.apartForm, apart[f-p.Targets])
			}
		}
	}
}

// sides writes the values of all left-hand sides that have rows.
func (r *sortedRows) sides(p *Problem, y, side []float64) { r.byLength.sides(p.forms, y, side) }

// gather adds to out, by target, what is given by left-hand side.
func (r *sortedRows) gather(p *Problem, side, out []float64) {
	g := p.forms
	for i := range out {
		out[i] += side[i]
	}
	rest := side[p.Targets:]
	for _, k := range r.pairs {
		from, v := g.ptr[k], rest[k]
		col, val := g.col[from:from+2], g.val[from:from+2]
		out[col[0]] += val[0] * v
		out[col[1]] += val[1] * v
	}
	for _, k := range r.triples {
		from, v := g.ptr[k], rest[k]
		col, val := g.col[from:from+3], g.val[from:from+3]
		out[col[0]] += val[0] * v
		out[col[1]] += val[1] * v
		out[col[2]] += val[2] * v
	}
	for _, k := range r.quads {
		from, v := g.ptr[k], rest[k]
		col, val := g.col[from:from+4], g.val[from:from+4]
		out[col[0]] += val[0] * v
		out[col[1]] += val[1] * v
		out[col[2]] += val[2] * v
		out[col[3]] += val[3] * v
	}
	for _, k := range r.others {
		g.spread(int(k), rest[k], out)
	}
}
