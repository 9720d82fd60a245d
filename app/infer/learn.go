package infer

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"hinge/app/cli"
	"hinge/app/watch"
	"hinge/symbolic/infer"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/exit"
	"hinge/train/learning"
	"hinge/train/modelfile"
	"hinge/train/record"
)

// learnNone is the value of -learn that keeps the weights as written.
const learnNone = "none"

// onlyLearns reports whether -learn asks for weights and no inference.
func (o *options) onlyLearns() bool { return o.loss != "" && o.loss != learnNone }

// learnsFirst reports whether the model is learned before it is inferred: runtime.learn or
// --learn asks for it, there are no networks (cmd/train learns those), and no flag names a
// partition, rules or a loss.
func (o *options) learnsFirst(m *model.Model) bool {
	return m.Options.Learn != nil && *m.Options.Learn && o.loss == "" && o.rules == "" && m.Data.DeepAtoms() == 0 && m.Partition == model.Infer && !o.partitionSet
}

// learned is the result of the stage learn.
type learned struct {
	*problem  // of the partition learned from
	config    config.Config
	reference bool // by the model's options, as the reference has them
	// result is what the run came to; of one that was interrupted, steps and rules alone.
	result      record.Result
	interrupted bool
	// rules are the soft rules in the order of the weights, start are the weights with which
	// learning began.
	rules          []*psl.Rule
	start, weights []float64
	// before and after are the metrics with the first and with the learned weights.
	before, after []model.Result
	file          string
}

// learn learns the weights and writes them. Where no inference follows, they are rated and
// reported, too. After an interrupt the weights so far are written and reported; rating
// them may take long and is left out, and the error says that learning was interrupted.
func (c *command) learn(in *input, infers bool) (*learned, error) {
	for _, p := range in.Predicates {
		if p.Integer {
			c.warn("learning takes values of %s between 0 and 1, though the predicate is integer: inference does not", p.Name)
		}
	}
	l := &learned{reference: c.loss == ""}
	m, err := c.learner(l, in)
	if err != nil {
		return nil, err
	}
	if _, err := l.ruleFiles(); err != nil {
		return nil, err // now, not after an hour of learning
	}
	for _, r := range l.Rules.Rules {
		if !r.Hard {
			l.rules = append(l.rules, r)
		}
	}
	l.start = slices.Clone(m.Weights())
	if err := c.follow(l, m); err != nil {
		return nil, err
	}
	if !l.interrupted && (!infers || l.primary() >= 0) {
		if err := l.rateBoth(c); err != nil {
			return nil, err
		}
	}
	for i, r := range l.rules {
		r.Weight = l.weights[i]
	}
	if c.threshold != "" && !l.interrupted {
		if err := c.decide(in, l); err != nil {
			return nil, err
		}
	}
	if infers && !l.interrupted {
		err = l.writeRules(c.stop, m)
		c.stop.Release()
		return l, err
	}
	return l, l.report(c, m)
}

// learner grounds what is learned from and makes the model that learns.
func (c *command) learner(l *learned, in *input) (m *modelfile.Rules, err error) {
	var validates bool
	if l.reference {
		if validates, err = l.referenceSettings(c, in); err != nil {
			return nil, err
		}
	} else if err := l.settings(c, in); err != nil {
		return nil, err
	}
	if l.problem, err = c.ground(in); err != nil {
		return nil, err
	}
	if err := c.warnAbout(l.problem); err != nil {
		return nil, err
	}
	var validation *modelfile.Ground
	if validates {
		if validation, err = c.validation(in); err != nil {
			return nil, err
		}
	}
	solver, err := in.learningSolver(&l.config)
	if err == nil {
		m, err = modelfile.NewRules(l.config, modelfile.Ground{Model: l.Model, Template: l.instance.Template}, validation, solver)
	}
	if infeasible, ok := errors.AsType[*infer.InfeasibleError](err); ok {
		err = cli.WithCode(exit.Infeasible, "the labels contradict the hard rules: "+strings.TrimPrefix(infeasible.Error(), "infer: "))
	}
	return m, fromTraining("", err)
}

// validation grounds the partition validation.
func (c *command) validation(learn *input) (*modelfile.Ground, error) {
	in, err := c.read(model.Validation)
	if err != nil {
		return nil, err
	}
	in.epsilon = learn.epsilon
	p, err := c.ground(in)
	if err != nil {
		return nil, err
	}
	if p.primary() < 0 {
		return nil, cli.Usage("%s: validation needs an evaluator", p.File)
	}
	return &modelfile.Ground{Model: p.Model, Template: p.instance.Template}, c.warnAbout(p)
}

// settings are those of -learn: the defaults of cmd/train, over which come what -epsilon, -gap
// and -method say and then -set.
func (l *learned) settings(c *command, in *input) (err error) {
	own := &modelfile.Options{Model: in.File}
	if l.config, err = (modelfile.Task{}).Defaults(config.Config{Task: modelfile.Task{}.Names()[0], Loss: c.loss, System: "neupsl", Options: own}); err != nil {
		return fromTraining("-learn: ", err)
	}
	s := &l.config.Symbolic
	s.Solver, s.Epsilon, s.Gap = in.method, in.epsilon, c.gap
	l.config.Training.NoTest = true
	l.config.Options.(*modelfile.Options).Model = in.File
	var told config.Config
	for _, text := range c.settingsSet {
		_, _ = told.SetText(text) // what is wrong with it is said below
		key, err := l.config.SetText(text)
		if err == nil {
			err = l.config.CheckUse(key, learning.Users([]learning.Task{modelfile.Task{}}))
		}
		if err != nil {
			return fromTraining("-set: ", err)
		}
	}
	l.config.Training.Budget(told.Training)
	in.method, in.epsilon = s.Solver, s.Epsilon
	return nil
}

// learningSolver are the settings of inference while weights are learned. A method that comes
// near the optimum alone stops at the gap of -gap or of the model, multipliers and hard rules
// as near as it.
func (in *input) learningSolver(cfg *config.Config) (*infer.Settings, error) {
	method, err := in.inferenceMethod()
	if err != nil {
		return nil, err
	}
	s := infer.Settings{Method: method, Workers: in.threads, MaxIterations: in.Options.MaxIterations(in.method)}
	gap := cfg.Symbolic.Gap
	if gap == 0 && !isExact(in.method) {
		gap = cmp.Or(in.Options.Gap, referenceGap)
	}
	if gap > 0 {
		s.GapTolerance, s.GapAbsolute = math.SmallestNonzeroFloat64, gap
		s.FeasibilityTolerance, s.StationarityTolerance = min(gap, 1e-3), gap
	}
	return &s, nil
}

// follow makes the run, in a folder of its own.
func (c *command) follow(l *learned, m *modelfile.Rules) error {
	dir, err := os.MkdirTemp("", "hinge-learn-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // what is left is in the folder for such things
	var steps atomic.Int64
	c.progress.Start("learning by "+l.config.Loss, func() string { return fmt.Sprintf("step %d", steps.Load()) })
	l.result, err = train.Run(c.stop.Ctx, l.config, m, train.Options{Dir: dir, Observer: &learningWatch{c.stop, &steps}})
	l.weights = slices.Clone(m.Weights())
	switch {
	case errors.Is(err, train.ErrInterrupted):
		l.interrupted = true
		l.result.Stopped, l.result.Steps, l.result.Rules = stoppedInterrupt, int(steps.Load()), m.Rules()
		if tested, err := train.OpenTested(dir, nil); err == nil {
			l.weights = tested.Weights
		}
		return nil
	case err != nil:
		if infeasible, ok := errors.AsType[*infer.InfeasibleError](err); ok {
			err = cli.WithCode(exit.Infeasible, strings.TrimPrefix(infeasible.Error(), "infer: "))
		}
		return fromTraining("", err)
	}
	if l.out == "" {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(dir, record.ResultFile))
	if err == nil {
		err = record.Replace(filepath.Join(l.out, record.ResultFile), data)
	}
	return err
}

// learningWatch observes a run.
type learningWatch struct {
	stop  *watch.Stopper
	steps *atomic.Int64
}

func (*learningWatch) Start(train.Plan)                     {}
func (*learningWatch) Note(string)                          {}
func (*learningWatch) Valid(int, record.Metric, train.Fate) {}
func (*learningWatch) Done()                                {}
func (o *learningWatch) Step(step int, _ record.Metric)     { o.stop.Hold(); o.steps.Store(int64(step)) }

// primary is the place of the evaluation that learning is judged by, -1 without any.
func (p *problem) primary() int {
	if len(p.Evaluations) == 0 {
		return -1
	}
	return max(0, slices.IndexFunc(p.Evaluations, func(e model.Evaluation) bool { return e.Primary }))
}

// rateBoth rates the first and the learned weights by the same inference, and warns if the
// learned ones are worse.
func (l *learned) rateBoth(c *command) (err error) {
	if l.before, err = l.rate(l.start); err != nil {
		return err
	}
	if l.after, err = l.rate(l.weights); err != nil {
		return err
	}
	at := l.primary()
	if at < 0 || !(l.after[at].Score < l.before[at].Score) {
		return nil
	}
	hint := "-learn with -set training.last-weights=false takes the best of all steps, -learn=none none"
	m := l.after[at].Metrics[l.after[at].Representative]
	c.add(model.Warning{Loud: true, Warning: psl.Warning{Pos: psl.Pos{File: l.File}, Hint: hint, Msg: fmt.Sprintf(
		"the learned weights are rated worse in the partition %s than those that learning began with: %s, %s was %.4g and is %.4g",
		l.Partition, l.after[at].Predicate, m.Name, l.before[at].Metrics[l.after[at].Representative].Value, m.Value)}})
	return nil
}

// rate infers with the given weights and evaluates.
func (l *learned) rate(w []float64) ([]model.Result, error) {
	if err := l.instance.SetWeights(w); err != nil {
		return nil, err
	}
	var r infer.Result
	if err := infer.Solve(l.instance, nil, infer.Settings{Workers: l.threads}, &r); err != nil {
		return nil, err
	}
	if r.Status == infer.Infeasible {
		return nil, l.infeasible(r.Certificate)
	}
	return l.Evaluate(r.Y, l.outputs)
}

// apply gives what was learned to a model that is inferred: the rules of all partitions
// with the learned weights and their ε, and the rules of its own partition unchanged.
func (l *learned) apply(in *input) {
	own := in.Rules.Rules[len(in.Rules.Rules)-in.Own:]
	in.Rules = &psl.Program{Rules: slices.Concat(l.Rules.Rules, own)}
	in.Rules.Distinct()
	in.Options.Normalize, in.epsilon = false, l.epsilon
}
