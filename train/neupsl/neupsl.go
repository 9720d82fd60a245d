// Package neupsl has the models of NeuPSL: a NeuPSL is a network whose outputs are the neural atoms
// of a hinge-loss Markov random field, learned with its rule weights through the value function
// V(w, g) = min_y w·Φ(y, g); a RuleModel has no network and learns the weights alone. Answers are
// MAP states (package mapstate), whatever the loss.
//
//	model, err := neupsl.New(cfg, neupsl.Setup{
//		Examples: data,
//		Program:  neupsl.Program{Template: template},
//		Network:  neupsl.Reader{Logits: logits, Shape: shape, Rows: rows},
//	})
//	result, err := train.Run(ctx, cfg, model, train.Options{Dir: dir})
//
// docs/TUTORIAL.md builds one. Errors are a config.UsageError for settings and a
// learning.DataError for labels. A model is used by one goroutine at a time.
package neupsl

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"hinge/bilevel"
	"hinge/nn"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/train/config"
	"hinge/train/half"
	"hinge/train/learning"
	"hinge/train/mapstate"
)

// Examples are the data of a NeuPSL: many examples that all are one template with
// other inputs and labels, or one program over everything as the only example of each
// part. Examples of a part count from 0.
type Examples interface {
	// Len is the number of examples of a part, 0 where there is none.
	Len(part learning.Part) int
	// Inputs returns the network's inputs for examples of a part, one after the other.
	Inputs(part learning.Part, examples []int) []float32
	// Label fixes the labels of a training example; targets that stay free are latent.
	Label(example int, in *lcqp.Instance) error
	// Judge compares the targets that inference found for an example with the truth, and
	// returns how many of how many answers are right: 1 of 1, or more if one program has
	// several answers.
	Judge(part learning.Part, example int, y []float64) (right, of int)
}

// Setup is what a NeuPSL is made of: data, a program, a network, and what a task has besides.
type Setup struct {
	Examples Examples
	Program  Program
	Network  Reader
	Inputs   Inputs
	Loss     OwnLoss
	Show     Show
}

// Program is the hinge-loss model of an example.
type Program struct {
	// Template is the program of an example. Its neural atoms are the outputs of the
	// network's rows, one row after the other. Where examples have programs of their own,
	// with the same weighted rules, Templates lists the programs of the training examples,
	// and Template is any program with these rules.
	Template  *lcqp.Template
	Templates []*lcqp.Template
	// Answers, if not nil, is the program whose MAP states are the answers, where learning
	// uses another one, Template. Both have the same weighted rules, and but for learning from
	// parts of examples (Reader.TrainingRows) the same targets and neural atoms.
	Answers *lcqp.Template
	// LabelsFixAll reports whether Label leaves next to nothing free: see
	// bilevel.Settings.ColdLatent.
	LabelsFixAll bool
	// Stationarity, if positive, is the stationarity at which every solve stops.
	Stationarity float64
	// Observe, if not nil, fixes the labels of an example that inference may look at; all its
	// targets are free before.
	Observe func(part learning.Part, example int, in *lcqp.Instance) error
}

func (p *Program) answers() *lcqp.Template { return cmp.Or(p.Answers, p.Template) }

// Reader is the network, which reads the rows of an example.
type Reader struct {
	// Logits is the network up to the logits of a row, without its softmax; Shape is the
	// shape of a row's input, Rows the number of rows of an example.
	Logits nn.Definition[float32]
	Shape  []int
	Rows   int
	// TrainingRows is the number of rows of a training example where OwnLoss learns from parts
	// of examples; 0 means Rows.
	TrainingRows int
	// Rand, if not nil, draws the first parameters.
	Rand *rand.Rand
	// Network, if not nil, is what learns in place of Logits, such as several networks. The
	// output of its graph holds the neural atoms of a pass: example after example within a
	// draw, draw after draw, with room for the largest pass (bilevel.Room).
	// Inputs.Outputs is set then.
	Network *half.Network
	// Classes returns the numbers of classes of the rows of a training example, where a
	// Network's outputs are such (bilevel.Problem.Rows).
	Classes func(example int) []int
}

// trainingRows is the number of rows of a training example.
func (r *Reader) trainingRows() int { return cmp.Or(r.TrainingRows, r.Rows) }

// make draws the configured network for passes of some examples, unless there is one.
func (r *Reader) make(cfg *config.Config) (*half.Network, error) {
	if r.Network != nil {
		return r.Network, nil
	}
	n, err := half.NewNetwork(cfg, r.Shape, r.trainingRows()*cfg.Training.Pass(), nn.Beliefs(r.Logits, cfg.Sampling()), r.Rand)
	if err == nil {
		n.Logits = r.Logits
	}
	return n, err
}

// classes returns Classes, or the rows of equal length of an example, if there are any.
func (r *Reader) classes(deep int) func(int) []int {
	if r.Classes != nil || r.Network != nil || r.Rows == 0 {
		return r.Classes
	}
	n := r.trainingRows()
	rows := slices.Repeat([]int{deep / n}, n)
	return func(int) []int { return rows }
}

// Inputs is how the network sees examples where Examples.Inputs, for learning as for tests, is not
// enough. Each function may be nil.
type Inputs struct {
	// Training returns the inputs of training examples where evaluations use other
	// inputs, such as undistorted images. It is a function of seed and step.
	Training func(step learning.Step, examples []int) ([]float32, error)
	// Choose returns the training examples that a step learns from in place of those of its
	// batch: as many, but for an OwnLoss. It is a function of seed and step.
	Choose func(step learning.Step, examples []int) []int
	// Outputs asks the network itself, for instance over several views of an input. It
	// returns the outputs for all rows of the examples.
	Outputs func(part learning.Part, examples []int) ([]float32, error)
}

// OwnLoss is what a task adds to the configured loss, or has in its place.
type OwnLoss struct {
	// New, if not nil, makes the configured loss: one that its kind leaves to the task
	// (bilevel.Kind.New).
	New func(o *bilevel.Objective) (bilevel.Loss, error)
	// Factor multiplies the configured loss; 0 means 1.
	Factor float64
	// Terms are losses that are added to it.
	Terms []bilevel.Term
	// Importance, if not nil, writes how much the label of each target of a training
	// example counts in the loss bilevel.LossAnswer.
	Importance func(example int, weights []float64)
}

// Show is what people see of a test. Nothing is learned from it.
type Show struct {
	// Class, if not nil, knows the true classes: it gives Score.Parts and a confusion matrix.
	Class learning.Class
	// Cases, if not nil, describes tested examples.
	Cases Describer
	// Rank, if not nil, rates the answer of a tested example where Class is nil: the less, the
	// worse.
	Rank func(part learning.Part, example int, y []float64) float64
}

// Describer describes tested examples for people.
type Describer interface {
	// Describe returns what people see of an example, given the network's outputs and
	// the targets that inference found: Name, Pictures, Read, Answer, Truth, Values, Inputs. The
	// ground rules with one of the targets that it lists explain the answer; nil means all.
	Describe(part learning.Part, example int, g []float32, y []float64) (c learning.Case, targets []int, err error)
	// Value returns the value of the answer's target, 0 to 1: how sure inference is.
	Value(y []float64) float64
}

// NeuPSL is a learning.Model; see the package comment.
type NeuPSL struct {
	half.Halves

	cfg    config.Config
	set    Setup
	answer *mapstate.Solver // of evaluations, where examples have one program
	rows   learning.Rows
	last   answers
}

// New builds network, loss and inference.
func New(cfg config.Config, s Setup) (*NeuPSL, error) {
	m := &NeuPSL{cfg: cfg, set: s}
	if cfg.Symbolic.OffSimplex() {
		return nil, config.Usage("symbolic.method", "gradient leaves the simplex, on which the weights of rules beside networks stay; choose mirror or projected")
	}
	n := s.Examples.Len(learning.TrainPart)
	if cfg.Training.Batch > n {
		return nil, config.Usage("training.batch", "%d is more than the number of training examples, %d", cfg.Training.Batch, n)
	}
	var err error
	if m.Network, err = s.Network.make(&cfg); err != nil {
		return nil, err
	}
	if m.RuleLoss, err = m.newRuleLoss(); err != nil {
		return nil, err
	}
	if s.Program.Templates == nil {
		m.answer, err = m.NewSolver()
	}
	return m, err
}

// newRuleLoss puts the configured loss on the training graph.
func (m *NeuPSL) newRuleLoss() (*half.RuleLoss, error) {
	p := &m.set.Program
	set, err := m.cfg.Objective()
	if err != nil {
		return nil, err
	}
	if set.Value, err = m.inferenceOptions(); err != nil {
		return nil, err
	}
	set.ColdLatent, set.New, set.Factor = p.LabelsFixAll, m.set.Loss.New, m.set.Loss.Factor
	set.ConstraintSamples /= m.cfg.Training.Parts()
	w, err := half.StartWeights(p.Template, p.Templates...)
	if err != nil {
		return nil, err
	}
	o, err := bilevel.NewObjective(bilevel.Problem{
		Template: p.Template, Templates: p.Templates, Samples: m.Examples(learning.TrainPart), Batch: m.cfg.Training.Pass(), Label: m.set.Examples.Label,
		Importance: m.set.Loss.Importance, Rows: m.set.Network.classes(p.Template.Deep),
	}, set)
	if err != nil {
		return nil, err
	}
	return half.NewRuleLoss(o, m.Graph, w, m.set.Loss.Terms...)
}

// inferenceOptions returns the options that every inference has.
func (m *NeuPSL) inferenceOptions() (bilevel.Options, error) {
	o, err := m.cfg.Inference()
	if m.set.Program.Stationarity > 0 {
		o.Solver.StationarityTolerance = m.set.Program.Stationarity
	}
	return o, err
}

// Inference returns the inference of evaluations, whose results stay until the next one; nil
// where examples have programs of their own.
func (m *NeuPSL) Inference() *mapstate.Solver { return m.answer }

func (m *NeuPSL) Rulebook() learning.Rulebook { return rulebook{m: m} }

// rulebook is the rules of a task, with data that may change between two sittings.
type rulebook struct {
	learning.OwnRules
	m *NeuPSL
}

// Digest implements learning.Rulebook: the ground programs, the inputs, and what the labels fix.
func (r rulebook) Digest(w io.Writer, parts ...learning.Part) {
	examples, program := r.m.set.Examples, &r.m.set.Program
	for _, t := range append(slices.Clip(program.Templates), program.Template, program.answers()) {
		t.Digest(w)
	}
	learning.DigestInputs(w, parts, examples.Len, examples.Inputs)
	in, err := program.Template.NewInstance(1)
	for e := range examples.Len(learning.TrainPart) {
		if program.Templates != nil {
			in, err = program.Templates[e].NewInstance(1)
		}
		if err != nil {
			return // learning tells it
		}
		if in.FreeAll(); examples.Label(e, in) != nil {
			return
		}
		_ = binary.Write(w, binary.LittleEndian, slices.Concat(in.Lower, in.Upper))
	}
}

func (m *NeuPSL) Examples(part learning.Part) int { return m.set.Examples.Len(part) }

func (m *NeuPSL) Gradient(step learning.Step, examples []int) (learning.Work, error) {
	if m.set.Inputs.Choose != nil {
		examples = m.set.Inputs.Choose(step, examples)
	}
	m.Still = m.cfg.Symbolic.Still(step.Progress)
	return m.Step(examples, m.start, func() error {
		x, err := m.inputs(step, examples)
		if err != nil {
			return err
		}
		return m.Run(step, x)
	})
}

func (m *NeuPSL) inputs(step learning.Step, examples []int) ([]float32, error) {
	if m.set.Inputs.Training != nil {
		return m.set.Inputs.Training(step, examples)
	}
	return m.set.Examples.Inputs(learning.TrainPart, examples), nil
}

// start sets the starting points of the bilevel losses.
func (m *NeuPSL) start() error {
	return m.Start(&m.cfg, func(batch []int) ([]float64, error) {
		g, err := m.outputs(learning.TrainPart, batch)
		return nn.Widen(g), err
	})
}

// outputs returns the network's outputs for examples of a split, [examples][rows][classes].
func (m *NeuPSL) outputs(part learning.Part, examples []int) ([]float32, error) {
	if m.set.Inputs.Outputs != nil {
		return m.set.Inputs.Outputs(part, examples)
	}
	rows := m.set.Network.Rows
	g, err := m.Forward(m.set.Examples.Inputs(part.Data(), examples), len(examples)*rows, m.cfg.Neural.TestTemperature)
	if d, ok := errors.AsType[*nn.DivergedError](err); ok {
		d.Example = examples[d.Example/rows]
	}
	return g, err
}

// Evaluate implements Model: MAP inference of the whole program for every example of a
// part.
func (m *NeuPSL) Evaluate(_ context.Context, part learning.Part) (learning.Score, error) {
	all := learning.All(m.set.Examples.Len(part.Data()))
	if len(all) == 0 {
		return learning.Score{}, &learning.DataError{Err: fmt.Errorf("train: the part %s has no examples; validation and test need some", part)}
	}
	start := time.Now()
	g, err := m.outputs(part, all)
	if err != nil {
		return learning.Score{}, err
	}
	read := time.Since(start).Seconds()
	s, err := m.EvaluateOutputs(part, g)
	s.NeuralSeconds += read
	return s, err
}

// EvaluateOutputs is Evaluate, given the network's outputs for all examples of the part.
func (m *NeuPSL) EvaluateOutputs(part learning.Part, g []float32) (learning.Score, error) {
	data, start := part.Data(), time.Now()
	n := m.set.Examples.Len(data)
	right, of := 0, 0
	last := answers{g: g}
	var wrong error
	var observe func(example int, in *lcqp.Instance) error
	if f := m.set.Program.Observe; f != nil {
		observe = func(example int, in *lcqp.Instance) error { return f(data, example, in) }
	}
	stats, err := m.answer.Each(m.Weights(), nn.Widen(g), n, observe, func(example int, r *infer.Result) {
		a, b := m.set.Examples.Judge(data, example, r.Y)
		if wrong == nil && (a < 0 || a > b) {
			wrong = fmt.Errorf("train: Judge says of example %d that %d of %d answers are right", example, a, b)
		}
		right, of = right+a, of+b
		if part == learning.TestPart {
			last.add(r, a == b)
		}
	})
	if err == nil {
		err = wrong
	}
	if err != nil {
		return learning.Score{}, fmt.Errorf("part %s: %w", part, err)
	}
	s := learning.Score{
		Accuracy: float64(right) / float64(of), Examples: of,
		Work: learning.SolverWork(stats, time.Since(start).Seconds()),
	}
	if part == learning.TestPart {
		m.last = last
	}
	m.rows.Judge(part, m.set.Show.Class, m.set.Network.Rows, g, n, &s)
	return s, nil
}

var (
	_ learning.Model    = (*NeuPSL)(nil)
	_ learning.Reporter = (*NeuPSL)(nil)
)
