package ruleweights

import (
	"math"

	"hinge/symbolic/rulemining"
)

// program is the convex program of one relation. Its queries hold the features of the answer
// first and of other entities after it.
type program struct {
	prior  []float64 // w⁰
	lambda float64
	// queries
	side   []int8
	others [][levels + 1]float64 // entities by popularity that have no features; the last: not popular at all
	begin  []int32               // first candidate of each query, and the end; the first is the answer
	times  []float64             // how many entities each candidate stands for
	level  []int8                // popularity of each candidate, −1 for none
	from   []int32               // first feature of each candidate, and the end
	what   []int32
	// room for a gradient
	cumulative, slope, score []float64
	common                   [2][levels + 1]float64 // exp of the scores of entities by popularity
}

const levels = len(rulemining.Levels)

// value returns f(w) = Σ_q −log P(answer) + λ/2·‖w − w⁰‖² and writes ∇f to grad.
func (p *program) value(w, grad []float64) float64 {
	sum := 0.0
	for i, x := range w {
		d := x - p.prior[i]
		sum += p.lambda / 2 * d * d
		grad[i] = p.lambda * d
		p.cumulative[i], p.slope[i] = x, 0
		if i%levels > 0 {
			p.cumulative[i] += p.cumulative[i-1]
		}
	}
	for side := range p.common {
		for l := range levels {
			p.common[side][l] = math.Exp(p.cumulative[side*levels+l])
		}
		p.common[side][levels] = 1
	}
	for q := range p.side {
		sum += p.query(q)
	}
	// The slope of a level counts for all levels below.
	for i := len(w) - 1; i >= 0; i-- {
		if (i+1)%levels > 0 {
			p.slope[i] += p.slope[i+1]
		}
		grad[i] += p.slope[i]
	}
	return sum
}

// query returns −log P(answer) = log Σ_e exp s(e) − s(answer) and adds its slopes.
func (p *program) query(q int) float64 {
	base := int(p.side[q]) * levels
	from, to := p.begin[q], p.begin[q+1]
	score := p.score[:0]
	high := 0.0
	for c := from; c < to; c++ {
		s := 0.0
		if l := p.level[c]; l >= 0 {
			s = p.cumulative[base+int(l)]
		}
		for _, x := range p.what[p.from[c]:p.from[c+1]] {
			s += p.cumulative[x]
		}
		score = append(score, s)
		high = max(high, s)
	}
	p.score = score
	total := 0.0
	for i, s := range score {
		total += p.times[int(from)+i] * math.Exp(s-high)
	}
	others, common := &p.others[q], &p.common[p.side[q]]
	rest := 0.0
	for l, n := range others {
		rest += n * common[l]
	}
	low := math.Exp(-high)
	total += rest * low
	for i, s := range score {
		g := p.times[int(from)+i] * math.Exp(s-high) / total
		if i == 0 {
			g--
		}
		c := from + int32(i)
		if l := p.level[c]; l >= 0 {
			p.slope[base+int(l)] += g
		}
		for _, x := range p.what[p.from[c]:p.from[c+1]] {
			p.slope[x] += g
		}
	}
	for l, n := range others[:levels] {
		p.slope[base+l] += n * common[l] * low / total
	}
	return high + math.Log(total) - score[0]
}

// gap bounds f(w) − min f over 0 ≤ w ≤ bound: f is strongly convex with modulus λ, so that no point
// is lower than the minimum of the parabola below f that touches it at w, and that minimum
// is a sum over the weights.
func (p *program) gap(w, grad, bound []float64) float64 {
	sum := 0.0
	for i, g := range grad {
		d := min(max(-g/p.lambda, -w[i]), bound[i]-w[i])
		sum += -g*d - p.lambda/2*d*d
	}
	return sum
}
