package mnistadd

import (
	"context"
	"fmt"
	"io"
	"time"

	"gorgonia.org/gorgonia"

	"hinge/bilevel"
	"hinge/data/mnist"
	"hinge/models/mlp"
	"hinge/nn"
	"hinge/tasks/mnistadd/circuit"
	"hinge/tasks/mnistadd/cnn"
	"hinge/tasks/mnistadd/deepproblog"
	"hinge/tasks/mnistadd/ltn"
	"hinge/train/config"
	"hinge/train/half"
	"hinge/train/learning"
)

// Baseline is a system NeuPSL is compared with: the same images, network,
// training loop and evaluation, another loss and another way to answer.
type Baseline struct {
	half.Halves // without rules
	*reader
	sys      system
	progress float64 // the share of the run that is done
	rows     learning.Rows
	last     tested
}

// init registers the losses of the systems, which NewBaseline makes.
func init() {
	for _, name := range Systems {
		bilevel.Register(bilevel.Kind{Name: bilevel.LossName(name)})
	}
}

// systemLoss is the loss of a system.
type systemLoss struct {
	bilevel.Stateless
	m *Baseline
}

// Express puts the loss on the logits; there are no weights.
func (l systemLoss) Express(_, logits *gorgonia.Node) (*gorgonia.Node, error) {
	return l.m.sys.loss(l.m.Graph.Builder(), logits), nil
}

// Load tells the system the sums of the examples.
func (l systemLoss) Load(examples []int) error {
	sums := make([]mnist.Sum, len(examples))
	for i, e := range examples {
		sums[i] = l.m.split.Train.Sums[e]
	}
	l.m.sys.prepare(sums, l.m.progress)
	return nil
}

// system is the part in which the baselines differ.
type system interface {
	// group is the number of images the network reads together.
	group() int
	// output is the network to the logits.
	output(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node
	// loss puts the loss on the logits of a training graph.
	loss(b *nn.Builder[float32], logits *gorgonia.Node) *gorgonia.Node
	// prepare announces the next training batch: its sums, and the share of the run that is
	// done.
	prepare(sums []mnist.Sum, progress float64)
	// answer is the sum for the softmax of the logits of one addition, or the context's error
	// where that ends before.
	answer(ctx context.Context, probabilities []float64) (mnist.Sum, error)
}

// NewBaseline builds the network and the training graph of cfg.System.
func NewBaseline(cfg config.Config, part *mnist.Part, split *mnist.Split) (*Baseline, error) {
	m := new(Baseline)
	most := circuit.MaxDigits
	if cfg.System == "cnn" {
		most = cnn.MaxDigits
	}
	if split.Digits > most {
		return nil, config.Usage("system", "%s is for numbers of at most %d digits", cfg.System, most)
	}
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
	m.Network, err = half.NewNetwork(&cfg, []int{group * mnist.Side, mnist.Side}, images/group, func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
		logits := m.sys.output(b, x)
		if b.Training {
			return logits
		}
		return b.Softmax("output", logits)
	}, nil)
	if err != nil {
		return nil, err
	}
	m.network, m.Network.Logits = m.Network, m.sys.output
	m.sys.prepare(make([]mnist.Sum, cfg.Training.Pass()), 0)
	o, err := bilevel.NewObjective(bilevel.Problem{Samples: m.Len(learning.TrainPart), Batch: cfg.Training.Pass()}, bilevel.Settings{
		Loss: bilevel.LossName(cfg.System),
		New:  func(*bilevel.Objective) (bilevel.Loss, error) { return systemLoss{m: m}, nil },
	})
	if err != nil {
		return nil, err
	}
	m.RuleLoss, err = half.NewRuleLoss(o, m.Graph, []float64{})
	return m, err
}

func (m *Baseline) Neural() learning.NeuralHalf { return m }

func (m *Baseline) Rulebook() learning.Rulebook { return images{r: m.reader} }

// images is the Rulebook of systems without rules.
type images struct {
	learning.OwnRules
	r *reader
}

func (i images) Digest(w io.Writer, parts ...learning.Part) {
	learning.DigestInputs(w, parts, i.r.Len, i.r.Inputs)
	fmt.Fprintln(w, i.r.split.Train.Sums)
	i.r.digestSums(w, parts)
}

func (m *Baseline) Examples(part learning.Part) int { return m.Len(part) }

func (m *Baseline) Gradient(step learning.Step, examples []int) (learning.Work, error) {
	m.progress = step.Progress
	return m.Step(examples, nil, func() error {
		x, err := m.TrainingInputs(step, examples)
		if err != nil {
			return err
		}
		return m.Run(step, x)
	})
}

func (m *Baseline) Evaluate(ctx context.Context, part learning.Part) (learning.Score, error) {
	start := time.Now()
	n := m.Len(part)
	outputs, err := m.Outputs(part, learning.All(n))
	if err != nil {
		return learning.Score{}, err
	}
	right, width := 0, len(outputs)/n
	answers := make([]mnist.Sum, n)
	for a := range n {
		if answers[a], err = m.sys.answer(ctx, nn.Widen(outputs[a*width:][:width])); err != nil {
			return learning.Score{}, err
		}
		right += m.right(part, a, answers[a])
	}
	if part == learning.TestPart {
		m.last = tested{m.of(part), outputs, answers}
	}
	score := learning.Score{Examples: n, Accuracy: float64(right) / float64(n)}
	if m.group == 1 {
		m.rows.Judge(part, m.Class, 2*m.split.Digits, outputs, n, &score)
	}
	score.NeuralSeconds = time.Since(start).Seconds()
	return score, nil
}

var _ learning.Model = (*Baseline)(nil)

// digitSystem reads images one by one and has a loss on the logits of their
// digits: DeepProbLog and LTN.
type digitSystem struct {
	cfg   *config.Config
	value func(logits, grad []float64, sums [][]int, progress float64) (float64, error)
	best  func(ctx context.Context, probabilities []float64) ([]int, error)

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

func (s *digitSystem) answer(ctx context.Context, p []float64) (mnist.Sum, error) {
	return s.best(ctx, p)
}

// classifier is CNN.
type classifier struct {
	cfg    *config.Config
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
	return b.CrossEntropy("loss", logits, s.labels, nil)
}

func (s *classifier) prepare(sums []mnist.Sum, _ float64) {
	if s.labels == nil {
		s.labels = make([]int, len(sums)) // the loss keeps the slice
	}
	for i, sum := range sums {
		s.labels[i] = sum.Int()
	}
}

func (s *classifier) answer(_ context.Context, p []float64) (mnist.Sum, error) {
	return mnist.NewSum(nn.Argmax(p), s.digits), nil
}
