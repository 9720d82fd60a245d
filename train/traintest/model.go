package traintest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gorgonia.org/gorgonia"

	"hinge/bilevel"
	"hinge/models/mlp"
	"hinge/nn"
	"hinge/optim"
	"hinge/symbolic/lcqp"
	"hinge/train"
	"hinge/train/checkpoint"
)

// examples is the size of each part of the data.
const examples = 24

// Config returns the configuration of a run of the task: everything that has a
// state is switched on.
func Config(loss string, steps int) train.Config {
	c := train.Defaults(train.Config{Task: "traintest", Loss: loss})
	c.Training = train.Training{Steps: steps, Batch: 5, ValidEvery: 20, LastWeights: true, CheckpointEvery: 13, Keep: 2}
	n := &c.Neural
	n.LearningRate, n.Schedule, n.Warmup, n.WeightDecay, n.Decoupled, n.Average = 0.02, "cosine", 5, 0.05, true, 0.99
	n.Dropout, n.Samples, n.DrawTemperature, n.TemperatureDecay = 0.1, 2, 0.05, 1e-3
	c.Symbolic.FreezeRules, c.Symbolic.Epsilon = false, 1e-2
	c.Bilevel.TestEvery, c.Bilevel.EnergyCoefficient = 1, 1
	if loss != "energy" {
		c.Bilevel.ConstraintSamples = 2
	}
	return c
}

// part is one part of the data.
type part struct {
	points [][items][2]float32
	class  [][items]int
}

// Model is the task as the training loop sees it.
type Model struct {
	*train.RuleLoss
	cfg      train.Config
	template *lcqp.Template
	data     map[train.Part]*part
	net      *nn.Net[float32]
	graph    *nn.Graph[float32]
	params   []optim.Param
	answer   *bilevel.ValueFunction
	ran      bool
}

// New draws the data and builds network, symbolic model and training graph.
func New(cfg train.Config) (*Model, error) {
	m := &Model{cfg: cfg, data: make(map[train.Part]*part)}
	rng := rand.New(rand.NewPCG(cfg.Seed, 1))
	for _, name := range []train.Part{train.TrainPart, train.ValidPart, train.TestPart} {
		m.data[name] = draw(rng)
	}
	var err error
	if m.template, err = template(); err != nil {
		return nil, err
	}
	m.net, err = nn.New([]int{2}, func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
		logits := mlp.Apply(b, "mlp", x, mlp.Config{Hidden: []int{8}, Out: classes, Dropout: cfg.Neural.Dropout})
		if b.Training {
			return b.GumbelSoftmax("output", logits, cfg.Neural.Samples, 1)
		}
		return b.Softmax("output", logits)
	}, rng)
	if err != nil {
		return nil, err
	}
	m.net.State().Seed = cfg.Seed
	if m.graph, err = m.net.Graph(items*cfg.Training.Batch, true); err != nil {
		return nil, err
	}
	return m, m.buildLoss()
}

func draw(rng *rand.Rand) *part {
	p := new(part)
	for range examples {
		var points [items][2]float32
		var class [items]int
		for i := range items {
			class[i] = rng.IntN(classes)
			angle := 2 * math.Pi * float64(class[i]) / classes
			points[i] = [2]float32{
				float32(math.Cos(angle) + 0.3*rng.NormFloat64()), float32(math.Sin(angle) + 0.3*rng.NormFloat64()),
			}
		}
		p.points, p.class = append(p.points, points), append(p.class, class)
	}
	return p
}

func (m *Model) buildLoss() error {
	set, err := m.cfg.Objective()
	if err != nil {
		return err
	}
	objective, err := bilevel.NewObjective(bilevel.Problem{
		Template: m.template, Samples: examples, Batch: m.cfg.Training.Batch,
		Label: func(sample int, in *lcqp.Instance) error { return label(in, m.data[train.TrainPart].class[sample]) },
	}, set)
	if err != nil {
		return err
	}
	if m.answer, err = bilevel.New(m.template, examples, set.Value); err != nil {
		return err
	}
	weights := m.template.Program().Weights()
	if err := optim.ToSimplex(weights); err != nil {
		return err
	}
	if m.RuleLoss, err = train.NewRuleLoss(objective, m.graph, weights); err != nil {
		return err
	}
	m.params, _ = train.NetworkParams(m.net.Params())
	return nil
}

// inputs are the points of some examples, one after the other.
func (p *part) inputs(which []int) []float32 {
	var x []float32
	for _, e := range which {
		for _, point := range p.points[e] {
			x = append(x, point[:]...)
		}
	}
	return x
}

// forward returns the outputs of the network without noise.
func (m *Model) forward(p *part, which []int) ([]float64, error) {
	g, err := m.net.Forward(p.inputs(which), items*len(which))
	out := make([]float64, len(g))
	for i, v := range g {
		out[i] = float64(v)
	}
	return out, err
}

// Gradient implements train.Model.
func (m *Model) Gradient(step train.Step, batch []int) (train.Work, error) {
	state, data := m.net.State(), m.data[train.TrainPart]
	state.Step, state.Temperature = uint64(step.Number), step.Temperature
	if !m.Objective.Started() {
		batches := append(m.cfg.Batches(examples, 0), nil)
		seen := make(map[int]bool)
		for _, b := range batches {
			for _, e := range b {
				seen[e] = true
			}
		}
		for e := range examples {
			if !seen[e] {
				batches[len(batches)-1] = append(batches[len(batches)-1], e)
			}
		}
		err := m.Objective.Start(m.Weights(), batches, func(b []int) ([]float64, error) { return m.forward(data, b) })
		if err != nil {
			return train.Work{}, err
		}
	}
	if err := m.Objective.Load(batch); err != nil {
		return train.Work{}, err
	}
	if err := m.graph.Run(data.inputs(batch)); err != nil {
		return train.Work{}, err
	}
	terms, err := m.Objective.Step(m.Weights(), m.WeightGradient())
	m.ran = true
	return train.Work{Loss: m.graph.Loss(), Terms: &terms}, err
}

// Evaluate implements train.Model.
func (m *Model) Evaluate(name train.Part) (train.Score, error) {
	data, ok := m.data[name]
	if !ok {
		return train.Score{}, fmt.Errorf("traintest: no data part %q", name)
	}
	all := make([]int, examples)
	for i := range all {
		all[i] = i
	}
	g, err := m.forward(data, all)
	if err != nil {
		return train.Score{}, err
	}
	if err := m.answer.Solve(m.Weights(), g); err != nil {
		return train.Score{}, err
	}
	right := 0
	for e := range examples {
		y := m.answer.Result(e).Y[classes : 2*classes]
		best := 0
		for k, v := range y {
			if v > y[best] {
				best = k
			}
		}
		if best == data.class[e][1] {
			right++
		}
	}
	return train.Score{Accuracy: float64(right) / examples, Examples: examples}, nil
}

// Rules implements train.RuleReporter.
func (m *Model) Rules() []train.Rule {
	if !m.ran {
		return nil
	}
	satisfaction := make([]float64, len(m.Weights()))
	m.Objective.Satisfaction(satisfaction)
	var out []train.Rule
	for r, rule := range m.template.Program().Rules {
		out = append(out, train.Rule{
			Text: rule.Text, Weight: m.Weights()[r], Satisfaction: satisfaction[r], Gradient: m.WeightGradient()[r],
		})
	}
	return out
}

// Examples implements train.Model, as do the methods below.
func (m *Model) Examples() int          { return examples }
func (m *Model) Params() []optim.Param  { return m.params }
func (m *Model) Buffers() []optim.Param { return nil }

func (m *Model) Export() []checkpoint.Tensor { return train.NetworkTensors(m.net.Params()) }

func (m *Model) Import(get func(name string) (checkpoint.Tensor, error)) error {
	return train.RestoreNetwork(m.net.Params(), get)
}

var (
	_ train.Model        = (*Model)(nil)
	_ train.EpochEnder   = (*Model)(nil)
	_ train.RuleReporter = (*Model)(nil)
)
