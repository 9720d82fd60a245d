package bilevel

import (
	"errors"
	"fmt"

	"gorgonia.org/gorgonia"

	"hinge/nn"
)

// Detached is the loss of an Objective in a graph of its own: the neural outputs are
// plain numbers, whoever makes them, and the loss is differentiated by them. Where
// one network's graph makes all of them, Attach is simpler.
//
//	d, err := bilevel.Detach(o, w)
//	o.Load(batch)
//	err = d.Run(g)                        // g: the outputs, slot after slot
//	d.Loss(), d.OutputGradient(), d.WeightGradient()
//	o.Step(w, d.WeightGradient())
type Detached struct {
	g    []float64
	vm   gorgonia.VM
	loss *gorgonia.Node
	// dw and dg are the gradient nodes of w and g; dg is nil without outputs.
	dw, dg *gorgonia.Node
}

// Detach compiles the loss of o with the rule weights w. w is bound, not copied: what
// is written there counts from the next run on. Detach takes the place of Loss, which
// is called once.
func Detach(o *Objective, w []float64) (*Detached, error) {
	graph := gorgonia.NewGraph()
	wn := WeightNode(graph, w)
	d := &Detached{g: make([]float64, o.problem.Batch*o.set.Draws*o.problem.Template.Deep)}
	inputs := gorgonia.Nodes{wn}
	var gn *gorgonia.Node
	if len(d.g) > 0 {
		gn = leaf(graph, "g", d.g)
		inputs = append(inputs, gn)
	}
	var err error
	if d.loss, err = o.Loss(wn, gn); err != nil {
		return nil, err
	}
	grads, err := gorgonia.Grad(d.loss, append(inputs, o.Inputs()...)...)
	if err != nil {
		return nil, fmt.Errorf("bilevel: differentiating the loss: %w", err)
	}
	d.dw = grads[0]
	if gn != nil {
		d.dg = grads[1]
	}
	o.Differentiated(grads[len(inputs):])
	d.vm = nn.NewMachine(graph)
	return d, nil
}

// Run evaluates loss and gradients at the outputs g of the loaded batch: a run of
// Deep numbers for each draw and sample, draw after draw.
func (d *Detached) Run(g []float64) error {
	if d.vm == nil {
		return errors.New("bilevel: the loss is closed")
	}
	if len(g) != len(d.g) {
		return fmt.Errorf("bilevel: %d neural outputs, want %d", len(g), len(d.g))
	}
	copy(d.g, g)
	return nn.Execute(d.vm)
}

// Loss returns the loss of the last run.
func (d *Detached) Loss() float64 { return d.loss.Value().Data().(float64) }

// WeightGradient returns the gradient of the last run for w. The next run overwrites it.
func (d *Detached) WeightGradient() []float64 { return d.dw.Value().Data().([]float64) }

// OutputGradient returns the gradient of the last run for g, nil without outputs. The
// next run overwrites it.
func (d *Detached) OutputGradient() []float64 {
	if d.dg == nil {
		return nil
	}
	return d.dg.Value().Data().([]float64)
}

// Close releases the machine.
func (d *Detached) Close() error {
	if d.vm == nil {
		return nil
	}
	defer func() { d.vm = nil }()
	return d.vm.Close()
}
