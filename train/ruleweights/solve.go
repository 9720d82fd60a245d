package ruleweights

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"hinge/optim"
)

// solve minimises a program by accelerated projected gradients with restarts. Weights are measured in
// units of their bounds, which are larger for features that are rarer, so that optim.BoxStep moves all
// of them at their own pace. It begins at start.
func solve(ctx context.Context, p *program, start []float64, steps int, tolerance float64) (Learned, error) {
	n := len(p.prior)
	bound := p.bounds()
	v, next, ahead, before := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	w, grad, unit, moved := slices.Clone(start), make([]float64, n), make([]float64, n), make([]float64, n)
	at := func(v []float64) float64 {
		for i := range v {
			w[i] = v[i] * bound[i]
		}
		f := p.value(w, grad)
		for i, g := range grad {
			unit[i] = g * bound[i]
		}
		return f
	}
	for i := range v {
		v[i] = min(start[i]/bound[i], 1)
	}
	copy(ahead, v)
	value := at(ahead)
	best := Learned{slices.Clone(w), value, p.gap(w, grad, bound)}
	step, t := 0.1/(floats.Norm(unit, 2)+1e-150), 1.0
	for range steps {
		if err := ctx.Err(); err != nil {
			return best, err
		}
		fAhead := value
		copy(before, unit)
		for {
			copy(next, ahead)
			move := optim.BoxStep(next, before, step)
			value = at(next)
			floats.SubTo(moved, next, ahead)
			bend := floats.Dot(before, moved)
			if value <= fAhead+bend+move/(2*step)+1e-12*math.Abs(fAhead) || move == 0 {
				break
			}
			step /= 2
		}
		if value < best.Value {
			best = Learned{slices.Clone(w), value, p.gap(w, grad, bound)}
		}
		if best.Gap <= tolerance*math.Abs(best.Value) {
			break
		}
		// Restart where the direction points uphill.
		turn := 0.0
		for i := range next {
			turn -= moved[i] * (next[i] - v[i])
		}
		if turn > 0 {
			t = 1
		}
		further := (1 + math.Sqrt(1+4*t*t)) / 2
		for i := range next {
			ahead[i] = min(max(next[i]+(t-1)/further*(next[i]-v[i]), 0), 1)
		}
		t = further
		copy(v, next)
		if t > 1 {
			value = at(ahead)
		}
		step *= 1.2
	}
	return best, nil
}

// maxWeight is the least bound of a weight. Weights of learned models are far below it.
const maxWeight = 30

// bounds returns the largest value of each weight: maxWeight for the features that occur
// most often, more for the others.
func (p *program) bounds() []float64 {
	count, queries := make([]float64, len(p.prior)), 0.0
	for from, to := range p.queries {
		queries++
		for c := from; c < to; c++ {
			for _, x := range p.what[p.from[c]:p.from[c+1]] {
				count[x] += p.times[c]
			}
		}
	}
	most := 0.0
	for i := len(count) - 1; i >= 0; i-- {
		if (i+1)%levels > 0 {
			count[i] += count[i+1]
		}
		count[i] = min(count[i], 8*queries)
		most = max(most, count[i])
	}
	for i, c := range count {
		count[i] = maxWeight * math.Sqrt((most+p.lambda)/(c+p.lambda))
	}
	return count
}
