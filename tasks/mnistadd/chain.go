package mnistadd

import (
	"errors"
	"slices"
	"time"

	"gorgonia.org/gorgonia"

	"hinge/bilevel"
	"hinge/tasks/mnistadd/chain"
	"hinge/train/config"
)

// init registers the loss "chain", which a task makes, from its rules.
func init() { bilevel.Register(bilevel.Kind{Name: ChainLoss}) }

// chainLoss is the mean free energy of a batch (package chain). Nothing is solved, and
// nothing remembered.
type chainLoss struct {
	bilevel.Stateless
	o *bilevel.Objective
	// chain is that of windows, leading that of leading windows with numbers of their own, and
	// running one of the two, for the loaded batch.
	chain, leading, running *chain.Chain
	lead                    *lead // nil without a beginning of its own
	// each is the derivative of the loss by the free energy of a sample: of leading windows
	// there are more, but as many columns.
	each []float64
}

// newChainLoss makes the loss for the rules of sym and the sums of the additions. lead is the
// beginning of the run, or nil.
func newChainLoss(cfg *config.Config, sym *Symbolic, lead *lead, sum func(addition int) []int, o *bilevel.Objective) (*chainLoss, error) {
	whole, err := chain.Columns(sym.addition(), sum)
	if rule := (*chain.RuleError)(nil); errors.As(err, &rule) {
		return nil, &config.UsageError{Key: "loss", Problem: err.Error() + " (choose another loss)"}
	}
	if err != nil {
		return nil, err
	}
	w, rules, batch := windowsOf(cfg, sym.Digits), sym.Template.Rules, cfg.Training.Pass()
	l := &chainLoss{o: o, lead: lead, each: make([]float64, batch*w.columns)}
	for i := range l.each {
		l.each[i] = 1 / float64(batch)
	}
	if l.chain, err = w.chain(whole, rules, batch, cfg.Neural.DrawTemperature); err != nil || lead == nil {
		return l, err
	}
	l.leading, err = lead.chain(whole, rules, lead.batch, cfg.Neural.DrawTemperature)
	return l, err
}

// Express is the free energy of the beliefs in the digits, row by row.
func (l *chainLoss) Express(w, g *gorgonia.Node) (*gorgonia.Node, error) {
	return bilevel.Function("free energy", w, g, func(w, g, dw, dg []float64) (float64, error) {
		start := time.Now()
		c := l.running
		if err := c.Evaluate(w, g); err != nil {
			return 0, err
		}
		dv := l.each[:c.Samples()]
		c.DeepGradient(dv, dg)
		c.WeightGradient(dv, dw)
		mean := 0.0
		for i, f := range c.Values() {
			mean += dv[i] * f
		}
		l.o.Spent(time.Since(start))
		return float64(float32(mean)), nil // in the network's precision, as its other losses
	})
}

// Load gives the chain of the examples, windows or leading ones, their labels.
func (l *chainLoss) Load(examples []int) error {
	l.running = l.chain
	if _, ok := l.lead.window(examples[0]); !ok {
		return l.chain.Load(examples)
	}
	l.running = l.leading
	batch := make([]int, len(examples))
	for i, e := range examples {
		batch[i], _ = l.lead.window(e)
	}
	return l.leading.Load(batch)
}

// Satisfaction takes the mean of Φ under the free energy's own distribution.
func (l *chainLoss) Satisfaction(out []float64) bool {
	c := l.running
	ones := slices.Repeat([]float64{1}, c.Samples())
	c.WeightGradient(ones, out)
	bilevel.Satisfaction(c.Groundings(), out)
	return true
}

// addition returns the places of the columns in the program.
func (s *Symbolic) addition() chain.Addition {
	return chain.Addition{
		Program: s.Template.Program(), Digits: s.Digits, Carries: s.carries, Places: s.places, Labels: s.labels, WholeSum: s.sums != nil,
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
