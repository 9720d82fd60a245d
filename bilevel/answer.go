package bilevel

import (
	"fmt"

	"gorgonia.org/gorgonia"

	"hinge/symbolic/lcqp"
)

// answer is the loss of the answers themselves (ours): with y* the MAP state of the
// problem that observes no label, t the labels and ω their importance,
//
//	L = (1/P) Σ_i Σ_j ω_ij·d(y*_ij, t_ij),  d(y, t) = −t·log y − (1 − t)·log(1 − y).
//
// The derivative goes through inference: labels pull at the answers with c = ω·∂d/∂y
// (ValueFunction.SolvePulled), so that a label speaks to the outputs of all that its
// answer was inferred from. For δ → ∞ it would be the structured perceptron. The second
// solve starts where the first has ended.
type answer struct {
	Stateless
	o            *Objective
	full, nudged solver // V and V_δ
	labelled     []*lcqp.Instance
	importance   []float64 // ω, by target
	answers      []float64 // y*, by target, one run per draw
	slopes       []float64 // c, likewise
	maxSlope     float64   // m
	value        float64   // Σ over the samples, the mean over their draws
	w, g         []float64 // of the last run of the graph
}

// answerKind: known labels count by Problem.Importance.
var answerKind = Kind{
	Name: LossAnswer, Solves: true, Unlabelled: true, Draws: true, Sums: true,
	New: func(o *Objective) (Loss, error) { return newAnswer(o) },
	Check: func(s *Settings) error {
		if s.Value.DrawTemperature > 0 {
			return fmt.Errorf("bilevel: the loss %s takes the mean over draws; set DrawTemperature to 0", s.Loss)
		}
		return nil
	},
}

func newAnswer(o *Objective) (*answer, error) {
	full, err := o.newSolver("map")
	if err != nil {
		return nil, err
	}
	f, err := o.newValue(o.set.ConstraintDraws, full.Samples(), false)
	if err != nil {
		return nil, err
	}
	// One state for both: they solve in turn, and the answer is near.
	for slot := range f.Slots() {
		f.Bind(slot, full.Warm(slot))
	}
	nudged := o.add(solver{ValueFunction: f})
	// V_{z*} is for Satisfaction alone, and cold: what it finds does not depend on when it was
	// asked for before.
	o.latent.states = nil
	for slot := range o.latent.Slots() {
		o.latent.Bind(slot, nil)
	}
	n := full.room.targets
	return &answer{
		o: o, full: full, nudged: nudged, labelled: make([]*lcqp.Instance, full.Samples()),
		importance: make([]float64, n), answers: make([]float64, len(full.dy)), slopes: make([]float64, len(full.dy)),
	}, nil
}

func (l *answer) Load(batch []int) error {
	for i := range l.labelled {
		l.labelled[i] = l.o.latent.Instance(i)
		weights := l.full.points(l.importance, i)
		for j := range weights {
			weights[j] = 1
		}
		if f := l.o.problem.Importance; f != nil {
			f(batch[i], weights)
		}
	}
	return nil
}

func (l *answer) Express(w, g *gorgonia.Node) (*gorgonia.Node, error) {
	if err := l.full.checkNodes(w, g); err != nil {
		return nil, err
	}
	return Function("answer", w, g, func(w, g, dw, dg []float64) (float64, error) {
		l.w, l.g = w, g
		if err := l.solve(w, g); err != nil {
			return 0, err
		}
		l.difference(l.nudged.WeightGradient, l.full.WeightGradient, dw)
		l.difference(l.nudged.deepGradient, l.full.deepGradient, dg)
		return l.scale() * l.value, nil
	})
}

// solve infers the answers, and then the answers under the pull of the labels.
func (l *answer) solve(w, g []float64) (err error) {
	if err := l.full.Solve(w, g); err != nil {
		return err
	}
	l.value = 0
	clear(l.slopes)
	draws := float64(l.full.Slots() / l.full.Samples())
	for slot := range l.full.Slots() {
		i, c := slot%l.full.Samples(), l.full.points(l.slopes, slot)
		importance := l.full.points(l.importance, i)
		answers := l.full.Result(slot).Y
		copy(l.full.points(l.answers, slot), answers)
		for j, y := range answers {
			if label := l.labelled[i].Lower[j]; label == l.labelled[i].Upper[j] {
				weight := importance[j]
				l.value += weight * crossEntropy(y, label, &c[j]) / draws
				c[j] *= weight
			}
		}
	}
	l.maxSlope, err = l.nudged.SolvePulled(w, g, l.answers, l.slopes, l.o.set.Nudge)
	return err
}

// scale is the factor between the sum over the samples that are solved and the loss.
func (l *answer) scale() float64 {
	if l.o.set.Reduction == Sum {
		return float64(l.o.problem.Batch) / float64(l.full.Samples())
	}
	return 1 / float64(l.full.Samples())
}

// difference writes the derivative of the loss, given as functions the derivatives of V_δ and
// V with respect to the same values.
func (l *answer) difference(nudged, full backward, dx []float64) {
	dv, v := make([]float64, l.full.Samples()), make([]float64, len(dx))
	for i := range dv {
		dv[i] = l.scale() * l.maxSlope / l.o.set.Nudge
	}
	nudged(dv, dx)
	full(dv, v)
	for i := range dx {
		dx[i] -= v[i]
	}
}

// Satisfaction solves V_{z*} where the last step was, and leaves the measurement to it. Labels
// that contradict the hard rules, which the loss itself does not mind, have none: it writes 0.
func (l *answer) Satisfaction(out []float64) bool {
	if l.w == nil {
		return false
	}
	err := l.o.latent.Solve(l.w, l.g)
	clear(l.o.latent.slotValues) // no step has this Spread
	if err != nil {
		clear(out)
	}
	return err != nil
}

func (l *answer) Step([]float64, []float64, gorgonia.Nodes) (Terms, error) {
	samples := l.o.problem.Batch
	total := l.value * float64(samples) / float64(l.full.Samples())
	return Terms{Samples: samples, Supervised: total, Lagrangian: total}, nil
}
