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
// of them at their own pace. It begins at start, and looks at the gap now and then.
func solve(ctx context.Context, p *program, start []float64, steps int, tolerance float64) (Learned, error) {
	n := len(p.prior)
	bound := p.bounds()
	v, next, ahead, moved := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	w, grad := slices.Clone(start), make([]float64, n)
	weigh := func(v []float64) []float64 {
		for i := range v {
			w[i] = v[i] * bound[i]
		}
		return w
	}
	for i := range v {
		v[i] = min(start[i]/bound[i], 1)
	}
	copy(ahead, v)
	best := Learned{Value: math.Inf(1)}
	step, t := 0.0, 1.0
	for k := 0; ; k++ {
		value := p.value(weigh(ahead), grad)
		look, slope := k%gapEvery == 0 || k == steps, grad // the slopes at best.Weights
		if value < best.Value {
			best.Weights, best.Value = slices.Clone(w), value
		} else if look {
			slope = make([]float64, n)
			p.value(best.Weights, slope)
		}
		if look {
			best.Gap = p.gap(best.Weights, slope, bound)
		}
		if err := ctx.Err(); err != nil || k == steps || best.Gap <= tolerance*math.Abs(best.Value) {
			return best, err
		}
		floats.Mul(grad, bound)
		if k == 0 {
			step = 0.1 / (floats.Norm(grad, 2) + 1e-150)
		}
		for {
			copy(next, ahead)
			move := optim.BoxStep(next, grad, step)
			after := p.value(weigh(next), nil)
			floats.SubTo(moved, next, ahead)
			bend := floats.Dot(grad, moved)
			if after <= value+bend+move/(2*step)+1e-12*math.Abs(value) || move == 0 {
				if after < best.Value {
					best.Weights, best.Value = slices.Clone(w), after
				}
				break
			}
			step /= 2
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
		step *= 1.2
	}
}

// gapEvery is how many steps there are between looks at the gap. In between values fall, so that the last gap stays a bound.
const gapEvery = 5

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
