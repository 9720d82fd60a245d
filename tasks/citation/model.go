package citation

import (
	"context"
	"fmt"
	"io"
	"time"

	"hinge/bilevel"
	"hinge/nn"
	"hinge/symbolic/psl"
	"hinge/train/config"
	"hinge/train/half"
	"hinge/train/learning"
	"hinge/train/neupsl"
)

// Model is a citation graph as the training loop sees it: one example, the whole
// graph, with the network's outputs for every paper as the neural atoms of one
// hinge-loss model.
type Model struct {
	*neupsl.NeuPSL
	cfg  config.Config
	data *Data
	sym  *Symbolic
	net  *network
	last *tested // by the last evaluation of the test

	step int // the running one
	*completion
}

// New builds network, symbolic model and training graph.
func New(cfg config.Config, data *Data) (*Model, error) {
	m := &Model{cfg: cfg, data: data}
	var err error
	if m.sym, err = NewSymbolic(data.Graph, data.rules, cfg.Rules); err != nil {
		return nil, err
	}
	seed := cfg.Seed
	if OptionsOf(&cfg).Fresh {
		seed = m.seed()
	}
	if m.net, err = newNetwork(&cfg, data, seed); err != nil {
		return nil, err
	}
	graph, err := m.net.net.Graph(data.Graph.Nodes(), true)
	if err != nil {
		return nil, err
	}
	if m.completion, err = newCompletion(m.sym, m.data.learned(&cfg), OptionsOf(&cfg), m.stationarity(), &cfg); err != nil {
		return nil, err
	}
	whole := whole{m}
	set := neupsl.Setup{
		Examples: whole,
		Program:  neupsl.Program{Template: m.sym.Template, Stationarity: m.stationarity(), Observe: whole.Observe},
		Network:  neupsl.Reader{Network: &half.Network{Net: m.net.net, Graph: graph}, Rows: m.sym.Papers},
		Inputs:   neupsl.Inputs{Outputs: whole.Outputs},
		Loss:     neupsl.OwnLoss{Importance: m.importance},
	}
	if OptionsOf(&cfg).Supervised > 0 {
		set.Loss.Terms = append(set.Loss.Terms, m.supervised())
	}
	if m.NeuPSL, err = neupsl.New(cfg, set); err != nil {
		return nil, err
	}
	return m, nil
}

// Open builds the model of a configuration with the data below the data root.
func Open(cfg config.Config, root string) (*Model, error) {
	data, err := LoadData(&cfg, root)
	if err != nil {
		return nil, err
	}
	return New(cfg, data)
}

// Stationarity at which a solve stops: answers and gradients need no more than
// loose, and the tolerance of the gap decides. The outside check needs strict: it
// adds up the errors of all targets.
const loose, strict = 1e-4, 1e-10

// stationarity returns the stationarity tolerance of a configuration's solves.
func (m *Model) stationarity() float64 {
	if m.cfg.Symbolic.Check {
		return strict
	}
	return loose
}

// importance weighs the labels in the loss answer: known ones by their classes, completed ones
// equally.
func (m *Model) importance(_ int, weights []float64) {
	own, known := OptionsOf(&m.cfg), m.data.learned(&m.cfg)
	completed := own.Completed / float64(m.sym.Papers-len(known))
	if own.CompleteEvery == 0 || m.step < own.CompleteFrom {
		completed = 0
	}
	for i, w := range classWeights(m.data.Graph, known, own.Balance) {
		weight := float64(w) / float64(len(known))
		if w == 0 {
			weight = completed
		}
		for k := range m.sym.Classes {
			weights[i*m.sym.Classes+k] = weight
		}
	}
}

// rulebook is the rules of a Model and the doubt about its labels.
type rulebook struct {
	learning.Rulebook
	m *Model
}

func (m *Model) Rulebook() learning.Rulebook { return rulebook{m.NeuPSL.Rulebook(), m} }

// Digest implements learning.Rulebook: also the words, and the labels that are not to learn from.
func (r rulebook) Digest(w io.Writer, parts ...learning.Part) {
	r.Rulebook.Digest(w, parts...)
	g := r.m.data.Graph
	fmt.Fprintln(w, g.WordPtr, g.WordCol, g.Cites)
	for _, part := range parts {
		papers, _ := r.m.data.nodes(part)
		for _, i := range papers {
			if part != learning.TrainPart {
				fmt.Fprintln(w, i, g.Labels[i])
			}
		}
	}
}

// Warnings implements learning.Rulebook: papers that validate a run which has learned from them.
func (r rulebook) Warnings() []string {
	if len(r.m.data.learned(&r.m.cfg)) == len(r.m.data.Split.Train) {
		return nil
	}
	return []string{fmt.Sprintf("the run learns from validation papers too (options.labels = %q): its validation accuracy is one of training", OptionsOf(&r.m.cfg).Labels)}
}

// Pretrain implements learning.Pretrainer: the network learns from the labels alone, unless it
// starts fresh.
func (m *Model) Pretrain(ctx context.Context, note func(line string)) (seconds float64, err error) {
	if OptionsOf(&m.cfg).Fresh {
		return 0, nil
	}
	start := time.Now()
	found, err := m.net.pretrain(ctx, m.data.learned(&m.cfg), m.data.Split.Valid, m.seed())
	if err != nil {
		return 0, fmt.Errorf("citation: pre-training: %w", err)
	}
	note(fmt.Sprintf("pre-trained by labels alone, %s: %.1f %% of the validation papers", psl.Count(found.epochs, "epoch"), 100*found.valid))
	return time.Since(start).Seconds(), nil
}

// withoutRules fits networks of the same kind to the same labels by cross entropy alone
// and returns their outputs for all papers: as pre-training leaves it, and trained on for
// as many epochs as the budget of learning has steps, of which an epoch has one.
func (m *Model) withoutRules(ctx context.Context) (short, long []float64, err error) {
	learned, set := m.data.learned(&m.cfg), OptionsOf(&m.cfg)
	n, err := m.net.alone(m.seed())
	if err != nil {
		return nil, nil, err
	}
	if !m.cfg.Training.LastWeights { // validation papers choose the epoch
		if _, err = n.pretrain(ctx, learned, m.data.Split.Valid, m.seed()); err != nil {
			return nil, nil, err
		}
		short, err = m.outputs(n)
		return short, short, err
	}
	f, err := newFit(n, learned, m.seed())
	if err != nil {
		return nil, nil, err
	}
	steps := m.cfg.Training.Epochs
	if most := m.cfg.Training.Steps; most > 0 && (steps == 0 || most < steps) {
		steps = most
	}
	for epoch := range set.PretrainEpochs + steps {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if err := f.epoch(epoch); err != nil {
			return nil, nil, err
		}
		if epoch+1 == set.PretrainEpochs {
			if short, err = m.outputs(n); err != nil {
				return nil, nil, err
			}
		}
	}
	long, err = m.outputs(n)
	return short, long, err
}

// seed is the seed of everything random: other splits start from other networks.
func (m *Model) seed() uint64 { return m.cfg.Seed*1000 + uint64(m.cfg.Split) }

// Gradient implements learning.Model: one forward and backward pass over the graph.
func (m *Model) Gradient(step learning.Step, examples []int) (learning.Work, error) {
	start := time.Now()
	m.step = step.Number
	m.spent = 0
	if m.due(step.Number) {
		if err := m.complete(); err != nil {
			return learning.Work{}, err
		}
	}
	before := time.Since(start).Seconds()
	work, err := m.NeuPSL.Gradient(step, examples)
	work.NeuralSeconds += before - m.spent
	work.SolverSeconds += m.spent
	return work, err
}

// supervised is the likelihood of the labels that are learned from, for a loss that is a sum over all papers.
func (m *Model) supervised() bilevel.Term {
	known := m.data.learned(&m.cfg)
	weights := make([]float64, m.sym.Papers)
	for i, w := range classWeights(m.data.Graph, known, OptionsOf(&m.cfg).Balance) {
		weights[i] = OptionsOf(&m.cfg).Supervised * float64(w) * float64(len(weights)) / float64(len(known))
	}
	return bilevel.KnownLabels(m.data.Graph.Labels, weights)
}

// outputs is the prediction of a network for all papers in float64.
func (m *Model) outputs(n *network) ([]float64, error) {
	p, err := n.predict(nil)
	return nn.Widen(p), err
}

var (
	_ learning.Model      = (*Model)(nil)
	_ learning.Pretrainer = (*Model)(nil)
)
