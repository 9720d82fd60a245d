package train

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"hinge/bilevel"
	"hinge/nn"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// Examples are the data of a NeuPSL: many examples that all are one template with
// other inputs and labels, or one program over everything as the only example of each
// part. Examples of a part count from 0.
type Examples interface {
	// Len is the number of examples of a part, 0 where there is none.
	Len(part Part) int
	// Inputs returns the network's inputs for examples of a part, one after the other.
	Inputs(part Part, examples []int) []float32
	// Label fixes the labels of a training example; targets that stay free are latent.
	Label(example int, in *lcqp.Instance) error
	// Judge compares the targets that inference found for an example with the truth, and
	// returns how many of how many answers are right: 1 of 1, or more if one program has
	// several answers.
	Judge(part Part, example int, y []float64) (right, of int)
}

// Class is the true class of a row of the network in an example.
type Class func(part Part, example, row int) int

// Setup is what a NeuPSL is made of. Functions may be nil.
type Setup struct {
	// Template is the program of an example. Its neural atoms are the outputs of the
	// network's rows, one row after the other. Where examples have programs of their own,
	// with the same weighted rules, Templates lists the programs of the training examples,
	// and Template is any program with these rules.
	Template  *lcqp.Template
	Templates []*lcqp.Template
	// Answers, if not nil, is the program whose MAP states are the answers, where learning
	// uses another one, Template. Both have the same weighted rules, and but for learning from
	// parts of examples (TrainingRows) the same targets and neural atoms.
	Answers *lcqp.Template
	// Logits is the network up to the logits of a row, without its softmax; Shape is the
	// shape of a row's input, Rows the number of rows of an example.
	Logits nn.Definition[float32]
	Shape  []int
	Rows   int
	// Network, if not nil, is what learns in place of Logits, such as several networks. The
	// output of its graph holds the neural atoms of a pass: example after example within a
	// draw, draw after draw, with room for the largest pass (bilevel.Room).
	// Outputs is set then.
	Network *Network
	// Classes returns the numbers of classes of the rows of a training example, where a
	// Network's outputs are such (bilevel.Problem.Rows).
	Classes func(example int) []int
	// Terms are losses that are added to the configured one.
	Terms []bilevel.Term
	// Importance, if not nil, writes how much the label of each target of a training
	// example counts in the loss bilevel.LossAnswer.
	Importance func(example int, weights []float64)
	// Stationarity, if positive, is the stationarity at which every solve stops.
	Stationarity float64
	// TrainingRows is the number of rows of a training example where Loss learns from parts
	// of examples; 0 means Rows.
	TrainingRows int
	// Examples are the data.
	Examples Examples
	// TrainingInputs returns the inputs of training examples where evaluations use other
	// inputs, such as undistorted images. It is a function of seed and step.
	TrainingInputs func(step Step, examples []int) ([]float32, error)
	// Choose, if not nil, returns the training examples that a step learns from in place of
	// those of its batch, as many. It is a function of seed and step.
	Choose func(step Step, examples []int) []int
	// Outputs asks the network itself, for instance over several views of an input. It
	// returns the outputs for all rows of the examples.
	Outputs func(part Part, examples []int) ([]float32, error)
	// Observe fixes the labels of an example that inference may look at; all its targets
	// are free before.
	Observe func(part Part, example int, in *lcqp.Instance) error
	// Class knows the true classes, which nothing is learned from: it gives Score.Parts and
	// a confusion matrix.
	Class Class
	// Describe returns what people see of a tested example, given the network's outputs and
	// the targets that inference found: Name, Pictures, Read, Answer, Truth, Values. It also
	// sets Value, the value of the answer's target, 0 to 1: how sure inference is.
	Describe func(part Part, example int, g []float32, y []float64) (Case, error)
	Value    func(y []float64) float64
	// LabelsFixAll reports whether Label leaves next to nothing free: see
	// bilevel.Settings.ColdLatent.
	LabelsFixAll bool
	// Loss, if not nil, makes the configured loss: one that its kind leaves to the task
	// (bilevel.Kind.New).
	Loss func(o *bilevel.Objective) (bilevel.Loss, error)
	// Rand, if not nil, draws the network's first parameters.
	Rand *rand.Rand
}

// answers is the program of answers.
func (s *Setup) answers() *lcqp.Template { return cmp.Or(s.Answers, s.Template) }

// classes returns Classes, or the rows of equal length of an example, if there are any.
func (s *Setup) classes() func(int) []int {
	if s.Classes != nil || s.Network != nil || s.Rows == 0 || s.Template == nil {
		return s.Classes
	}
	n := cmp.Or(s.TrainingRows, s.Rows)
	rows := slices.Repeat([]int{s.Template.Deep / n}, n)
	return func(int) []int { return rows }
}

// NeuPSL is a Model: a network whose outputs are the neural atoms of a hinge-loss
// Markov random field, learned with its rule weights through the value function.
// Answers are MAP states, whatever the loss.
type NeuPSL struct {
	*Network
	*RuleLoss

	cfg    Config
	set    Setup
	answer *Solver // of evaluations, where examples have one program
	rows   Rows
	last   answers
}

// NewNeuPSL builds network, loss and inference.
func NewNeuPSL(cfg Config, s Setup) (*NeuPSL, error) {
	m := &NeuPSL{cfg: cfg, set: s}
	if cfg.Symbolic.offSimplex() {
		return nil, Usage("symbolic.method", "gradient leaves the simplex, on which the weights of rules beside networks stay; choose mirror or projected")
	}
	n := s.Examples.Len(TrainPart)
	if cfg.Training.Batch > n {
		return nil, Usage("training.batch", "%d is more than the %d training examples", cfg.Training.Batch, n)
	}
	var err error
	if m.Network = s.Network; m.Network == nil {
		if m.Network, err = NewNetwork(&cfg, s.Shape, cmp.Or(s.TrainingRows, s.Rows)*cfg.Training.Pass(), cfg.Beliefs(s.Logits), s.Rand); err != nil {
			return nil, err
		}
		m.Network.Logits = s.Logits
	}
	if m.RuleLoss, err = m.newRuleLoss(); err != nil {
		return nil, err
	}
	if s.Templates == nil {
		m.answer, err = m.NewSolver()
	}
	return m, err
}

// newRuleLoss puts the configured loss on the training graph.
func (m *NeuPSL) newRuleLoss() (*RuleLoss, error) {
	set, err := m.cfg.Objective()
	if err != nil {
		return nil, err
	}
	if set.Value, err = m.inferenceOptions(); err != nil {
		return nil, err
	}
	set.ColdLatent, set.New = m.set.LabelsFixAll, m.set.Loss
	set.ConstraintSamples /= m.cfg.Training.shards()
	w, err := StartWeights(m.set.Template)
	if err != nil {
		return nil, err
	}
	o, err := bilevel.NewObjective(bilevel.Problem{
		Template: m.set.Template, Templates: m.set.Templates, Samples: m.Examples(TrainPart), Batch: m.cfg.Training.Pass(), Label: m.set.Examples.Label,
		Importance: m.set.Importance, Rows: m.set.classes(),
	}, set)
	if err != nil {
		return nil, err
	}
	return NewRuleLoss(o, m.Graph, w, m.set.Terms...)
}

// inferenceOptions returns the options that every inference has.
func (m *NeuPSL) inferenceOptions() (bilevel.Options, error) {
	o, err := m.cfg.Inference()
	if m.set.Stationarity > 0 {
		o.Solver.StationarityTolerance = m.set.Stationarity
	}
	return o, err
}

// Inference returns the inference of evaluations, whose results stay until the next one; nil
// where examples have programs of their own.
func (m *NeuPSL) Inference() *Solver { return m.answer }

// Examples implements Model.
func (m *NeuPSL) Examples(part Part) int { return m.set.Examples.Len(part) }

// Gradient implements Model.
func (m *NeuPSL) Gradient(step Step, examples []int) (Work, error) {
	if m.set.Choose != nil {
		examples = m.set.Choose(step, examples)
	}
	return m.Step(examples, m.start, func() error {
		x, err := m.inputs(step, examples)
		if err != nil {
			return err
		}
		return m.Run(step, x)
	})
}

// inputs returns the inputs of a training step.
func (m *NeuPSL) inputs(step Step, examples []int) ([]float32, error) {
	if m.set.TrainingInputs != nil {
		return m.set.TrainingInputs(step, examples)
	}
	return m.set.Examples.Inputs(TrainPart, examples), nil
}

// start sets the starting points of the bilevel losses.
func (m *NeuPSL) start() error {
	return m.Start(&m.cfg, func(batch []int) ([]float64, error) {
		g, err := m.outputs(TrainPart, batch)
		return Widen(g), err
	})
}

// outputs returns the network's outputs for examples of a split, [examples][rows][classes].
func (m *NeuPSL) outputs(part Part, examples []int) ([]float32, error) {
	if m.set.Outputs != nil {
		return m.set.Outputs(part, examples)
	}
	return m.Forward(m.set.Examples.Inputs(part.data(), examples), len(examples)*m.set.Rows, m.cfg.Neural.TestTemperature)
}

// Evaluate implements Model: MAP inference of the whole program for every example of a
// part.
func (m *NeuPSL) Evaluate(part Part) (Score, error) {
	data := part.data()
	all := All(m.set.Examples.Len(data))
	if len(all) == 0 {
		return Score{}, fmt.Errorf("train: there is no data part %q", part)
	}
	start := time.Now()
	g, err := m.outputs(part, all)
	if err != nil {
		return Score{}, err
	}
	right, of := 0, 0
	last := answers{g: g}
	stats, err := m.answer.Each(m.Weights(), Widen(g), len(all), m.observe(data), func(example int, r *infer.Result) {
		a, b := m.set.Examples.Judge(data, example, r.Y)
		right, of = right+a, of+b
		if part == TestPart {
			last.add(r, a == b)
		}
	})
	if err != nil {
		return Score{}, fmt.Errorf("part %s: %w", part, err)
	}
	s := Score{
		Accuracy: float64(right) / float64(of), Examples: of,
		Work: SolverWork(stats, time.Since(start).Seconds()),
	}
	if part == TestPart {
		m.last = last
	}
	m.rows.Judge(part, m.set.Class, m.set.Rows, g, len(all), &s)
	return s, nil
}

// observe returns what fixes the labels that inference may look at, or nil.
func (m *NeuPSL) observe(part Part) func(example int, in *lcqp.Instance) error {
	if m.set.Observe == nil {
		return nil
	}
	return func(example int, in *lcqp.Instance) error { return m.set.Observe(part, example, in) }
}

var (
	_ Model    = (*NeuPSL)(nil)
	_ Reporter = (*NeuPSL)(nil)
)
