package ruleweights

import (
	"math"

	"hinge/symbolic/rulemining"
)

// program is the convex program of one relation and side. Its queries hold the features of the answer
// first and of other entities after it; the popularity of an entity is a feature like others.
type program struct {
	prior  []float64 // w⁰
	lambda float64
	plain  bool      // the cluster Rare counts for nothing
	begin  []int32   // first candidate of each query, and the end; the first is the answer
	part   []int     // of held facts that each query is of, −1 for facts of the graph
	less   int       // the part that is left out
	times  []float64 // how many entities each candidate stands for
	from   []int32   // first feature of each candidate, and the end
	what   []int32
	// room for a gradient
	cumulative, slope, score []float64
}

const (
	levels = len(rulemining.Levels)
	rare   = rulemining.RareCluster * levels // the first weight of that cluster
)

// value returns f(w) = Σ_q −log P(answer) + λ/2·‖w − w⁰‖² and, unless grad is nil, writes ∇f to grad.
func (p *program) value(w, grad []float64) float64 {
	p.cumulative = rulemining.Cumulative(w)
	if p.slope = nil; grad != nil {
		p.slope = make([]float64, len(w))
	}
	sum := 0.0
	for i, x := range w {
		d := x - p.prior[i]
		sum += p.lambda / 2 * d * d
	}
	for from, to := range p.queries {
		sum += p.query(from, to)
	}
	if grad == nil {
		return sum
	}
	if p.plain {
		clear(p.slope[rare:][:levels])
	}
	// The slope of a level counts for all levels below.
	for i := len(w) - 1; i >= 0; i-- {
		if (i+1)%levels > 0 {
			p.slope[i] += p.slope[i+1]
		}
		grad[i] = p.lambda*(w[i]-p.prior[i]) + p.slope[i]
	}
	return sum
}

// queries yields the first candidate of each query and the end.
func (p *program) queries(yield func(from, to int32) bool) {
	for q, part := range p.part {
		if part != p.less && !yield(p.begin[q], p.begin[q+1]) {
			return
		}
	}
}

// query returns −log P(answer) = log Σ_e exp s(e) − s(answer), the exponentials divided by the largest, and adds its
// slopes, if there is room for them.
func (p *program) query(from, to int32) float64 {
	score := p.score[:0]
	high := math.Inf(-1)
	for c := from; c < to; c++ {
		s := 0.0
		for _, x := range p.what[p.from[c]:p.from[c+1]] {
			s += p.cumulative[x]
		}
		score = append(score, s)
		high = max(high, s)
	}
	p.score = score
	answer, total := score[0], 0.0
	for i, s := range score {
		score[i] = p.times[int(from)+i] * math.Exp(s-high)
		total += score[i]
	}
	if p.slope != nil {
		for i, mass := range score {
			g := mass / total
			if i == 0 {
				g--
			}
			c := from + int32(i)
			for _, x := range p.what[p.from[c]:p.from[c+1]] {
				p.slope[x] += g
			}
		}
	}
	return high + math.Log(total) - answer
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
