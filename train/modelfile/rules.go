package modelfile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hinge/bilevel"
	"hinge/optim"
	"hinge/symbolic/facts"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/symbolic/shortcut"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/neupsl"
)

// Rules is a model file without networks as the training loop sees it: the weights of its rules
// are learned from the partition learn, whole.
type Rules struct {
	*neupsl.RuleModel
	file
}

// Ground is a partition of a model that is loaded and grounded.
type Ground struct {
	Model    *model.Model
	Template *lcqp.Template
}

// NewRules is Task.Open for the partitions learn and validation of a model without networks that
// somebody else has read; without validation the weights are judged by learn. There is no test.
// A solver that is not nil is in the place of the configured settings of inference.
func NewRules(cfg config.Config, learn Ground, validation *Ground, solver *infer.Settings) (*Rules, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	m := &Model{file: file{cfg: cfg, parts: map[learning.Part]*part{learning.TrainPart: newPart(learn.Model, learn.Template)}}}
	if validation != nil {
		m.parts[learning.ValidPart] = newPart(validation.Model, validation.Template)
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	return newRules(cfg, m.parts, solver)
}

// newRules checks the settings and makes the loss.
func newRules(cfg config.Config, parts map[learning.Part]*part, solver *infer.Settings) (*Rules, error) {
	m := &Rules{file: file{cfg: cfg, parts: parts}}
	m.of = m
	if !bilevel.LossName(cfg.Loss).Kind().Everywhere {
		return nil, config.Usage("loss", "%s learns from the outputs of networks, and the model has none; choose one of %s", cfg.Loss, strings.Join(config.CommonLosses(), ", "))
	}
	if cfg.Symbolic.FreezeRules {
		return nil, config.Usage("symbolic.freeze-rules", "the model has no networks: there is nothing to learn but the weights of its rules; leave it out")
	}
	data := map[learning.Part]neupsl.RuleData{}
	for of, p := range parts {
		data[of] = neupsl.RuleData{Template: p.template, Labels: p.labels, Integers: integers(p.Model, p.template), Score: p.score()}
	}
	if _, err := soft(parts[learning.TrainPart].Model, parts[learning.TrainPart].template); err != nil {
		return nil, err
	}
	var err error
	m.RuleModel, err = neupsl.NewRuleModel(cfg, neupsl.RuleSetup{Parts: data, Solver: solver})
	if data, ok := errors.AsType[*learning.DataError](err); ok {
		err = &learning.DataError{Source: parts[learning.TrainPart].Model.String(), Err: data}
	}
	return m, err
}

// rulesDefaults are the defaults of a model file without networks. Its own ε beats that of the
// paper's experiments.
func rulesDefaults(c config.Config, m *model.Model) config.Config {
	c.Training = config.Training{Batch: 1, Epochs: 500, ValidEvery: 5, Patience: 50, Keep: 2, FixedBatches: true}
	c.Neural = config.Neural{LearningRate: 1e-2, Schedule: "constant", TemperatureMin: 1, TestTemperature: 1, Augment: "none", Pretrain: "none"}
	c.Symbolic = config.Symbolic{Solver: "auto", Epsilon: cmp.Or(m.Options.Epsilon, 0.01), WeightOptions: optim.WeightOptions{Step: 1e-2, Regularizer: optim.Regularizer{NegLog: 1e-3}}}
	c.Bilevel = bilevel.Lagrangian{
		PointStep: 0.1, InitialPenalty: 2, PenaltyGrowth: 2, InitialMultiplier: 0.1,
		MovementTolerance: 1e-2, TestEvery: 5, Stationarity: bilevel.StationarityMovement,
	}
	c.Options = &Options{RulesWeight: 1, alone: true}
	return c
}

// score rates values of the targets by the evaluation that judges the model; nil without one.
func (p *part) score() func(y []float64) (float64, int, error) {
	e, err := p.primary()
	if err != nil {
		return nil
	}
	return func(y []float64) (float64, int, error) {
		r, err := e.Evaluate(p.Sample(e.Predicate, y, nil))
		p.figure = figure(&r)
		return r.Score, r.Count, err
	}
}

// Evaluate implements learning.Model. A test is made at the threshold of the options.
func (m *Rules) Evaluate(ctx context.Context, of learning.Part) (learning.Score, error) {
	if of == learning.TestPart {
		if err := m.decide(); err != nil {
			return learning.Score{}, err
		}
	}
	s, err := m.RuleModel.Evaluate(ctx, of)
	if p := m.parts[of.Data()]; p != nil {
		s.Figure = p.figure
	}
	return s, err
}

// Rulebook implements learning.Model: the file's rules, whose shortcuts cannot be counted, as there are
// no networks.
func (m *Rules) Rulebook() learning.Rulebook { return m }

func (m *Rules) Shortcuts() (*shortcut.Problem, error) { return nil, nil }

// values infers a part of the data.
func (m *Rules) values(of learning.Part) (y, g []float64, err error) {
	y, _, err = m.Infer(of)
	return y, nil, err
}

// epsilonLine matches the line in a rule file that says by which ε its weights were learned, whatever ends it.
var epsilonLine = regexp.MustCompile(`(?m)^\x{FEFF}?# epsilon = (.*?)[ \t\r]*$\n?`)

// EpsilonOf returns the ε that the weights of a rule file were learned with, 0 where the file has
// none.
func EpsilonOf(file string, rules []byte) (float64, error) {
	at := epsilonLine.FindSubmatchIndex(rules)
	if at == nil {
		return 0, nil
	}
	text := string(rules[at[2]:at[3]])
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0 && v < 1e300) {
		line := 1 + bytes.Count(rules[:at[2]], []byte("\n"))
		return 0, &model.Error{Pos: psl.Pos{File: file, Line: line, Col: 1}, Msg: fmt.Sprintf("the epsilon is %s, want a positive number", facts.Show(text))}
	}
	return v, nil
}

// WriteRules implements learning.Rulebook: the rules with their weights and the ε that they are
// inferred with, as their source has them, with its comments and layout, if they come from one file.
func (f *file) WriteRules(w io.Writer) error {
	p, weights := f.parts[learning.TrainPart], f.of.Weights()
	rules, err := soft(p.Model, p.template)
	if err != nil {
		return err
	}
	written := &psl.Program{Rules: slices.Clone(p.Rules.Rules)}
	for i, r := range rules {
		learned := *r
		learned.Weight = weights[i]
		written.Rules[slices.Index(p.Rules.Rules, r)] = &learned
	}
	text, ok := written.Rewrite()
	if !ok {
		text = written.String()
	}
	_, text, _ = model.ThresholdsOf("", text) // of an earlier run
	_, err = fmt.Fprintf(w, "# epsilon = %v\n%s%s", cmp.Or(f.Epsilon, f.cfg.Symbolic.Epsilon), p.Decided().Lines(), epsilonLine.ReplaceAllString(text, ""))
	return err
}

func (f *file) Sources() (files []string) {
	for _, p := range f.parts {
		for _, r := range p.Rules.Rules {
			files = append(files, r.Pos.File)
		}
		for _, q := range p.Predicates {
			if q.Network != nil {
				files = append(files, q.Network.ONNX)
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// soft returns the soft rules of a model, one for each weight.
func soft(m *model.Model, t *lcqp.Template) ([]*psl.Rule, error) {
	list := slices.DeleteFunc(slices.Clone(m.Rules.Rules), func(r *psl.Rule) bool { return r.Hard })
	if len(list) == 0 {
		return nil, &config.UsageError{Key: "model", Problem: m.File + ": the model has no weighted rule"}
	}
	for i, g := range t.Program().Rules {
		if i >= len(list) || g.Source != list[i].Pos.String() {
			return nil, &config.UsageError{Key: "model", Problem: g.Source + ": a rule whose filters hold disjunctions has several weights; write a rule for each of them"}
		}
	}
	return list, nil
}

var _ learning.Reporter = (*Rules)(nil)
