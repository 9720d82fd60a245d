package bilevel

import (
	"fmt"
	"slices"

	"hinge/symbolic/infer"
)

// solver is a value function of an Objective with the states its solves start from;
// nil where each starts cold.
type solver struct {
	*ValueFunction
	states *bank
}

// newSolver makes the value function of the problems without fixed labels: for the first draws
// of the first samples of a batch, as the settings say.
func (o *Objective) newSolver(name string) (solver, error) {
	samples := o.problem.Batch
	if m := o.set.ConstraintSamples; m > 0 {
		samples = min(m, samples)
	}
	f, err := o.newValue(o.set.ConstraintDraws, samples, false)
	if err != nil {
		return solver{}, err
	}
	return o.add(solver{f, newBank(name, &o.problem)}), nil
}

// Unlabelled makes a value function of the problems without fixed labels. A loss calls it in
// its constructor. It covers the first Lagrangian.ConstraintDraws draws of the first
// ConstraintSamples samples of a batch. The objective keeps the final solver state of each
// sample under the given name.
func (o *Objective) Unlabelled(name string) (*ValueFunction, error) {
	s, err := o.newSolver(name)
	return s.ValueFunction, err
}

func (o *Objective) add(s solver) solver {
	o.own = append(o.own, s)
	return s
}

// newValue makes a value function of the first draws of the first samples of a
// batch, with a warm state a slot unless it conditions on labels.
func (o *Objective) newValue(draws, samples int, condition bool) (*ValueFunction, error) {
	opt := o.set.Value
	opt.Draws, opt.Condition = draws, condition
	opt.Prefix = draws*samples < o.set.Draws*o.problem.Batch
	f, err := newValueFunction(o.problem.Template, draws*samples, opt, o.problem.room(samples))
	if err != nil {
		return nil, err
	}
	if !condition {
		for slot := range f.Slots() {
			f.Bind(slot, new(infer.Warm))
		}
	}
	return f, nil
}

// bank remembers, for each training sample, the solver state its problem ended
// in. The draws of a sample differ by noise only: all start from one state, and
// the first draw's end state is kept.
type bank struct {
	name    string
	problem *Problem
	states  []infer.Warm
}

func newBank(name string, p *Problem) *bank {
	return &bank{name: name, problem: p, states: make([]infer.Warm, p.Samples)}
}

// load puts the states of the batch into the slots, draw after draw.
func (b *bank) load(f *ValueFunction, batch []int) {
	for slot := range f.Slots() {
		copyWarm(f.Warm(slot), &b.states[batch[slot%len(batch)]])
	}
}

// store keeps the states of the first draw.
func (b *bank) store(f *ValueFunction, batch []int) {
	for slot, sample := range batch {
		copyWarm(&b.states[sample], f.Warm(slot))
	}
}

// copyWarm copies a state into the memory of another.
func copyWarm(to, from *infer.Warm) {
	to.Dual = append(to.Dual[:0], from.Dual...)
	to.Y = append(to.Y[:0], from.Y...)
}

// arrays returns the states that exist: their samples, duals and points.
func (b *bank) arrays() []Array {
	var seen, dual, y []float64
	for i, w := range b.states {
		if len(w.Dual) > 0 {
			seen = append(seen, float64(i))
			dual = append(dual, w.Dual...)
			y = append(y, w.Y...)
		}
	}
	n := len(seen)
	shape := func(width int, data []float64) []int {
		if b.problem.Templates != nil {
			return []int{len(data)}
		}
		return []int{n, width}
	}
	t := b.problem.Template
	return []Array{
		{"solver/" + b.name + ".samples", []int{n}, seen},
		{"solver/" + b.name + ".dual", shape(t.Rows(), dual), dual},
		{"solver/" + b.name + ".y", shape(t.Targets, y), y},
	}
}

// restore reads back what arrays returned. It skips the samples for which has reports false.
func (b *bank) restore(get func(name string) ([]float64, error), has func(sample int) bool) error {
	var in [3][]float64
	for k, suffix := range []string{".samples", ".dual", ".y"} {
		var err error
		if in[k], err = get("solver/" + b.name + suffix); err != nil {
			return err
		}
	}
	seen, dual, y := in[0], in[1], in[2]
	rows, targets := 0, 0
	for _, sample := range seen {
		i := int(sample)
		if i < 0 || i >= len(b.states) || float64(i) != sample {
			return fmt.Errorf("bilevel: solver state of sample %v, there are %d", sample, len(b.states))
		}
		t := b.problem.template(i)
		rows, targets = rows+t.Rows(), targets+t.Targets
	}
	if len(dual) != rows || len(y) != targets {
		return fmt.Errorf("%w: %d solver states with %d duals and %d values, want %d and %d",
			ErrOtherRows, len(seen), len(dual), len(y), rows, targets)
	}
	clear(b.states)
	b.put(seen, dual, y)
	b.keep(has)
	return nil
}

// put sets the states of some samples.
func (b *bank) put(samples, dual, y []float64) {
	for _, sample := range samples {
		t := b.problem.template(int(sample))
		b.states[int(sample)] = infer.Warm{Dual: slices.Clone(dual[:t.Rows()]), Y: slices.Clone(y[:t.Targets])}
		dual, y = dual[t.Rows():], y[t.Targets:]
	}
}
