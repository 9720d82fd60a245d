package mnistadd

import (
	"cmp"

	"gorgonia.org/gorgonia"

	"hinge/bilevel"
	"hinge/data/mnist"
	"hinge/models/resnet18"
	"hinge/nn"
	"hinge/symbolic/lcqp"
	"hinge/train"
)

// evalSlots is how many additions are inferred at once in an evaluation.
const evalSlots = 64

// Model is MNIST-Addition as the training loop sees it: ResNet18 beside the
// hinge-loss model of one addition, instantiated for every addition of a batch
// and every Gumbel sample. Answers are MAP states, whatever the loss.
type Model struct {
	*reader
	ruleLoss
	sym *Symbolic

	objective *bilevel.Objective     // nil for the free energy of chains
	answer    *bilevel.ValueFunction // for evaluations
	steps     int                    // gradients computed in this sitting
}

// New builds network, symbolic model and training graph.
func New(cfg train.Config, sym *Symbolic, part *mnist.Part, split *mnist.Split) (*Model, error) {
	m := &Model{sym: sym}
	var err error
	if m.reader, err = newReader(cfg, part, split, 1, m.output(&cfg)); err != nil {
		return nil, err
	}
	if m.ruleLoss, err = m.newLoss(); err != nil {
		return nil, err
	}
	m.params, m.buffers = train.NetworkParams(m.net.Params())
	return m, nil
}

// output is ResNet18 with its head and the output layer: K Gumbel samples in
// training, a softmax (or one sample) in evaluation.
func (m *Model) output(cfg *train.Config) body {
	n, shape := cfg.Neural, backbone(cfg)
	return func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
		logits := resnet18.Apply(b, x, shape)
		switch {
		case b.Training && n.Samples > 0:
			return b.GumbelSoftmax("output", logits, n.Samples, cmp.Or(n.TemperatureSpread, 1))
		case !b.Training && n.NoisyTest:
			return b.GumbelSoftmax("output", logits, 1, 1)
		}
		return b.Softmax("output", logits)
	}
}

// newLoss makes the value functions that the loss and the evaluations need, and puts
// the loss on the training graph.
func (m *Model) newLoss() (ruleLoss, error) {
	value, err := m.cfg.Inference()
	if err != nil {
		return nil, err
	}
	if m.answer, err = bilevel.New(m.sym.Template, evalSlots, value); err != nil {
		return nil, err
	}
	sum := func(addition int) int { return int(m.split.Train.Sums[addition]) }
	if m.cfg.Loss == ChainLoss {
		return newChainLoss(&m.cfg, m.sym, sum, m.graph)
	}
	set, err := m.cfg.Objective()
	if err != nil {
		return nil, err
	}
	// With the labels fixed nothing or one number is left to find.
	set.ColdLatent = true
	m.objective, err = bilevel.NewObjective(bilevel.Problem{
		Template: m.sym.Template, Samples: m.split.Train.Len(), Batch: m.cfg.Training.Batch,
		Label: func(addition int, latent *lcqp.Instance) error { return m.sym.FixLabels(latent, sum(addition)) },
	}, set)
	if err != nil {
		return nil, err
	}
	return train.NewRuleLoss(m.objective, m.graph, m.sym.Weights())
}

// Gradient implements train.Model: one forward and backward pass over the
// images of the given additions.
func (m *Model) Gradient(step train.Step, examples []int) (train.Work, error) {
	work, err := m.Step(examples, m.start, func() error { return m.run(step, examples) })
	if err == nil {
		m.steps++
	}
	return work, err
}

// start sets the starting points of the bilevel losses, with the outputs of the
// untrained network.
func (m *Model) start() error {
	batches := m.cfg.Batches(m.Examples(), 0)
	var rest []int // of no whole batch
	used := make([]bool, m.Examples())
	for _, batch := range batches {
		for _, e := range batch {
			used[e] = true
		}
	}
	for e, ok := range used {
		if !ok {
			rest = append(rest, e)
		}
	}
	if rest != nil {
		batches = append(batches, rest)
	}
	return m.objective.Start(m.Weights(), batches, func(batch []int) ([]float64, error) {
		adds := mnist.Additions{Digits: m.split.Digits}
		for _, e := range batch {
			adds.Images = append(adds.Images, m.split.Train.Row(e)...)
		}
		g, err := m.predict(&adds, 0)
		return widen(g), err
	})
}

// Rules implements train.RuleReporter.
func (m *Model) Rules() []train.Rule {
	if m.steps == 0 {
		return nil
	}
	satisfaction := make([]float64, len(m.Weights()))
	m.Satisfaction(satisfaction)
	rules := make([]train.Rule, len(m.Weights()))
	for r, rule := range m.sym.Template.Program().Rules {
		rules[r] = train.Rule{
			Text: rule.Text, Weight: m.Weights()[r], Satisfaction: satisfaction[r], Gradient: m.WeightGradient()[r],
		}
	}
	return rules
}

var (
	_ train.Model        = (*Model)(nil)
	_ train.EpochEnder   = (*Model)(nil)
	_ train.RuleReporter = (*Model)(nil)
)
