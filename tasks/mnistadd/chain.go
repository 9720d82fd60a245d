package mnistadd

import (
	"errors"
	"time"

	"hinge/bilevel"
	"hinge/nn"
	"hinge/optim/collective"
	"hinge/symbolic/lcqp"
	"hinge/tasks/mnistadd/chain"
	"hinge/train"
	"hinge/train/checkpoint"
)

// chainLoss is the mean free energy of a batch (package chain). Nothing is solved.
type chainLoss struct {
	chain    *chain.Chain
	lead     *lead // how it begins; nil for as it goes on
	graph    *nn.Graph[float32]
	template *lcqp.Template
	weights  []float64
	dw       []float64 // of the last pass
	seconds  float64   // of its evaluation
}

// newChainLoss puts the free energy on the output of the training graph: the beliefs
// in the digits, row by row.
func newChainLoss(cfg *train.Config, sym *Symbolic, sum func(addition int) []int, graph *nn.Graph[float32]) (*chainLoss, error) {
	links, states, err := chain.Columns(sym.addition(), sum)
	if rule := (*chain.RuleError)(nil); errors.As(err, &rule) {
		return nil, &train.UsageError{Key: "loss", Problem: err.Error() + " (choose another loss)"}
	}
	if err != nil {
		return nil, err
	}
	whole, w := chain.Shape{Links: links, States: states}, windowsOf(cfg, sym.Digits)
	t, batch := sym.Template, cfg.Training.Pass()
	l := &chainLoss{graph: graph, template: t, weights: sym.Weights(), dw: make([]float64, t.Rules)}
	if l.chain, err = w.chain(whole, t.Rules, batch, cfg.Neural.DrawTemperature); err != nil {
		return nil, err
	}
	if l.lead, err = newLead(cfg, sym.Digits, t.Rules, whole); err != nil {
		return nil, err
	}
	dv := make([]float64, batch*w.columns) // of leading windows there are more, but as many columns
	for i := range dv {
		dv[i] = 1 / float64(batch)
	}
	g := make([]float64, 20*len(dv))
	dg := make([]float64, len(g))
	loss := graph.Builder().Function("free energy", graph.Output, func(x, dx []float32) (float64, error) {
		start := time.Now()
		for i, v := range x {
			g[i] = float64(v)
		}
		c := l.running()
		if err := c.Evaluate(l.weights, g); err != nil {
			return 0, err
		}
		dv := dv[:c.Samples()]
		c.DeepGradient(dv, dg)
		c.WeightGradient(dv, l.dw)
		for i, v := range dg {
			dx[i] = float32(v)
		}
		mean := 0.0
		for i, f := range c.Values() {
			mean += dv[i] * f
		}
		l.seconds = time.Since(start).Seconds()
		return mean, nil
	})
	_, err = graph.Compile(loss)
	return l, err
}

// running is the chain of the step that runs or ran last.
func (l *chainLoss) running() *chain.Chain {
	if l.lead != nil && l.lead.on {
		return l.lead.chain
	}
	return l.chain
}

// Step runs the graph on the examples. It counts no solves.
func (l *chainLoss) Step(examples []int, _, pass func() error) (train.Work, error) {
	begin := time.Now()
	if err := l.chain.Load(examples); err != nil {
		return train.Work{}, err
	}
	if err := pass(); err != nil {
		return train.Work{}, err
	}
	return train.Work{
		Loss: l.graph.Loss(), SolverSeconds: l.seconds, NeuralSeconds: time.Since(begin).Seconds() - l.seconds,
	}, nil
}

// Weights is w_sy, WeightGradient the derivative of the loss by it, of the last pass.
func (l *chainLoss) Weights() []float64        { return l.weights }
func (l *chainLoss) WeightGradient() []float64 { return l.dw }

// Satisfaction takes the mean of Φ under the free energy's own distribution.
func (l *chainLoss) Satisfaction(out []float64) {
	c := l.running()
	ones := make([]float64, c.Samples())
	for i := range ones {
		ones[i] = 1
	}
	c.WeightGradient(ones, out)
	bilevel.Satisfaction(l.template, out, len(ones))
}

// EndEpoch, Warm and SetWarm: the loss remembers nothing.
func (l *chainLoss) EndEpoch(float64) (bilevel.Outcome, error) {
	return bilevel.Outcome{Action: bilevel.Continue}, nil
}
func (l *chainLoss) Warm() []checkpoint.Tensor { return nil }
func (l *chainLoss) SetWarm(func(name string) (checkpoint.Tensor, error)) error {
	return nil
}

// Share and Whole implement train.Sharder.
func (l *chainLoss) Share(collective.Parts) error { return nil }
func (l *chainLoss) Whole(f func() error) error   { return f() }

// addition says where the columns lie in the program.
func (s *Symbolic) addition() chain.Addition {
	return chain.Addition{
		Program: s.Template.Program(), Digits: s.Digits, Carries: s.carries, Labels: s.labels, WholeSum: s.sums != nil,
	}
}

// labels returns the labels of a sum by target, 0 where there is none.
func (s *Symbolic) labels(sum []int) ([]float64, error) {
	y := make([]float64, s.Template.Targets)
	return y, s.oneHots(sum, func(atoms []int, z int) error {
		y[atoms[z]] = 1
		return nil
	})
}
