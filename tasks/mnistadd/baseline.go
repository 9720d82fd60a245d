package mnistadd

import (
	"fmt"
	"time"

	"gorgonia.org/gorgonia"

	"hinge/data/mnist"
	"hinge/models/mlp"
	"hinge/nn"
	"hinge/optim/collective"
	"hinge/tasks/mnistadd/cnn"
	"hinge/tasks/mnistadd/deepproblog"
	"hinge/tasks/mnistadd/ltn"
	"hinge/tasks/mnistadd/softmax"
	"hinge/train"
	"hinge/train/checkpoint"
)

// Baseline is a system NeuPSL is compared with: the same images, network,
// training loop and evaluation, another loss and another way to answer.
type Baseline struct {
	*train.Network
	*reader
	sys  system
	rows train.Rows
}

// system is what the baselines differ in.
type system interface {
	// group is the number of images the network reads together.
	group() int
	// output is the network to the logits.
	output(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node
	// loss puts the loss on the logits of a training graph.
	loss(b *nn.Builder[float32], logits *gorgonia.Node) *gorgonia.Node
	// prepare tells what the next training batch is: its sums, and the share of
	// the run that is done.
	prepare(sums []mnist.Sum, progress float64)
	// answer is the sum for the softmax of the logits of one addition.
	answer(probabilities []float64) mnist.Sum
}

// NewBaseline builds the network and the training graph of cfg.System.
func NewBaseline(cfg train.Config, part *mnist.Part, split *mnist.Split) (*Baseline, error) {
	m := new(Baseline)
	switch cfg.System {
	case "deepproblog":
		loss, err := deepproblog.New(split.Digits)
		if err != nil {
			return nil, err
		}
		m.sys = &digitSystem{cfg: &cfg, value: func(z, d []float64, sums [][]int, _ float64) (float64, error) {
			return loss.Value(z, d, sums)
		}, best: loss.Answer}
	case "ltn":
		loss, err := ltn.New(split.Digits)
		if err != nil {
			return nil, err
		}
		m.sys = &digitSystem{cfg: &cfg, value: func(z, d []float64, sums [][]int, progress float64) (float64, error) {
			return loss.Value(z, d, sums, ltn.Exponent(progress))
		}, best: loss.Answer}
	case "cnn":
		if split.Digits > cnn.MaxDigits {
			return nil, &train.UsageError{Key: "system",
				Problem: fmt.Sprintf("cnn has a class for every sum: numbers of at most %d digits", cnn.MaxDigits)}
		}
		m.sys = &classifier{cfg: &cfg, digits: split.Digits}
	default:
		return nil, fmt.Errorf("mnistadd: no system %q", cfg.System)
	}
	var err error
	group := m.sys.group()
	if m.reader, err = newReader(cfg, part, split, group); err != nil {
		return nil, err
	}
	images := cfg.Training.Pass() * 2 * split.Digits
	m.Network, err = train.NewNetwork(&cfg, []int{group * mnist.Side, mnist.Side}, images/group, func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
		logits := m.sys.output(b, x)
		if b.Training {
			return logits
		}
		return b.Softmax("output", logits)
	}, nil)
	if err != nil {
		return nil, err
	}
	m.network = m.Network
	m.sys.prepare(make([]mnist.Sum, cfg.Training.Pass()), 0)
	_, err = m.Graph.Compile(m.sys.loss(m.Graph.Builder(), m.Graph.Output))
	return m, err
}

// Examples implements train.Model, MoreTest train.MoreTester, FreshTest
// train.FreshTester.
func (m *Baseline) Examples() int  { return m.Len(train.TrainPart) }
func (m *Baseline) MoreTest() int  { return m.Len(train.MoreTestPart) }
func (m *Baseline) FreshTest() int { return m.Len(train.FreshTestPart) }

// Gradient implements train.Model.
func (m *Baseline) Gradient(step train.Step, examples []int) (train.Work, error) {
	start := time.Now()
	sums := make([]mnist.Sum, len(examples))
	for i, e := range examples {
		sums[i] = m.split.Train.Sums[e]
	}
	m.sys.prepare(sums, step.Progress)
	x, err := m.TrainingInputs(step, examples)
	if err == nil {
		err = m.Run(step, x)
	}
	if err != nil {
		return train.Work{}, err
	}
	return train.Work{Loss: m.Graph.Loss(), NeuralSeconds: time.Since(start).Seconds()}, nil
}

// Evaluate implements train.Model.
func (m *Baseline) Evaluate(part train.Part) (train.Score, error) {
	start := time.Now()
	n := m.Len(part)
	outputs, err := m.Outputs(part, train.All(n))
	if err != nil {
		return train.Score{}, err
	}
	right, width := 0, len(outputs)/n
	for a := range n {
		right += m.answered(part, a, m.sys.answer(train.Widen(outputs[a*width:][:width])))
	}
	score := train.Score{Examples: n, Accuracy: float64(right) / float64(n)}
	if m.group == 1 {
		m.rows.Judge(part, m.reader, 2*m.split.Digits, outputs, n, &score)
	}
	score.NeuralSeconds = time.Since(start).Seconds()
	return score, nil
}

// Weights implements train.Model: there are no symbolic weights.
func (m *Baseline) Weights() []float64 { return []float64{} }

// WeightGradient implements train.Model.
func (m *Baseline) WeightGradient() []float64 { return []float64{} }

// Warm implements train.Model: no solver, no state.
func (m *Baseline) Warm() []checkpoint.Tensor { return nil }

// SetWarm implements train.Model.
func (m *Baseline) SetWarm(func(name string) (checkpoint.Tensor, error)) error { return nil }

// Share and Whole implement train.Sharder.
func (m *Baseline) Share(collective.Parts) error { return nil }
func (m *Baseline) Whole(f func() error) error   { return f() }

var (
	_ train.Model   = (*Baseline)(nil)
	_ train.Sharder = (*Baseline)(nil)
)

// digitSystem reads images one by one and has a loss on the logits of their
// digits: DeepProbLog and LTN.
type digitSystem struct {
	cfg   *train.Config
	value func(logits, grad []float64, sums [][]int, progress float64) (float64, error)
	best  func(probabilities []float64) []int

	sums     [][]int
	progress float64
}

func (s *digitSystem) group() int { return 1 }

func (s *digitSystem) output(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
	return logits(s.cfg)(b, x)
}

func (s *digitSystem) loss(b *nn.Builder[float32], logits *gorgonia.Node) *gorgonia.Node {
	n := logits.Shape().TotalSize()
	z, d := make([]float64, n), make([]float64, n)
	return b.Function("loss", logits, func(x, dx []float32) (float64, error) {
		for i, v := range x {
			z[i] = float64(v)
		}
		loss, err := s.value(z, d, s.sums, s.progress)
		for i, v := range d {
			dx[i] = float32(v)
		}
		return loss, err
	})
}

func (s *digitSystem) prepare(sums []mnist.Sum, progress float64) {
	s.sums, s.progress = s.sums[:0], progress
	for _, sum := range sums {
		s.sums = append(s.sums, sum)
	}
}

func (s *digitSystem) answer(p []float64) mnist.Sum { return s.best(p) }

// classifier is CNN.
type classifier struct {
	cfg    *train.Config
	digits int
	labels []int
}

func (s *classifier) group() int { return 2 * s.digits }

func (s *classifier) output(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
	shape := backbone(s.cfg)
	shape.Head = mlp.Config{}
	return cnn.Apply(b, x, cnn.Config{
		Images: 2 * s.digits, Sums: cnn.Sums(s.digits), Backbone: shape, Dropout: s.cfg.Neural.Dropout,
	})
}

func (s *classifier) loss(b *nn.Builder[float32], logits *gorgonia.Node) *gorgonia.Node {
	return b.CrossEntropy("loss", logits, s.labels)
}

func (s *classifier) prepare(sums []mnist.Sum, _ float64) {
	if s.labels == nil {
		s.labels = make([]int, len(sums)) // the loss keeps the slice
	}
	for i, sum := range sums {
		s.labels[i] = sum.Int()
	}
}

func (s *classifier) answer(p []float64) mnist.Sum {
	return mnist.NewSum(softmax.Argmax(p), s.digits)
}
