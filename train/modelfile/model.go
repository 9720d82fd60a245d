package modelfile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"hinge/bilevel"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/train/config"
	"hinge/train/half"
	"hinge/train/learning"
	"hinge/train/neupsl"
)

// Model is a model file as the training loop sees it: its examples are the partition learn,
// whole or in components, with the outputs of all networks as the neural outputs of their
// programs.
type Model struct {
	*neupsl.NeuPSL
	file
	set Options

	networks []*network[float32]
	learn    *part
	examples *examples
	look     look // of tests
}

// file is the part of a Model, or of Rules, that its test and its rulebook are made of.
type file struct {
	cfg   config.Config
	parts map[learning.Part]*part
	// of is the model itself: values infers a part of the data.
	of interface {
		values(learning.Part) (y, g []float64, err error)
		Weights() []float64
	}
	// Epsilon is the ε that written rules name; 0: that of learning.
	Epsilon float64
}

// openFile reads a model file, with networks or without, of a configuration of Task, and builds the networks.
// root is the data root of MNIST's images. A partition learn that is not nil is taken as it was read.
func openFile(cfg config.Config, root string, read *part) (learning.Model, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	set, err := config.OptionsOf[Options](&cfg)
	if err != nil {
		return nil, err
	}
	m := &Model{file: file{cfg: cfg, parts: map[learning.Part]*part{}}, set: *set}
	m.of = m
	for _, of := range []learning.Part{learning.TrainPart, learning.ValidPart, learning.TestPart} {
		switch learn := m.parts[learning.TrainPart]; {
		case learn == nil || learn.Networks():
		case of == learning.ValidPart && !learn.Validates, of == learning.TestPart && cfg.Training.NoTest:
			continue // no grounding for nothing
		}
		p, err := read, error(nil)
		if of != learning.TrainPart || read == nil {
			p, err = loadPart(set.Model, partitions[of])
		}
		if err != nil {
			return nil, err
		}
		m.parts[of] = p
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	if valid, test := m.parts[learning.ValidPart], m.parts[learning.TestPart]; string(set.Threshold) == model.OnValidation && valid != nil && test != nil {
		for _, doubt := range test.Flattered(valid.Model) {
			test.doubts = append(test.doubts, model.Warning{Warning: psl.Warning{Msg: doubt}, Data: true})
		}
	}
	if !m.learn.Networks() {
		return newRules(cfg, m.parts, nil)
	}
	if m.networks, err = newNetworks[float32](m.learn.Model, m.cfg.Seed, root, m.cfg.Sampling()); err != nil {
		return nil, asTraining(err)
	}
	if err := half.Fix(&m.cfg.Neural, together(m.networks).Several...); err != nil {
		return nil, err
	}
	for _, p := range m.distinct() {
		if err := p.see(m.networks); err != nil {
			return nil, err
		}
	}
	if m.look, err = newLook(&m.cfg); err != nil {
		return nil, err
	}
	return m, m.build()
}

// distinct lists the partitions, each once.
func (m *Model) distinct() []*part {
	list := []*part{m.learn}
	for _, of := range []learning.Part{learning.ValidPart, learning.TestPart} {
		if p := m.parts[of]; p != nil && p != m.learn {
			list = append(list, p)
		}
	}
	return list
}

// check adds the partitions that the model does not have: learn also serves as validation if
// validation has no true values.
func (m *Model) check() error {
	m.learn = m.parts[learning.TrainPart]
	if m.learn == nil {
		return &learning.DataError{Err: fmt.Errorf("%s: the partition learn has no targets: there is nothing to learn from", m.set.Model)}
	}
	if p := m.parts[learning.ValidPart]; p == nil || !p.measurable() {
		m.parts[learning.ValidPart] = m.learn
	}
	if m.parts[learning.TestPart] == nil {
		delete(m.parts, learning.TestPart)
		if !m.cfg.Training.NoTest {
			return &learning.DataError{Err: fmt.Errorf("%s: the partition infer has no targets to test; set training.no-test = true to do without", m.set.Model)}
		}
	}
	if m.learn.Relaxed > 0 && !m.cfg.Symbolic.FreezeRules {
		return config.Usage("inference.relax", "%s: learning would give each relaxed hard rule a weight of its own; learn with inference.relax false, and infer by the learned rules with -D inference.relax=true", m.learn.File)
	}
	for _, p := range m.distinct() {
		if err := m.learn.sameRules(p); err != nil {
			return err
		}
		if _, err := p.primary(); err != nil && p.Networks() {
			return err
		}
	}
	return nil
}

func (m *Model) build() error {
	targets, outputs := m.learn.labelled()
	if loss := bilevel.LossName(m.cfg.Loss); !targets && (loss == bilevel.LossEnergy || loss == bilevel.LossKBest) {
		targets = m.learn.alone() && m.parts[learning.ValidPart].measurable()
	}
	switch {
	case !targets && m.set.RulesWeight > 0:
		return &learning.DataError{Err: fmt.Errorf("%s: no target has a true value in the partition learn; with truth of the networks' own predicates alone, set options.rules-weight = 0", m.set.Model)}
	case !outputs && (m.set.RulesWeight == 0 || m.set.LabelEpochs > 0):
		return &learning.DataError{Err: fmt.Errorf("%s: no output of a network has a true value in the partition learn; options.rules-weight = 0 and options.label-epochs learn from such", m.set.Model)}
	}
	for _, v := range m.learn.views {
		if v.count == 0 {
			return &learning.DataError{Err: fmt.Errorf("%s: %s has no targets in the partition learn: its network has nothing to learn from", m.set.Model, v.name)}
		}
	}
	var err error
	if m.examples, err = newExamples(m.learn, &m.cfg); err != nil {
		return err
	}
	own := m.cfg.Options.(*Options)
	for _, x := range m.examples.list {
		err := m.examples.checkRows(x)
		if err != nil && bilevel.LossName(m.cfg.Loss).Kind().Rows {
			return err
		}
		own.mixed = own.mixed || err != nil
	}
	p, err := m.examples.newPass(&m.cfg)
	if err != nil {
		return err
	}
	m.examples.pass = p
	p.weight = m.set.LabelWeight
	p.marginal = m.set.MarginalWeight // of the first step; see Gradient
	if m.set.RulesWeight > 0 && !m.cfg.Training.SumLoss {
		p.weight /= float64(m.cfg.Training.Batch)
	}
	network := together(m.networks)
	network.Graph = p.graph
	set := neupsl.Setup{
		Examples: m.examples,
		Program:  neupsl.Program{Template: m.examples.list[0].template, Templates: m.examples.templates()},
		Network:  neupsl.Reader{Network: network, Classes: m.examples.rows},
		Inputs:   neupsl.Inputs{Training: m.examples.TrainingInputs, Outputs: m.examples.Outputs},
		Loss:     neupsl.OwnLoss{Terms: p.terms(false), Factor: m.set.RulesWeight},
	}
	if list := set.Program.Templates; list != nil {
		set.Program.Template = slices.MinFunc(list, func(a, b *lcqp.Template) int { return a.Rows() - b.Rows() })
	}
	if m.set.RulesWeight == 0 {
		set.Loss.New = func(*bilevel.Objective) (bilevel.Loss, error) { return labelsAlone{}, nil }
	}
	m.NeuPSL, err = neupsl.New(m.cfg, set)
	return err
}

func (m *Model) Neural() learning.NeuralHalf { return m }

func (m *Model) Rulebook() learning.Rulebook { return m }

// StartFrom implements learning.NeuralHalf: it loads the file of the run, and then the file that
// each network's description names. It notes how an ONNX file is read, and the layers of a sequential.
func (m *Model) StartFrom(init string, note func(line string)) error {
	if err := m.Network.StartFrom(init, note); err != nil {
		return err
	}
	for _, n := range m.networks {
		d := n.heads[0]
		about := n.config()
		for _, line := range about.Notes(n.table.Shape) {
			note(line)
		}
		if d.Weights == "" {
			continue
		}
		net := half.NamedNet{Name: n.name, Net: n.net}
		if err := net.StartFrom(d.Weights, note); err != nil {
			return &learning.DataError{Err: fmt.Errorf("%s: weights: %w", d.Pos, err)}
		}
	}
	return nil
}

// Gradient implements learning.Model: one forward and backward pass over the entities of the
// examples.
func (m *Model) Gradient(step learning.Step, examples []int) (learning.Work, error) {
	// Noise and dropout continue the random numbers of the label epochs.
	at := step
	at.Number += m.set.LabelEpochs
	m.examples.pass.marginal = m.set.MarginalWeight * (1 - step.Progress)
	work, err := m.NeuPSL.Gradient(at, examples)
	if e, ok := errors.AsType[*bilevel.ContraryError](err); ok {
		return learning.Work{}, m.examples.contrary(e)
	}
	if e, ok := errors.AsType[*bilevel.SampleError](err); ok {
		return learning.Work{}, m.examples.infeasible(e)
	}
	return work, err
}

// Pretrain implements learning.Pretrainer: the label epochs are steps by the labels of the whole
// partition alone.
func (m *Model) Pretrain(ctx context.Context, note func(line string)) (seconds float64, err error) {
	if m.set.LabelEpochs == 0 {
		return 0, nil
	}
	start := time.Now()
	if err := m.fitLabels(ctx); err != nil {
		return 0, err
	}
	note(fmt.Sprintf("%d label epochs", m.set.LabelEpochs))
	return time.Since(start).Seconds(), nil
}

func (m *Model) fitLabels(ctx context.Context) error {
	var counts []int
	for _, v := range m.learn.views {
		counts = append(counts, v.count)
	}
	whole, err := m.learn.whole()
	if err != nil {
		return err
	}
	p, err := newPass(m.learn.views, counts, max(m.cfg.Neural.Samples, 1), len(whole.outputs))
	if err != nil {
		return err
	}
	p.weight = m.set.LabelWeight
	if err := p.compile(); err != nil {
		return err
	}
	defer p.graph.Close() //nolint:errcheck // of a machine without resources of its own
	adam, err := m.cfg.Neural.Adam(m.Params())
	if err != nil {
		return err
	}
	network := together(m.networks)
	network.Graph = p.graph
	for epoch := range m.set.LabelEpochs {
		x, err := p.load([]*example{whole})
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = network.Run(learning.Step{Number: epoch, Temperature: 1}, x)
		}
		if err == nil {
			_, err = adam.StepClipped(m.set.LabelRate, m.cfg.Neural.ClipNorm)
		}
		if err != nil {
			return fmt.Errorf("modelfile: label epoch %d: %w", epoch+1, err)
		}
	}
	return nil
}

var _ learning.Pretrainer = (*Model)(nil)
