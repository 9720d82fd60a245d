package bilevel

import (
	"errors"
	"fmt"
	"slices"

	"gorgonia.org/gorgonia"

	"hinge/nn"
	"hinge/optim"
)

// WeightLearner learns the symbolic weights of a model without a network: it
// owns graph, machine and weights, and an Epoch is one pass over the samples.
//
//	o, err := bilevel.NewObjective(problem, settings)
//	l, err := bilevel.NewWeightLearner(o, w, &optim.MirrorDescent{...})
//	defer l.Close()
//	for range epochs { report, err := l.Epoch() … evaluate l.Weights() … }
type WeightLearner struct {
	o       *Objective
	method  optim.WeightMethod
	weights []float64
	batches [][]int
	machine gorgonia.VM
	dw      *gorgonia.Node // gradient of the loss
	epoch   int
}

// EpochReport is what an epoch of a WeightLearner has done.
type EpochReport struct {
	// Terms are summed over the epoch's steps, each at the point before it.
	Terms Terms
	// Outcome is what the end of the epoch did.
	Outcome Outcome
	// Gradient is the gradient of the loss (without regularisers) for w_sy,
	// summed over the steps. Incompatibility is Φ of the latent problems, one
	// sum a rule over the samples: how badly the labelled data break the rule.
	// Both are overwritten by the next epoch.
	Gradient, Incompatibility []float64
}

// NewWeightLearner starts from the weights w, which it copies and scales to the
// unit simplex. The template must have no neural outputs, and batches must
// divide the samples evenly.
func NewWeightLearner(o *Objective, w []float64, method optim.WeightMethod) (*WeightLearner, error) {
	p := o.problem
	if p.Template.Deep > 0 {
		return nil, fmt.Errorf("bilevel: the template has %d neural outputs; a WeightLearner has no network", p.Template.Deep)
	}
	if p.Samples%p.Batch != 0 {
		return nil, fmt.Errorf("bilevel: %d samples are not a multiple of the batch of %d", p.Samples, p.Batch)
	}
	for _, f := range o.own {
		if f.Samples() < p.Batch {
			return nil, fmt.Errorf("bilevel: constraints of %d of %d samples, but a WeightLearner's batches are always the same", f.Samples(), p.Batch)
		}
	}
	if len(w) != p.Template.Rules {
		return nil, fmt.Errorf("bilevel: %d weights, the template has %d rules", len(w), p.Template.Rules)
	}
	l := &WeightLearner{o: o, method: method, weights: slices.Clone(w)}
	if err := optim.ToSimplex(l.weights); err != nil {
		return nil, fmt.Errorf("bilevel: %w", err)
	}
	samples := make([]int, p.Samples)
	for i := range samples {
		samples[i] = i
	}
	l.batches = slices.Collect(slices.Chunk(samples, p.Batch))
	return l, l.compile()
}

// compile makes the graph of the loss.
func (l *WeightLearner) compile() error {
	graph := gorgonia.NewGraph()
	w := WeightNode(graph, l.weights)
	loss, err := l.o.Loss(w, nil)
	if err != nil {
		return err
	}
	grads, err := gorgonia.Grad(loss, append(gorgonia.Nodes{w}, l.o.Inputs()...)...)
	if err != nil {
		return fmt.Errorf("bilevel: differentiating the loss: %w", err)
	}
	l.o.Differentiated(grads[1:])
	l.dw, l.machine = grads[0], nn.NewMachine(graph)
	return nil
}

// Weights returns w_sy, on the unit simplex. The slice is the learner's own; it
// may be written to (a restored state) between epochs.
func (l *WeightLearner) Weights() []float64 { return l.weights }

// Epoch makes one pass over the samples; the first sets the starting points.
// After an error the learner must not be used any more.
func (l *WeightLearner) Epoch() (EpochReport, error) {
	if !l.o.Started() {
		if err := l.o.Start(l.weights, l.batches, nil); err != nil {
			return EpochReport{}, err
		}
	}
	n := len(l.weights)
	r := EpochReport{Gradient: make([]float64, n), Incompatibility: make([]float64, n)}
	for _, batch := range l.batches {
		if err := l.step(batch, &r); err != nil {
			return r, err
		}
	}
	l.epoch++
	var err error
	r.Outcome, err = l.o.EndEpoch(l.weights, 0)
	return r, err
}

func (l *WeightLearner) step(batch []int, r *EpochReport) error {
	if err := l.o.Load(batch); err != nil {
		return err
	}
	if l.machine == nil {
		return errors.New("bilevel: the learner is closed")
	}
	if err := nn.Execute(l.machine); err != nil {
		return err
	}
	dw := l.dw.Value().Data().([]float64)
	t, err := l.o.Step(l.weights, dw)
	if err != nil {
		return err
	}
	r.Terms.add(t)
	phi := make([]float64, len(dw))
	l.o.latent.WeightGradient(slices.Repeat([]float64{1}, len(batch)), phi)
	for i := range dw {
		r.Gradient[i] += dw[i]
		r.Incompatibility[i] += phi[i]
	}
	return l.method.Update(l.weights, dw, l.epoch)
}

// Close releases the machine.
func (l *WeightLearner) Close() error {
	if l.machine == nil {
		return nil
	}
	defer func() { l.machine = nil }()
	return l.machine.Close()
}
