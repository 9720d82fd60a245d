package bilevel

import (
	"fmt"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// solver is a value function of an Objective with the states its solves start from;
// nil where each starts cold.
type solver struct {
	*ValueFunction
	states *bank
}

// newSolver makes the value function of the problems without fixed labels: of the
// first draws of the first samples of a batch, as the settings say.
func (o *Objective) newSolver(name string) (solver, error) {
	samples := o.problem.Batch
	if m := o.set.ConstraintSamples; m > 0 {
		samples = min(m, samples)
	}
	f, err := o.newValue(o.set.ConstraintDraws, samples, false)
	if err != nil {
		return solver{}, err
	}
	return o.add(solver{f, newBank(name, o.problem.Samples, o.problem.Template)}), nil
}

// Unlabelled makes a value function of the problems without fixed labels for a loss, which
// calls it where it is made: of the first Lagrangian.ConstraintDraws draws of the first
// ConstraintSamples samples of a batch. The objective keeps the states its solves end in
// for each sample, under that name.
func (o *Objective) Unlabelled(name string) (*ValueFunction, error) {
	s, err := o.newSolver(name)
	return s.ValueFunction, err
}

// add notes what the loss solves.
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
	f, err := New(o.problem.Template, draws*samples, opt)
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
	name          string
	rows, targets int
	states        []infer.Warm
}

func newBank(name string, samples int, t *lcqp.Template) *bank {
	return &bank{name: name, rows: t.Rows(), targets: t.Targets, states: make([]infer.Warm, samples)}
}

// load puts the states of the batch into the slots, draw after draw.
func (b *bank) load(f *ValueFunction, batch []int) {
	for slot := range f.Slots() {
		from, to := &b.states[batch[slot%len(batch)]], f.Warm(slot)
		to.Dual = append(to.Dual[:0], from.Dual...)
		to.Y = append(to.Y[:0], from.Y...)
	}
}

// store keeps the states of the first draw.
func (b *bank) store(f *ValueFunction, batch []int) {
	for slot, sample := range batch {
		from, to := f.Warm(slot), &b.states[sample]
		to.Dual = append(to.Dual[:0], from.Dual...)
		to.Y = append(to.Y[:0], from.Y...)
	}
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
	return []Array{
		{"solver/" + b.name + ".samples", []int{n}, seen},
		{"solver/" + b.name + ".dual", []int{n, b.rows}, dual},
		{"solver/" + b.name + ".y", []int{n, b.targets}, y},
	}
}

// restore is the inverse of arrays, for the samples that has has.
func (b *bank) restore(get func(name string) ([]float64, error), has func(sample int) bool) error {
	var in [3][]float64
	for k, suffix := range []string{".samples", ".dual", ".y"} {
		var err error
		if in[k], err = get("solver/" + b.name + suffix); err != nil {
			return err
		}
	}
	seen, dual, y := in[0], in[1], in[2]
	if len(dual) != len(seen)*b.rows || len(y) != len(seen)*b.targets {
		return fmt.Errorf("bilevel: %d solver states with %d duals and %d values, want %d and %d each",
			len(seen), len(dual), len(y), b.rows, b.targets)
	}
	clear(b.states)
	for _, sample := range seen {
		if i := int(sample); i < 0 || i >= len(b.states) || float64(i) != sample {
			return fmt.Errorf("bilevel: solver state of sample %v, there are %d", sample, len(b.states))
		}
	}
	b.put(seen, dual, y)
	b.keep(has)
	return nil
}

// put sets the states of some samples.
func (b *bank) put(samples, dual, y []float64) {
	for k, sample := range samples {
		b.states[int(sample)] = infer.Warm{
			Dual: append([]float64(nil), dual[k*b.rows:(k+1)*b.rows]...),
			Y:    append([]float64(nil), y[k*b.targets:(k+1)*b.targets]...),
		}
	}
}
