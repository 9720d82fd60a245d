package shortcut

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"hinge/symbolic/hlmrf"
)

// Concept is a property of entities that a network predicts.
type Concept struct {
	// Name is the name of the predicate, Outputs are the classes.
	Name    string
	Outputs []string
	// OneHot reports whether exactly one output is 1. Else any may be.
	OneHot bool
}

// Exemplar represents all entities with one true value of a concept: those outputs are 1.
type Exemplar struct {
	Concept int
	On      []int
}

// Output is where a neural output comes from: an output of an exemplar.
type Output struct{ Exemplar, Output int }

// Example is a ground program with labels.
type Example struct {
	Program *hlmrf.Program
	// Labels are the values of the targets, NaN where there is none.
	Labels []float64
	// Deep are the sources of the neural outputs.
	Deep []Output
}

// Problem is the input of a count.
type Problem struct {
	Concepts  []Concept
	Exemplars []Exemplar
	// Known are the exemplars for which networks are given labels of the concept itself.
	Known    []int
	Examples []Example
	// Left counts examples that are left out, because the true values of their entities
	// are not known.
	Left int
	// From names the source of the examples in a report; it may be empty.
	From string
}

// Exemplar returns the number of an exemplar, and adds it if it is new. on are the outputs
// that are 1, increasing.
func (p *Problem) Exemplar(concept int, on ...int) int {
	for n, e := range p.Exemplars {
		if e.Concept == concept && slices.Equal(e.On, on) {
			return n
		}
	}
	p.Exemplars = append(p.Exemplars, Exemplar{concept, slices.Clone(on)})
	return len(p.Exemplars) - 1
}

// Know makes an exemplar one of those that are labelled.
func (p *Problem) Know(exemplar int) {
	if !slices.Contains(p.Known, exemplar) {
		p.Known = append(p.Known, exemplar)
	}
}

// truth is the value of an output of an exemplar.
func (p *Problem) truth(e, output int) bool { return slices.Contains(p.Exemplars[e].On, output) }

// sort numbers the exemplars in the order of their concepts and values.
func (p *Problem) sort() {
	order := make([]int, len(p.Exemplars))
	for n := range order {
		order[n] = n
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &p.Exemplars[a], &p.Exemplars[b]
		return cmp.Or(cmp.Compare(x.Concept, y.Concept), slices.Compare(x.On, y.On))
	})
	list, number := make([]Exemplar, len(order)), make([]int, len(order))
	for n, old := range order {
		list[n], number[old] = p.Exemplars[old], n
	}
	p.Exemplars = list
	for k := range p.Known {
		p.Known[k] = number[p.Known[k]]
	}
	for n := range p.Examples {
		for k := range p.Examples[n].Deep {
			p.Examples[n].Deep[k].Exemplar = number[p.Examples[n].Deep[k].Exemplar]
		}
	}
}

// value names outputs that are 1.
func (c *Concept) value(on []int) string {
	switch {
	case len(c.Outputs) == 1 && len(on) == 0:
		return "not " + c.Outputs[0]
	case len(on) == 0:
		return "none"
	}
	names := make([]string, len(on))
	for i, o := range on {
		names[i] = c.Outputs[o]
	}
	return strings.Join(names, "+")
}

// check finds faults of the caller.
func (p *Problem) check() error {
	for n, e := range p.Exemplars {
		if e.Concept < 0 || e.Concept >= len(p.Concepts) {
			return fmt.Errorf("shortcut: exemplar %d of concept %d, there are %d", n, e.Concept, len(p.Concepts))
		}
		c := &p.Concepts[e.Concept]
		bad := slices.ContainsFunc(e.On, func(o int) bool { return o < 0 || o >= len(c.Outputs) })
		if bad || c.OneHot && len(e.On) != 1 {
			return fmt.Errorf("shortcut: exemplar %d of %s, which has %d outputs, has the outputs %v", n, c.Name, len(c.Outputs), e.On)
		}
	}
	for _, k := range p.Known {
		if k < 0 || k >= len(p.Exemplars) {
			return fmt.Errorf("shortcut: a label of exemplar %d, there are %d", k, len(p.Exemplars))
		}
	}
	for n, x := range p.Examples {
		if len(x.Labels) != len(x.Program.Targets) || len(x.Deep) != len(x.Program.Deep) {
			return fmt.Errorf("shortcut: example %d has %d labels and %d sources for %d targets and %d outputs",
				n, len(x.Labels), len(x.Deep), len(x.Program.Targets), len(x.Program.Deep))
		}
		for _, d := range x.Deep {
			if d.Exemplar < 0 || d.Exemplar >= len(p.Exemplars) || d.Output < 0 || d.Output >= len(p.Concepts[p.Exemplars[d.Exemplar].Concept].Outputs) {
				return fmt.Errorf("shortcut: example %d has output %d of exemplar %d, which does not exist", n, d.Output, d.Exemplar)
			}
		}
		for i, v := range x.Labels {
			if v < 0 || v > 1 || math.IsInf(v, 0) {
				return fmt.Errorf("shortcut: example %d has the label %v of %s", n, v, x.Program.Targets[i])
			}
		}
	}
	return nil
}
