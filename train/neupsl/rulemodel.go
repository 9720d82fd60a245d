package neupsl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"hinge/bilevel"
	"hinge/nn"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/train/config"
	"hinge/train/half"
	"hinge/train/learning"
	"hinge/train/mapstate"
)

// RuleData is a part of the data of a RuleModel, which is one example.
type RuleData struct {
	// Template is the program, without neural outputs.
	Template *lcqp.Template
	// Labels are the true values of the targets, in [0, 1]; NaN where a target is latent. Only
	// those of TrainPart are looked at.
	Labels []float64
	// Integers are the targets whose values are 0 or 1 in tests. Learning, and validation during a
	// run, take values between.
	Integers []int
	// Score rates inferred values of the targets, larger being better, by a number of true
	// values. Nil rates all alike, and infers nothing.
	Score func(y []float64) (score float64, known int, err error)
}

// RuleSetup is what a RuleModel is made of.
type RuleSetup struct {
	// Parts are the data: TrainPart, ValidPart and, unless there is no test, TestPart. All have
	// the same weighted rules.
	Parts map[learning.Part]RuleData
	// Solver, if not nil, is in the place of the configured settings of inference.
	Solver *infer.Settings
}

// RuleModel is a Model whose neural half is empty: the weights of rules are all that is learned,
// from one program over everything, which is the only example.
type RuleModel struct {
	half.Halves

	cfg   *config.Config
	parts map[learning.Part]RuleData
	value bilevel.Options
	infer map[learning.Part]*mapstate.Solver
}

// NewRuleModel builds the loss and the inference. Where the configuration has zero for it, the
// weight r of the Moreau term is twice the mean weight of a rule with ground rules, 2 over their number (much less, and
// M hardly depends on y; much more, and M is hardly an inference), and M − V ends learning below 1e-3·r a target, which bounds it for y far from inference.
func NewRuleModel(cfg config.Config, s RuleSetup) (*RuleModel, error) {
	m := &RuleModel{Halves: half.Halves{Network: &half.Network{Graph: nn.NoNetwork[float32]()}}, cfg: &cfg, parts: s.Parts, infer: map[learning.Part]*mapstate.Solver{}}
	learn := s.Parts[learning.TrainPart]
	if cfg.Training.Batch != 1 {
		return nil, config.Usage("training.batch", "%d: rules without networks are learned from all data in every step; leave it out", cfg.Training.Batch)
	}
	set, err := cfg.Objective()
	if err != nil {
		return nil, err
	}
	if s.Solver != nil {
		set.Value.Solver = *s.Solver
	}
	m.value = set.Value
	if set.Loss.Bilevel() {
		set.ProxWeight = cmp.Or(set.ProxWeight, 2/float64(max(len(lcqp.Grounded(learn.Template)), 1)))
		set.ConstraintTolerance = cmp.Or(set.ConstraintTolerance, 1e-3*set.ProxWeight*float64(max(learn.Template.Targets, 1)))
	}
	if err := m.checkLabels(learn); err != nil {
		return nil, err
	}
	w := learn.Template.Program().Weights()
	if !cfg.Symbolic.OffSimplex() {
		if w, err = half.StartWeights(learn.Template); err != nil {
			return nil, err
		}
	}
	o, err := bilevel.NewObjective(bilevel.Problem{
		Template: learn.Template, Samples: 1,
		Label: func(_ int, latent *lcqp.Instance) error { return bilevel.FixLabels(latent, learn.Labels) },
	}, set)
	if err != nil {
		return nil, err
	}
	m.RuleLoss, err = half.NewRuleLoss(o, m.Graph, w)
	return m, err
}

// checkLabels reports labels that are none, or that contradict the hard rules, before an error
// from the depths of the graph would say so less well.
func (m *RuleModel) checkLabels(d RuleData) error {
	if d.Template.Deep > 0 || len(d.Labels) != d.Template.Targets {
		return fmt.Errorf("train: want a program without neural outputs and a label, or NaN, for each of its %d targets; there are %d outputs and %d labels", d.Template.Targets, d.Template.Deep, len(d.Labels))
	}
	labelled := 0
	for i, v := range d.Labels {
		switch {
		case math.IsNaN(v):
		case v < 0 || v > 1:
			return &learning.DataError{Err: fmt.Errorf("the label of %s is %v, want a number in [0, 1]", d.Template.Program().Targets[i], v)}
		default:
			labelled++
		}
	}
	if labelled == 0 {
		return &learning.DataError{Err: errors.New("no target has a true value: there is nothing to learn from")}
	}
	in, err := d.Template.NewInstance(m.value.Epsilon)
	if err == nil {
		err = bilevel.FixLabels(in, d.Labels)
	}
	var r infer.Result
	if err == nil {
		err = infer.Solve(in, nil, infer.Settings{Workers: m.value.Solver.Workers}, &r)
	}
	if err == nil && r.Status == infer.Infeasible {
		return fmt.Errorf("the labels contradict the hard rules: %w", r.Err())
	}
	return err
}

func (m *RuleModel) Examples(part learning.Part) int {
	if _, ok := m.parts[part]; !ok {
		return 0
	}
	return 1
}

func (m *RuleModel) Gradient(step learning.Step, examples []int) (learning.Work, error) {
	m.Still = m.cfg.Symbolic.Still(step.Progress)
	return m.Step(examples, func() error { return m.Start(m.cfg, nil) }, func() error { return m.Run(step, nil) })
}

// Evaluate implements Model: MAP inference of the part's program, rated by its Score.
func (m *RuleModel) Evaluate(_ context.Context, part learning.Part) (learning.Score, error) {
	d, ok := m.parts[part.Data()]
	if !ok {
		return learning.Score{}, fmt.Errorf("train: there is no data part %q", part)
	}
	if d.Score == nil {
		return learning.Score{}, nil
	}
	y, spent, err := m.Infer(part)
	if err != nil {
		return learning.Score{}, err
	}
	s := learning.Score{Work: learning.SolverWork(spent, spent.Seconds)}
	if s.Accuracy, s.Examples, err = d.Score(y); err == nil && math.IsNaN(s.Accuracy) {
		err = errors.New("train: the score of the inferred values is NaN")
	}
	return s, err
}

// Infer infers the targets of a part with the weights in place. It starts cold, so that what it finds
// depends on the weights alone. The values stay until the next inference of the part.
func (m *RuleModel) Infer(part learning.Part) (y []float64, spent bilevel.Stats, err error) {
	d, at := m.parts[part.Data()], m.infer[part.Data()]
	if at == nil {
		if at, err = mapstate.NewSolver(m.cfg, d.Template, nil); err != nil {
			return nil, spent, err
		}
		at.Use(m.value.Solver)
		at.Integers = d.Integers
		m.infer[part.Data()] = at
	}
	at.Relaxed = part == learning.TrainPart || part == learning.ValidPart
	spent, err = at.Each(m.Weights(), nil, 1, nil, func(_ int, r *infer.Result) { y = r.Y })
	return y, spent, err
}

var _ learning.Model = (*RuleModel)(nil)
