package bilevel

import (
	"errors"
	"fmt"
	"math"

	"gorgonia.org/gorgonia"
)

// LossConditional is ours: the energy loss at classes instead of beliefs, each row of the
// outputs enumerated with the others as drawn (conditional.go).
const LossConditional LossName = "conditional"

// conditional is the energy loss over conditional draws. The outputs of a sample are rows
// r = 1 … R, each a distribution p_r over classes. Of K joint draws x^k ~ p of one class a row
// let x^k[r→c] be the draw with class c in row r, and V its optimal value with the labels
// fixed and one-hot outputs. With the temperature T = Options.DrawTemperature
//
//	F = 1/(KR) Σ_k Σ_r Σ_c p_r(c)·e^(−V(x^k[r→c])/T),   L = −T·R·log F,
//
// whose gradient with the draws held fixed is, but for the ratio of estimates, that of
// −T log E_p[e^(−V/T)]: the gradient of an expectation over independent rows is the sum over
// rows of what enumerating one row gives, the others as drawn (IndeCateR, De Smet et al.,
// NeurIPS 2023), and without bias. A class that mends a wrong draw is always among those
// tried, however unlikely the network finds it. T = 0 is the mean,
//
//	L = 1/K Σ_k Σ_r Σ_c p_r(c)·V(x^k[r→c]),
//
// with the gradient of E_p[V]. The rule weights have the gradient Φ of the values that F
// weighs.
//
// A sample has K·(1 + Σ_r (C_r − 1)) problems, one for the draw itself and one for each
// other class of each row.
type conditional struct {
	Stateless
	latent *ValueFunction
	rows   []int // classes of each
	draws  int
	as     Reduction
	temp   float64
	states []float64 // outputs of all slots
	index  []int     // of slots of a draw: [deep]; 0 is the draw
	factor []float64 // e^(−V/T) of each slot of a sample, over the largest
}

// leastBelief is what a belief counts at least, so that a class which the network excludes
// to the last bit does not make the loss infinite.
const leastBelief = 1e-30

// conditionalKind: hard draws, and all neighbours of each.
var conditionalKind = Kind{
	Name: LossConditional, Solves: true, Draws: true, Hard: true, Rows: true, Sums: true,
	New: func(o *Objective) (Loss, error) { return newConditional(o), nil },
	Problems: func(p *Problem, draws int) (int, error) {
		if p.Templates != nil {
			return 0, errors.New("bilevel: the loss conditional wants samples of one program")
		}
		n := 1
		for _, classes := range p.Rows(0) {
			n += classes - 1
		}
		return draws * n, nil
	},
}

func newConditional(o *Objective) *conditional {
	l := &conditional{
		latent: o.Latent(), rows: o.problem.Rows(0), draws: o.set.Draws, as: o.set.Reduction, temp: o.set.Value.DrawTemperature,
		states: make([]float64, len(o.latent.dg)), index: make([]int, o.problem.Template.Deep),
	}
	l.factor = make([]float64, l.latent.opt.Draws)
	return l
}

func (l *conditional) Express(w, g *gorgonia.Node) (*gorgonia.Node, error) {
	samples := l.latent.Samples()
	if want := (1 + l.draws) * samples * len(l.index); g.Shape().TotalSize() != want {
		return nil, fmt.Errorf("bilevel: the loss conditional: %d outputs, want %d for beliefs and %d draws of %d samples", g.Shape().TotalSize(), want, l.draws, samples)
	}
	scale := l.as.factor(samples)
	return Function(string(LossConditional), w, g, func(w, g, dw, dg []float64) (float64, error) {
		beliefs := g[:samples*len(l.index)]
		l.enumerate(g[len(beliefs):])
		if err := l.latent.Solve(w, l.states); err != nil {
			return 0, err
		}
		clear(l.latent.share)
		sum, dv := 0.0, make([]float64, samples)
		for i := range samples {
			from, to := i*len(l.index), (i+1)*len(l.index)
			l.latent.values[i] = l.weigh(i, beliefs[from:to], g, dg[from:to])
			sum += l.latent.values[i]
			dv[i] = scale
		}
		for i := range beliefs {
			dg[i] *= scale
		}
		l.latent.WeightGradient(dv, dw)
		return scale * sum, nil
	})
}

// perDraw is the number of slots of a draw.
func (l *conditional) perDraw() int { return l.latent.opt.Draws / l.draws }

// draw returns the one-hot outputs of draw k of sample i among those of all draws.
func (l *conditional) draw(draws []float64, k, i int) []float64 {
	deep := len(l.index)
	return draws[(k*l.latent.Samples()+i)*deep:][:deep]
}

// slots fills index with the slot, within a draw, of each class in each row, the others as in
// x: 0 where it is the draw's own.
func (l *conditional) slots(x []float64) {
	next := 1
	for j, v := range x {
		if l.index[j] = 0; v == 0 {
			l.index[j] = next
			next++
		}
	}
}

// enumerate writes the outputs of all slots.
func (l *conditional) enumerate(draws []float64) {
	samples, per := l.latent.Samples(), l.perDraw()
	for k := range l.draws {
		for i := range samples {
			x := l.draw(draws, k, i)
			l.slots(x)
			copy(l.latent.outputs(l.states, k*per*samples+i), x)
			from := 0
			for _, classes := range l.rows {
				for j := from; j < from+classes; j++ {
					if l.index[j] == 0 {
						continue
					}
					state := l.latent.outputs(l.states, (k*per+l.index[j])*samples+i)
					copy(state, x)
					clear(state[from : from+classes])
					state[j] = 1
				}
				from += classes
			}
		}
	}
}

// weigh returns the loss of a sample, writes its derivative for the beliefs p, and leaves that
// for the value of each slot.
func (l *conditional) weigh(i int, p, g, dp []float64) float64 {
	f, samples, per := l.latent, l.latent.Samples(), l.perDraw()
	k, rows := float64(l.draws), float64(len(l.rows))
	low := math.Inf(1)
	for s := range l.factor {
		low = min(low, f.slotValues[s*samples+i])
	}
	total := 0.0 // F e^(low/T), or the loss where T is 0
	each := func(visit func(j, s int)) {
		for d := range l.draws {
			l.slots(l.draw(g[samples*len(p):], d, i))
			for j, s := range l.index {
				visit(j, d*per+s)
			}
		}
	}
	if l.temp <= 0 {
		each(func(j, s int) {
			v := f.slotValues[s*samples+i]
			total += p[j] * v / k
			dp[j] += v / k
			f.share[s*samples+i] += p[j] / k
		})
		return total
	}
	for s := range l.factor {
		l.factor[s] = math.Exp((low - f.slotValues[s*samples+i]) / l.temp)
	}
	each(func(j, s int) { total += max(p[j], leastBelief) * l.factor[s] / (k * rows) })
	each(func(j, s int) {
		dp[j] -= l.temp * l.factor[s] / (k * total)
		f.share[s*samples+i] += max(p[j], leastBelief) * l.factor[s] / (k * total)
	})
	return rows * (low - l.temp*math.Log(total))
}

// Satisfaction is that of the draws, not of what is tried beside them.
func (l *conditional) Satisfaction(out []float64) bool {
	clear(out)
	samples, n := l.latent.Samples(), len(out)
	for k := range l.draws {
		for i := range samples {
			slot := k*l.perDraw()*samples + i
			for r, v := range l.latent.phi[slot*n:][:n] {
				out[r] += v
			}
		}
	}
	Satisfaction(l.latent.template, out, l.draws*samples)
	return true
}

func (l *conditional) Step([]float64, []float64, gorgonia.Nodes) (Terms, error) {
	t := Terms{Samples: l.latent.Samples()}
	for _, v := range l.latent.values {
		t.Energy += v
	}
	t.Lagrangian = t.Energy
	return t, nil
}
