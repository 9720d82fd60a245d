package modelfile

import (
	"fmt"
	"time"

	"hinge/bilevel"
	"hinge/optim"
	"hinge/symbolic/lcqp"
	"hinge/train"
	"hinge/train/checkpoint"
)

// Model is a model file as the training loop sees it: one example, the partition
// learn, with the outputs of all networks as the neural outputs of one program.
type Model struct {
	*train.RuleLoss
	cfg   train.Config
	set   Options
	value bilevel.Options

	networks []*network[float32]
	parts    map[train.Part]*part
	learn    *part
	joint    *joint[float32]
	policy   *policy // nil: none
	step     uint64
	reward   float64 // of the last step
	params   []optim.Param
	buffers  []optim.Param
	frozen   []float64 // the gradient of rule weights that nothing is learned of
	fitted   bool      // by its labels, or from a checkpoint
}

// Open reads the model file of a configuration of Task and builds its networks. root
// is the data root of MNIST's images.
func Open(cfg train.Config, root string) (*Model, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	set, err := train.OptionsOf[Options](&cfg)
	if err != nil {
		return nil, err
	}
	m := &Model{cfg: cfg, set: *set, parts: map[train.Part]*part{}}
	for _, of := range []train.Part{train.TrainPart, train.ValidPart, train.TestPart} {
		p, err := loadPart(set.Model, partitions[of])
		if err != nil {
			return nil, err
		}
		m.parts[of] = p
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	if m.networks, err = newNetworks[float32](m.learn.Model, m.cfg.Seed, root); err != nil {
		return nil, asTraining(err)
	}
	if len(m.networks) == 0 {
		return nil, &train.UsageError{Key: "model", Problem: set.Model + ": " + errNone.Error()}
	}
	for _, p := range m.distinct() {
		if err := p.see(m.networks); err != nil {
			return nil, err
		}
	}
	return m, m.build()
}

// distinct lists the partitions, each once.
func (m *Model) distinct() []*part {
	list := []*part{m.learn}
	for _, of := range []train.Part{train.ValidPart, train.TestPart} {
		if p := m.parts[of]; p != nil && p != m.learn {
			list = append(list, p)
		}
	}
	return list
}

// check fills in the partitions that the model does not have: validation is learn
// where it has no true values of its own.
func (m *Model) check() error {
	m.learn = m.parts[train.TrainPart]
	if m.learn == nil {
		return &train.DataError{Err: fmt.Errorf("%s: the partition learn has no targets: there is nothing to learn from", m.set.Model)}
	}
	if p := m.parts[train.ValidPart]; p == nil || !p.measurable() {
		m.parts[train.ValidPart] = m.learn
	}
	if m.parts[train.TestPart] == nil {
		delete(m.parts, train.TestPart)
		if !m.cfg.Training.NoTest {
			return &train.DataError{Err: fmt.Errorf("%s: the partition infer has no targets to test; set training.no-test = true to do without", m.set.Model)}
		}
	}
	for _, p := range m.distinct() {
		if err := m.learn.sameRules(p); err != nil {
			return err
		}
		if _, err := p.primary(); err != nil {
			return err
		}
	}
	return nil
}

// build makes the loss and the training graphs.
func (m *Model) build() error {
	targets, outputs := m.learn.labelled()
	switch {
	case !targets && m.set.RulesWeight > 0:
		return &train.DataError{Err: fmt.Errorf("%s: no target has a true value in the partition learn; with truth of the networks' own predicates alone, set options.rules-weight = 0", m.set.Model)}
	case !outputs && (m.set.RulesWeight == 0 || m.set.LabelEpochs > 0):
		return &train.DataError{Err: fmt.Errorf("%s: no output of a network has a true value in the partition learn; options.rules-weight = 0 and options.label-epochs learn from such", m.set.Model)}
	}
	for _, v := range m.learn.views {
		if v.count == 0 {
			return &train.DataError{Err: fmt.Errorf("%s: %s has no targets in the partition learn: its network has nothing to learn from", m.set.Model, v.name)}
		}
	}
	objective, err := m.cfg.Objective()
	if err != nil {
		return err
	}
	m.value = objective.Value
	w, err := train.StartWeights(m.learn.template)
	if err != nil {
		return err
	}
	m.frozen = make([]float64, len(w))
	o, err := bilevel.NewObjective(bilevel.Problem{
		Template: m.learn.template, Samples: 1,
		Label: func(_ int, latent *lcqp.Instance) error { return m.learn.fix(latent) },
	}, objective)
	if err != nil {
		return err
	}
	var d *bilevel.Detached
	if m.RuleLoss, d, err = train.DetachedRuleLoss(o, w); err != nil {
		return err
	}
	if m.set.PolicyWeight > 0 {
		if m.policy, err = newPolicy(m.learn, m.set.PolicySamples, m.cfg.Seed, m.value); err != nil {
			return err
		}
	}
	deep := m.learn.Data.DeepAtoms()
	dg := make([]float64, deep)
	m.joint, err = newJoint(m.learn.views, deep, func() ([]float64, error) {
		if m.fitting() {
			return dg, nil
		}
		if err := d.Run(m.joint.g); err != nil {
			return nil, err
		}
		for i, v := range d.OutputGradient() {
			dg[i] = m.set.RulesWeight * v
		}
		if m.policy == nil {
			return dg, nil
		}
		var err error
		m.reward, err = m.policy.add(w, m.step, m.set.PolicyWeight, dg)
		return dg, err
	})
	if err != nil {
		return err
	}
	m.joint.labelled = m.set.LabelWeight
	for _, n := range m.networks {
		learned, buffers := train.NetworkParams(n.net.Params())
		m.params, m.buffers = append(m.params, learned...), append(m.buffers, buffers...)
	}
	return nil
}

// Examples implements train.Model: the partition is one example.
func (m *Model) Examples() int { return 1 }

// Params implements train.Model.
func (m *Model) Params() []optim.Param { return m.params }

// Buffers implements train.Model.
func (m *Model) Buffers() []optim.Param { return m.buffers }

// WeightGradient implements train.Model.
func (m *Model) WeightGradient() []float64 {
	if m.set.RulesWeight == 0 {
		return m.frozen
	}
	return m.RuleLoss.WeightGradient()
}

// Gradient implements train.Model: one forward and backward pass over all entities.
func (m *Model) Gradient(step train.Step, examples []int) (train.Work, error) {
	start := time.Now()
	if err := m.fit(); err != nil {
		return train.Work{}, err
	}
	fitting := time.Since(start).Seconds()
	pass := func() error {
		m.step = uint64(step.Number)
		m.number(uint64(m.set.LabelEpochs) + m.step)
		return m.joint.run()
	}
	if m.set.RulesWeight == 0 {
		err := pass()
		return train.Work{Loss: m.set.LabelWeight * m.joint.labelLoss(), NeuralSeconds: time.Since(start).Seconds()}, err
	}
	work, err := m.Step(examples, func() error {
		return m.Objective.Start(m.Weights(), [][]int{{0}}, func([]int) ([]float64, error) {
			return predict(m.learn.views, m.learn.Data.DeepAtoms())
		})
	}, pass)
	work.Loss = m.set.RulesWeight*work.Loss + m.set.LabelWeight*m.joint.labelLoss()
	work.NeuralSeconds += fitting
	if m.policy != nil {
		work.Loss -= m.set.PolicyWeight * m.reward
		s := m.policy.stats
		work.Solves, work.Unsolved = work.Solves+s.Solves, work.Unsolved+s.Unsolved
		work.SolverSeconds, work.NeuralSeconds = work.SolverSeconds+s.Seconds, work.NeuralSeconds-s.Seconds
	}
	return work, err
}

// EndEpoch implements train.EpochEnder.
func (m *Model) EndEpoch(norm float64) (bilevel.Outcome, error) {
	if m.set.RulesWeight == 0 {
		return bilevel.Outcome{Action: bilevel.Continue}, nil
	}
	return m.RuleLoss.EndEpoch(norm)
}

// number sets the number of the step, on which dropout depends.
func (m *Model) number(step uint64) {
	for _, n := range m.networks {
		n.net.State().Step = step
	}
}

// fitting tells that a pass learns from labels alone.
func (m *Model) fitting() bool { return !m.fitted || m.set.RulesWeight == 0 }

// fit makes the label epochs, unless they are made.
func (m *Model) fit() error {
	if m.fitted {
		return nil
	}
	if m.set.LabelEpochs > 0 {
		adam, err := optim.NewAdam(m.params, optim.AdamOptions{WeightDecay: m.cfg.Neural.WeightDecay, Decoupled: m.cfg.Neural.Decoupled})
		if err != nil {
			return err
		}
		for epoch := range m.set.LabelEpochs {
			m.number(uint64(epoch))
			if err := m.joint.run(); err != nil {
				return fmt.Errorf("modelfile: label epoch %d: %w", epoch+1, err)
			}
			adam.Step(m.set.LabelRate)
		}
	}
	m.fitted = true
	return nil
}

// Export implements train.Model: the parameters of each network, after the name of
// its predicate and a point.
func (m *Model) Export() []checkpoint.Tensor { return export(m.networks) }

// Import implements train.Model.
func (m *Model) Import(get func(name string) (checkpoint.Tensor, error)) error {
	m.fitted = true
	return restore(m.networks, get)
}

// Predict implements train.Predictor: it refuses files, and says what answers new data.
func (m *Model) Predict([]string) (train.Prediction, error) {
	return nil, train.Usage("predict", "a model file answers the targets of its partition infer, whose features and data it names; put your own there and run go run ./cmd/infer -model %s -weights RUN, RUN being this run's folder", m.set.Model)
}

var (
	_ train.Model        = (*Model)(nil)
	_ train.Predictor    = (*Model)(nil)
	_ train.EpochEnder   = (*Model)(nil)
	_ train.RuleReporter = (*Model)(nil)
)
