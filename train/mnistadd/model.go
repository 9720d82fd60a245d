package mnistadd

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"hinge/bilevel"
	"hinge/data/mnist"
	"hinge/models/resnet18"
	"hinge/nn"
	"hinge/optim"
	"hinge/symbolic/infer"
	"hinge/train"
	"hinge/train/checkpoint"
)

// evalSlots is how many additions are inferred at once in an evaluation.
const evalSlots = 64

// Model is MNIST-Addition as the training loop sees it: ResNet18 beside the
// hinge-loss model of one addition, instantiated for every addition of a batch
// and every Gumbel sample.
type Model struct {
	cfg   train.Config
	sym   *Symbolic
	part  *mnist.Part
	split *mnist.Split
	aug   *mnist.Augmenter // nil without augmentation

	net     *nn.Net[float32]
	graph   *nn.Graph[float32]
	params  []optim.Param
	buffers []optim.Param

	weights []float64 // w_sy, bound to the graph
	wGrad   *gorgonia.Node
	latent  *bilevel.ValueFunction // labels fixed
	full    *bilevel.ValueFunction // nothing fixed; nil for the energy loss
	answer  *bilevel.ValueFunction // for evaluations
	warm    warmStore
	images  []float32
	samples int // value-function slots an addition has
}

// New builds network, symbolic model and training graph.
func New(cfg train.Config, sym *Symbolic, part *mnist.Part, split *mnist.Split) (*Model, error) {
	m := &Model{cfg: cfg, sym: sym, part: part, split: split, samples: max(1, cfg.Neural.Samples)}
	if batch := cfg.Training.Batch; batch > split.Train.Len() {
		return nil, &train.UsageError{Key: "training.batch",
			Problem: fmt.Sprintf("%d is more than the %d training additions", batch, split.Train.Len())}
	}
	if cfg.Neural.Augment {
		var err error
		if m.aug, err = mnist.NewAugmenter(mnist.Light(), cfg.Seed); err != nil {
			return nil, err
		}
	}
	if err := m.buildNetwork(); err != nil {
		return nil, err
	}
	if err := m.buildValues(); err != nil {
		return nil, err
	}
	return m, m.buildLoss()
}

// buildNetwork makes ResNet18 with its head and the output layer: K Gumbel
// samples in training, a softmax (or one sample) in evaluation.
func (m *Model) buildNetwork() error {
	const initStream = 0x696e6974 // "init"
	n := m.cfg.Neural
	shape := resnet18.MNISTAddition(1, n.Dropout)
	net, err := nn.New([]int{mnist.Side, mnist.Side}, func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
		logits := resnet18.Apply(b, x, shape)
		switch {
		case b.Training && n.Samples > 0:
			return b.GumbelSoftmax("output", logits, n.Samples)
		case !b.Training && n.NoisyTest:
			return b.GumbelSoftmax("output", logits, 1)
		}
		return b.Softmax("output", logits)
	}, rand.New(rand.NewPCG(m.cfg.Seed, initStream)))
	if err != nil {
		return err
	}
	net.State().Seed = m.cfg.Seed
	m.net = net
	perAddition := 2 * m.split.Digits
	m.images = make([]float32, m.cfg.Training.Batch*perAddition*mnist.Pixels)
	m.graph, err = net.Graph(m.cfg.Training.Batch*perAddition, true)
	return err
}

// buildValues makes the value functions the loss and the evaluations need.
func (m *Model) buildValues() error {
	s := m.cfg.Symbolic
	method, err := infer.New(s.Solver)
	if err != nil {
		return &train.UsageError{Key: "solver", Problem: err.Error()}
	}
	opt := bilevel.Options{
		Epsilon: s.Epsilon, Check: s.Check,
		Solver: infer.Settings{Method: method, GapAbsolute: s.Gap},
	}
	slots := m.samples * m.cfg.Training.Batch
	if m.latent, err = bilevel.New(m.sym.Template, slots, opt); err != nil {
		return err
	}
	if m.answer, err = bilevel.New(m.sym.Template, evalSlots, opt); err != nil {
		return err
	}
	if m.cfg.Loss == "sp" {
		if m.full, err = bilevel.New(m.sym.Template, slots, opt); err != nil {
			return err
		}
		m.warm.init(m.split.Train.Len(), m.sym.Template)
		for i := range slots {
			m.full.Bind(i, new(infer.Warm))
		}
	}
	return nil
}

// buildLoss puts the loss on the network's output and differentiates it.
func (m *Model) buildLoss() error {
	m.weights = m.sym.Weights()
	w := gorgonia.NewVector(m.graph.ExprGraph(), tensor.Float64, gorgonia.WithName("w_sy"),
		gorgonia.WithShape(len(m.weights)),
		gorgonia.WithValue(tensor.New(tensor.WithShape(len(m.weights)), tensor.WithBacking(m.weights))))
	loss, err := m.loss(w)
	if err != nil {
		return err
	}
	grads, err := m.graph.Compile(loss, w)
	if err != nil {
		return err
	}
	m.wGrad = grads[0]
	for _, p := range m.net.Params().All() {
		o := optim.Param{Name: p.Name, Value: p.Value, Grad: p.Grad, Decay: p.Decay}
		for _, r := range p.Live {
			o.Live = append(o.Live, optim.Range{Lo: r.From, Hi: r.To})
		}
		if p.Buffer {
			m.buffers = append(m.buffers, o)
		} else {
			m.params = append(m.params, o)
		}
	}
	return nil
}

// loss is the configured loss as an expression over value functions.
func (m *Model) loss(w *gorgonia.Node) (*gorgonia.Node, error) {
	latent, err := m.latent.Value(w, m.graph.Output)
	if err != nil {
		return nil, err
	}
	if m.full == nil {
		return bilevel.Energy(latent)
	}
	full, err := m.full.Value(w, m.graph.Output)
	if err != nil {
		return nil, err
	}
	return bilevel.StructuredPerceptron(latent, full)
}

// Examples implements train.Model.
func (m *Model) Examples() int { return m.split.Train.Len() }

// Params implements train.Model.
func (m *Model) Params() []optim.Param { return m.params }

// Buffers implements train.Model.
func (m *Model) Buffers() []optim.Param { return m.buffers }

// Weights implements train.Model.
func (m *Model) Weights() []float64 { return m.weights }

// WeightGradient implements train.Model.
func (m *Model) WeightGradient() []float64 { return m.wGrad.Value().Data().([]float64) }

// Gradient implements train.Model: one forward and backward pass over the
// images of the given additions.
func (m *Model) Gradient(step train.Step, examples []int) (train.Work, error) {
	start := time.Now()
	state := m.net.State()
	state.Step, state.Temperature = uint64(step.Number), step.Temperature
	m.loadImages(uint64(step.Number), examples)
	for slot := range m.latent.Slots() {
		sum := m.split.Train.Sums[examples[slot%len(examples)]]
		if err := m.sym.FixLabels(m.latent.Instance(slot), int(sum)); err != nil {
			return train.Work{}, err
		}
	}
	m.latent.ResetStats()
	if m.full != nil {
		m.full.ResetStats()
		m.warm.load(m.full, examples)
	}
	if err := m.graph.Run(m.images); err != nil {
		return train.Work{}, err
	}
	stats := m.latent.Stats()
	if m.full != nil {
		m.warm.store(m.full, examples)
		more := m.full.Stats()
		stats.Seconds += more.Seconds
		stats.Solves += more.Solves
		stats.Unsolved += more.Unsolved
	}
	return train.Work{
		Loss: m.graph.Loss(), SolverSeconds: stats.Seconds,
		NeuralSeconds: time.Since(start).Seconds() - stats.Seconds,
		Solves:        stats.Solves, Unsolved: stats.Unsolved,
	}, nil
}

// loadImages fills the input with the images of the additions, in order,
// distorted if so configured.
func (m *Model) loadImages(step uint64, examples []int) {
	per := 2 * m.split.Digits
	var g errgroup.Group
	workers := runtime.GOMAXPROCS(0)
	for worker := range workers {
		g.Go(func() error {
			for j := worker; j < len(examples); j += workers {
				for k, image := range m.split.Train.Row(examples[j]) {
					at := j*per + k
					dst := m.images[at*mnist.Pixels : (at+1)*mnist.Pixels]
					if m.aug == nil {
						m.part.Image(dst, int(image))
					} else {
						m.aug.Apply(dst, m.part.Raw(int(image)), step, uint64(at))
					}
				}
			}
			return nil
		})
	}
	_ = g.Wait() // the workers return no errors
}

// Export implements train.Model: names and layout are torchvision's.
func (m *Model) Export() []checkpoint.Tensor {
	var out []checkpoint.Tensor
	for _, t := range m.net.Params().Export() {
		out = append(out, checkpoint.NewTensor(t.Name, t.Data, t.Shape...))
	}
	return out
}

// Import implements train.Model.
func (m *Model) Import(get func(name string) (checkpoint.Tensor, error)) error {
	var in []nn.Tensor[float32]
	for _, p := range m.net.Params().All() {
		t, err := get(p.Name)
		if err != nil {
			return err
		}
		data, ok := t.Data.([]float32)
		if !ok {
			return fmt.Errorf("mnistadd: tensor %q holds %T, want []float32", p.Name, t.Data)
		}
		in = append(in, nn.Tensor[float32]{Name: p.Name, Shape: t.Shape, Data: data})
	}
	return m.net.Params().Import(in)
}

// Warm implements train.Model.
func (m *Model) Warm() []checkpoint.Tensor { return m.warm.tensors() }

// SetWarm implements train.Model.
func (m *Model) SetWarm(get func(name string) (checkpoint.Tensor, error)) error {
	return m.warm.restore(get)
}

var _ train.Model = (*Model)(nil)
