package qp

import (
	"math"

	"hinge/symbolic/infer"
)

// Refutes reports whether multipliers of the rows prove that a problem has no point: for all
// x within its bounds y·A·x is more than y·s can be for Low ≤ s ≤ High. A coefficient of
// (Aᵀ·y)·x that is 1e-12 of its terms is rounding, and no margin is proved by less than 1e-9
// of its terms.
func Refutes(p *Problem, y []float64) bool {
	pull, terms := make([]exact, len(p.P)), make([]float64, len(p.P))
	var margin exact
	scale := 0.0
	add := func(a, b float64) {
		margin.mul(a, b)
		scale += math.Abs(a * b)
	}
	for k, mu := range y {
		side := p.High[k]
		if mu < 0 {
			side = p.Low[k]
		}
		if mu != 0 {
			add(-mu, side)
		}
		col, val := p.row(k)
		for j, c := range col {
			pull[c].mul(mu, val[j])
			terms[c] += math.Abs(mu * val[j])
		}
	}
	for i := range pull {
		at, upper := p.bounds(i)
		v := pull[i].value()
		if v < 0 {
			at = upper
		}
		if v != 0 && (!math.IsInf(at, 0) || math.Abs(v) > 1e-12*terms[i]) {
			add(v, at)
		}
	}
	return margin.value() > 1e-9*scale
}

// proof returns the certificate of the form as multipliers of the rows of problem p, nil
// if it is none without the bounds of the step.
func (f *form) proof(p *Problem, c *infer.Certificate) []float64 {
	y := make([]float64, len(p.Low))
	for n, row := range c.Rows {
		if k := int(f.from[row]); k < len(y) {
			y[k] = p.oneSided(k, c.Mu[n]*f.scale.row[k])
		}
	}
	if !Refutes(p, y) {
		return nil
	}
	return y
}
