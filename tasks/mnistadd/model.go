package mnistadd

import (
	"fmt"

	"hinge/bilevel"
	"hinge/data/mnist"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/mapstate"
	"hinge/train/neupsl"
)

// Model is MNIST-Addition as the training loop sees it: ResNet18 beside the
// hinge-loss model of one addition, instantiated for every addition of a batch
// and every Gumbel sample.
type Model struct {
	*neupsl.NeuPSL
	*reader
	sym *Symbolic
}

// New builds network, symbolic model and training graph.
func New(cfg config.Config, sym *Symbolic, part *mnist.Part, split *mnist.Split) (*Model, error) {
	r, err := newReader(cfg, part, split, 1)
	if err != nil {
		return nil, err
	}
	m := &Model{reader: r, sym: sym}
	data := additions{reader: r, sym: sym}
	learned := sym.Template
	if r.windows.parts() > 1 && cfg.Loss != ChainLoss {
		if data.window, err = newWindow(r.windows.columns, cfg.Rules); err != nil {
			return nil, err
		}
		learned = data.window.Template
	}
	set := neupsl.Setup{
		Examples: data,
		// Of the labels nothing, or a carry or two, is left to find.
		Program: neupsl.Program{Template: learned, Answers: sym.Template, LabelsFixAll: true},
		Network: neupsl.Reader{Logits: logits(&cfg), Shape: []int{mnist.Side, mnist.Side}, Rows: 2 * split.Digits, TrainingRows: 2 * r.windows.columns},
		Inputs:  neupsl.Inputs{Training: r.TrainingInputs, Outputs: r.Outputs},
		Show:    neupsl.Show{Class: r.Class, Cases: data},
	}
	if r.lead != nil {
		set.Inputs.Choose = r.lead.choose
	}
	if cfg.Loss == ChainLoss {
		set.Loss.New = func(o *bilevel.Objective) (bilevel.Loss, error) {
			return newChainLoss(&cfg, sym, r.lead, func(addition int) []int { return split.Train.Sums[addition] }, o)
		}
	}
	if m.NeuPSL, err = neupsl.New(cfg, set); err != nil {
		return nil, err
	}
	r.network = m.Network
	return m, nil
}

// additions are the examples of a Model.
type additions struct {
	*reader
	sym    *Symbolic
	window *Symbolic // of training by windows through V
}

// Label implements neupsl.Examples: the sum and its places are known, the carries not.
func (a additions) Label(example int, in *lcqp.Instance) error {
	sum := a.split.Train.Sums[example/a.windows.parts()]
	if a.window != nil {
		return a.windows.label(a.window, sum, example, in)
	}
	return a.sym.FixLabels(in, sum)
}

// Judge implements neupsl.Examples: the answer is the sum whose ImageSum atom has the
// largest value, the smaller one on ties.
func (a additions) Judge(part learning.Part, addition int, y []float64) (right, of int) {
	return a.right(part, addition, a.sym.Answer(y)), 1
}

func (m *Model) Rulebook() learning.Rulebook { return rulebook{m.NeuPSL.Rulebook(), m} }

// Predict implements learning.Predictor: it answers as a test does, with the test's views, but
// without a draw of Gumbel noise where the test has one. Unless the
// images make whole additions they are read one by one only.
func (m *Model) Predict(paths []string) (learning.Prediction, error) {
	p, g, err := m.readOwn(paths)
	if err != nil {
		return nil, err
	}
	solver, err := m.NewSolver()
	if err != nil {
		return nil, err
	}
	n := len(p.Additions)
	if err := solver.Solve(g[:n*m.sym.Template.Deep], n, nil); err != nil {
		return nil, err
	}
	return p, m.answer(p, solver)
}

// answer writes what MAP inference has found for the additions.
func (m *Model) answer(p *Prediction, solver *mapstate.Solver) error {
	for a := range p.Additions {
		r := solver.Result(a)
		if r.Status == infer.Infeasible {
			return fmt.Errorf("addition %d: %w", a+1, r.Err())
		}
		p.Additions[a].Constants = m.sym.images()
		p.Additions[a].Answer = m.sym.Answer(r.Y)
		p.Additions[a].Tied = m.sym.tied(r.Y, solver.Certificate(a).Gap, m.cfg.Symbolic.Epsilon)
		p.Additions[a].Explanation = solver.Explain(a)
	}
	return nil
}

var (
	_ learning.Model    = (*Model)(nil)
	_ learning.Reporter = (*Model)(nil)
)
