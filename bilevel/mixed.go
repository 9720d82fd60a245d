package bilevel

import (
	"fmt"
	"slices"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// Samples may have different programs (Problem.Templates), with the same weighted rules and
// other targets, rows and neural outputs. The numbers of a batch then lie sample after sample,
// each as long as the sample's program needs. If a batch needs less than the largest one, the
// rest of a draw is not read and has no gradient.

// place counts neural outputs and targets: either the position of the first of a sample, or
// their number.
type place struct{ deep, targets int }

// outputs is the part of x, numbers for all neural outputs, that belongs to a slot.
func (f *ValueFunction) outputs(x []float64, slot int) []float64 {
	from := slot/f.samples*f.room.deep + f.at[slot%f.samples].deep
	return x[from : from+f.insts[slot].Deep]
}

// points is the part of x, a number for each target and draw, that belongs to a slot.
func (f *ValueFunction) points(x []float64, slot int) []float64 {
	from := slot/f.samples*f.room.targets + f.at[slot%f.samples].targets
	return x[from : from+f.insts[slot].Targets]
}

// clearSpare zeroes the entries of a gradient for neural outputs that no slot writes.
func (f *ValueFunction) clearSpare(out []float64) {
	last := f.samples - 1
	spare := f.at[last].deep + f.insts[last].Deep
	for from := 0; from < len(f.dg); from += f.room.deep {
		clear(out[from+spare : from+f.room.deep])
	}
}

// use sets the programs of the samples that the next evaluations solve, which have to fit
// into the room of the function. A slot whose program changes has no label fixed and starts
// cold.
func (f *ValueFunction) use(of func(i int) *lcqp.Template) error {
	next, err := f.assign(of)
	if err == nil && (next.deep > f.room.deep || next.targets > f.room.targets) {
		err = fmt.Errorf("bilevel: a batch of %d neural outputs and %d targets, there is room for %d and %d", next.deep, next.targets, f.room.deep, f.room.targets)
	}
	return err
}

// assign is use without the check of the room. It returns where the last sample ends.
func (f *ValueFunction) assign(of func(i int) *lcqp.Template) (next place, err error) {
	for i := range f.samples {
		t := of(i)
		f.at[i] = next
		next.deep, next.targets = next.deep+t.Deep, next.targets+t.Targets
		for slot := i; slot < len(f.insts); slot += f.samples {
			if in := f.insts[slot]; in != nil && in.Template == t {
				continue
			}
			in := f.insts[i]
			if slot < f.labels() {
				if in, err = t.NewInstance(f.opt.Epsilon); err != nil {
					return next, fmt.Errorf("bilevel: %w", err)
				}
			}
			f.insts[slot], f.results[slot], f.given[slot], f.labelled[i] = in, new(infer.Result), nil, nil
			if f.warms[slot] != nil {
				*f.warms[slot] = infer.Warm{}
			}
		}
	}
	return next, nil
}

func (p *Problem) template(sample int) *lcqp.Template {
	if p.Templates == nil {
		return p.Template
	}
	return p.Templates[sample]
}

// room returns the numbers that a batch of the given number of samples needs at most.
func (p *Problem) room(samples int) place {
	if p.Templates == nil {
		return place{samples * p.Template.Deep, samples * p.Template.Targets}
	}
	deep, targets := Room(p.Templates, samples)
	return place{deep, targets}
}

// Room returns how many neural outputs per draw and how many targets a batch of the given
// number of samples with these programs has at most.
func Room(templates []*lcqp.Template, samples int) (deep, targets int) {
	d, n := make([]int, len(templates)), make([]int, len(templates))
	for i, t := range templates {
		d[i], n[i] = t.Deep, t.Targets
	}
	for _, x := range [][]int{d, n} {
		slices.SortFunc(x, func(a, b int) int { return b - a })
	}
	for i := range min(samples, len(templates)) {
		deep, targets = deep+d[i], targets+n[i]
	}
	return deep, targets
}

// starts returns for each sample the places of its first target and its first neural output in
// lists over all samples, and at the end the lengths of the lists.
func (p *Problem) starts() []place {
	at := make([]place, p.Samples+1)
	for i := range p.Samples {
		t := p.template(i)
		at[i+1] = place{at[i].deep + t.Deep, at[i].targets + t.Targets}
	}
	return at
}
