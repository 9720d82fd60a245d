package infer

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"hinge/app/cli"
	"hinge/app/infer/problem"
	"hinge/app/watch"
	"hinge/symbolic/facts"
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

// learned is the result of the stage learn.
type learned struct {
	*problem.Problem // of the partition learned from
	config           config.Config
	reference        bool // by the model's options, as the reference has them
	// inferred is the ε of inference, which written rules name: that of learning, or of the reference's inference.
	inferred float64
	// result is what the run came to.
	result      record.Result
	interrupted bool
	// which tells, after an interrupt, which of the weights so far are kept: "best" or "last".
	which string
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
func (c *command) learn(in *problem.Input, infers bool) (*learned, error) {
	for _, p := range in.Predicates {
		if p.Integer {
			c.Warn("learning takes values of %s between 0 and 1, though the predicate is integer: inference does not", p.Name)
		}
	}
	l := &learned{reference: c.Loss == ""}
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
	if !l.interrupted && (!infers || l.Primary() >= 0) {
		if err := l.rateBoth(c); err != nil {
			return nil, err
		}
	}
	for i, r := range l.rules {
		r.Weight = l.weights[i]
	}
	if c.Threshold != "" && !l.interrupted {
		if err := c.decide(in, l); err != nil {
			return nil, err
		}
	}
	if infers && !l.interrupted {
		err = l.writeRules(c.Stop, m)
		c.Stop.Release()
		return l, err
	}
	return l, l.report(c, m)
}

// learner grounds what is learned from and makes the model that learns.
func (c *command) learner(l *learned, in *problem.Input) (m *modelfile.Rules, err error) {
	if _, err := os.Stat(filepath.Join(in.Out, record.MetricsFile)); err == nil && in.Out != "" {
		return nil, cli.Usage("-out: %s has a run of cmd/train, whose %s learning would replace; choose another folder", in.Out, record.ResultFile)
	}
	var validates bool
	if l.reference {
		if validates, err = l.referenceSettings(c, in); err != nil {
			return nil, err
		}
	} else if err := l.settings(c, in); err != nil {
		return nil, err
	}
	l.inferred = cmp.Or(l.inferred, in.Epsilon)
	if l.Problem, err = c.Ground(in); err != nil {
		return nil, err
	}
	if err := c.WarnAbout(l.Problem); err != nil {
		return nil, err
	}
	var validation *modelfile.Ground
	if validates {
		if validation, err = c.validation(in); err != nil {
			return nil, err
		}
	}
	solver, err := in.LearningSolver(&l.config)
	if err == nil {
		m, err = modelfile.NewRules(l.config, modelfile.Ground{Model: l.Model, Template: l.Instance.Template}, validation, solver)
	}
	if err == nil {
		m.Epsilon = l.inferred
	}
	if infeasible, ok := errors.AsType[*infer.InfeasibleError](err); ok {
		err = cli.WithCode(exit.Infeasible, "the labels contradict the hard rules: "+strings.TrimPrefix(infeasible.Error(), "infer: "))
	}
	return m, problem.FromTraining("", err)
}

// validation grounds the partition validation.
func (c *command) validation(learn *problem.Input) (*modelfile.Ground, error) {
	in, err := c.Read(model.Validation)
	if err != nil {
		return nil, err
	}
	in.Epsilon = learn.Epsilon
	p, err := c.Ground(in)
	if err != nil {
		return nil, err
	}
	if p.Primary() < 0 {
		return nil, cli.Usage("%s: validation needs an evaluator", p.File)
	}
	return &modelfile.Ground{Model: p.Model, Template: p.Instance.Template}, c.WarnAbout(p)
}

// settings are those of -learn: the defaults of cmd/train, over which come what -epsilon, -gap
// and -method say and then -set.
func (l *learned) settings(c *command, in *problem.Input) (err error) {
	own := &modelfile.Options{Model: in.File}
	if l.config, err = (modelfile.Task{}).Defaults(config.Config{Task: modelfile.Task{}.Names()[0], Loss: c.Loss, System: "neupsl", Options: own}); err != nil {
		return problem.FromTraining("-learn: ", err)
	}
	s := &l.config.Symbolic
	s.Solver, s.Epsilon, s.Gap = in.Method, in.Epsilon, c.Gap
	l.config.Training.NoTest = true
	l.config.Options.(*modelfile.Options).Model = in.File
	var told config.Config
	for _, text := range c.SettingsSet {
		_, _ = told.SetText(text) // what is wrong with it is said below
		key, err := l.config.SetText(text)
		if err == nil {
			err = l.config.CheckUse(key, learning.Users([]learning.Task{modelfile.Task{}}))
		}
		if err != nil {
			return problem.FromTraining("-set: ", err)
		}
		switch key {
		case "options.threshold":
			return cli.Usage("-set: %s is for cmd/train; give -threshold, which is kept with the learned rules", key)
		case "task", "loss", "recipe", "system", "options.model", "training.no-test", "training.checkpoint-every", "training.keep":
			return cli.Usage("-set: %s is for cmd/train; -model names the model and -learn the loss, there is no test, and nothing is kept but the rules", key)
		}
	}
	l.config.Training.Budget(told.Training)
	in.Method, in.Epsilon = s.Solver, s.Epsilon
	return nil
}

// follow makes the run, in a folder of its own.
func (c *command) follow(l *learned, m *modelfile.Rules) error {
	dir, err := os.MkdirTemp("", "hinge-learn-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // what is left is in the folder for such things
	var steps atomic.Int64
	c.Progress.Start("learning by "+l.config.Loss, func() string { return fmt.Sprintf("step %d", steps.Load()) })
	l.result, err = train.Run(c.Stop.Ctx, l.config, m, train.Options{Dir: dir, Observer: &learningWatch{stop: c.Stop, steps: &steps}})
	switch {
	case errors.Is(err, train.ErrInterrupted):
		l.interrupted, l.which = true, "last"
		if tested, err := train.OpenTested(dir, nil); err == nil && !l.config.Training.LastWeights && !l.result.Unjudged {
			copy(m.Weights(), tested.Weights)
			l.which = "best"
		}
		l.weights = slices.Clone(m.Weights())
		l.result.Stopped, l.result.Rules = stoppedInterrupt, m.Rules()
		return nil
	case err != nil:
		if infeasible, ok := errors.AsType[*infer.InfeasibleError](err); ok {
			err = cli.WithCode(exit.Infeasible, strings.TrimPrefix(infeasible.Error(), "infer: "))
		}
		return problem.FromTraining("", err)
	}
	l.weights = slices.Clone(m.Weights())
	if l.Out == "" {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(dir, record.ResultFile))
	if err == nil {
		err = facts.Replace(filepath.Join(l.Out, record.ResultFile), data)
	}
	return err
}

// learningWatch observes a run.
type learningWatch struct {
	train.Nobody
	stop  *watch.Stopper
	steps *atomic.Int64
}

func (o *learningWatch) Step(step int, _ record.Metric) { o.stop.Hold(); o.steps.Store(int64(step)) }

// ratedAlike is the difference between two scores up to which they count as equal: solvers that end
// within their tolerances differ by less.
const ratedAlike = 1e-6

// rateBoth rates the first and the learned weights by the same inference, and warns if the
// learned ones are worse.
func (l *learned) rateBoth(c *command) (err error) {
	if l.before, err = l.rate(l.start); err != nil {
		return err
	}
	if l.after, err = l.rate(l.weights); err != nil {
		return err
	}
	at := l.Primary()
	if at < 0 || !(l.after[at].Score < l.before[at].Score-ratedAlike) {
		return nil
	}
	hint := "-learn with -set training.last-weights=false takes the best of the steps that are rated, every 5th (training.valid-every) and the last; -learn=none infers with the weights as written"
	m := l.after[at].Metrics[l.after[at].Representative]
	c.Add(model.Warning{Loud: true, Warning: psl.Warning{Pos: psl.Pos{File: l.File}, Hint: hint, Msg: fmt.Sprintf(
		"the learned weights are rated worse in the partition %s than those that learning began with: %s, %s was %.6f and is %.6f",
		l.Partition, l.after[at].Predicate, m.Name, l.before[at].Metrics[l.after[at].Representative].Value, m.Value)}})
	return nil
}

// rate infers with the given weights and evaluates.
func (l *learned) rate(w []float64) ([]model.Result, error) {
	if err := l.Instance.SetWeights(w); err != nil {
		return nil, err
	}
	var r infer.Result
	if err := infer.Solve(l.Instance, nil, infer.Settings{Workers: l.Threads}, &r); err != nil {
		return nil, err
	}
	if r.Status == infer.Infeasible {
		return nil, l.Infeasible(r.Certificate)
	}
	return l.Evaluate(r.Y, l.Outputs)
}

// apply gives what was learned to a model that is inferred: the rules of all partitions
// with the learned weights and their ε, and the rules of its own partition unchanged.
func (l *learned) apply(in *problem.Input) {
	own := in.Rules.Rules[len(in.Rules.Rules)-in.Own:]
	in.Rules = &psl.Program{Rules: slices.Concat(l.Rules.Rules, own)}
	in.Rules.Distinct()
	in.Options.Normalize, in.Epsilon = false, l.inferred
}
