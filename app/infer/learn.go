package infer

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"hinge/app/cli"
	"hinge/symbolic/infer"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/train/weights"
)

// learned is the outcome of -learn.
type learned struct {
	*weights.Result
	// rules are the soft rules, in the order of the weights; start are the
	// weights learning began with.
	rules []*psl.Rule
	start []float64
	// before and after are the metrics with the weights of the start and with
	// those that were learned.
	before, after []model.Result
	file          string
	// loss and epsilon are those of learning.
	loss    string
	epsilon float64
}

// learn learns the weights and writes them.
func (j *job) learn() error {
	l := new(learned)
	j.warnOfIntegers()
	var err error
	if l.rules, err = j.softRules(); err != nil {
		return err
	}
	if _, err := j.ruleFiles(); err != nil {
		return err // better now than after an hour of learning
	}
	problem, err := j.learningProblem()
	if err != nil {
		return err
	}
	method, err := j.inferenceMethod()
	if err != nil {
		return err
	}
	c := j.Config
	c.Epsilon, c.Gap = j.epsilon, j.gap
	c.Solver = infer.Settings{Method: method, Workers: j.threads, MaxIterations: j.m.Options.MaxIterations(j.name)}
	if !isExact(j.name) && c.Gap == 0 {
		c.Gap = referenceGap
		if j.m.Options.Gap > 0 {
			c.Gap = j.m.Options.Gap
		}
	}
	var epoch atomic.Int64
	j.progress.start("learning by "+j.loss, func() string { return fmt.Sprintf("step %d of at most %d", epoch.Load(), c.Epochs) })
	if l.start, err = startWeights(slices.Clone(j.instance.Weights), c.Method); err != nil {
		return err
	}
	l.Result, err = weights.Learn(j.stop.ctx, problem, c, func(p weights.Progress) {
		j.stop.hold()
		epoch.Store(int64(p.Epoch))
	})
	switch {
	case err == nil:
	case l.Result != nil && j.stop.ctx.Err() != nil:
		l.Stopped = stoppedInterrupt
	default:
		return j.learningError(err)
	}
	return j.finish(l)
}

// finish rates what was learned, writes it and reports it.
//
// What was learned until an interrupt is written, but not rated: that may take long.
func (j *job) finish(l *learned) (err error) {
	interrupted := l.Stopped == stoppedInterrupt
	if !interrupted {
		if l.before, err = j.rate(l.start); err != nil {
			return err
		}
		if l.after, err = j.rate(l.Weights); err != nil {
			return err
		}
	}
	for i, r := range l.rules {
		r.Weight = l.Weights[i]
	}
	j.stop.write()
	j.progress.close()
	if err := j.writeRules(l); err != nil {
		return err
	}
	if j.json {
		err = j.writeLearnedJSON(l)
	} else {
		err = j.writeLearned(l)
	}
	if interrupted {
		where := "printed"
		if l.file != "" {
			where = "in " + l.file
		}
		return errors.Join(err, &interruptedError{fmt.Sprintf("after %s of learning: the weights so far are %s", count(l.Epochs, "step"), where)})
	}
	if j.check && l.Unsolved > 0 {
		err = errors.Join(err, &unsolvedError{fmt.Sprintf("-check: %d of %s stopped before their tolerance", l.Unsolved, count(l.Solves, "inference"))})
	}
	return err
}

// softRules returns the model's soft rules, one a weight.
func (j *job) softRules() ([]*psl.Rule, error) {
	var soft []*psl.Rule
	for _, r := range j.m.Rules.Rules {
		if !r.Hard {
			soft = append(soft, r)
		}
	}
	if len(soft) == 0 {
		return nil, cli.Usage("-learn: the model has no weighted rule")
	}
	for i, g := range j.program.Rules {
		if i >= len(soft) || g.Source != soft[i].Pos.String() {
			return nil, cli.Usage("-learn: %s: a rule whose filters hold disjunctions has several weights; write a rule for each of them", g.Source)
		}
	}
	return soft, nil
}

// learningProblem takes labels and score from the model. Truth of evaluated
// predicates must be there; the first evaluation, or the primary one, decides
// when learning ends.
func (j *job) learningProblem() (weights.Problem, error) {
	p := weights.Problem{Template: j.instance.Template, Labels: make([]float64, j.instance.Targets)}
	known := 0
	for i := range p.Labels {
		v, ok := j.m.Data.TruthValue(i)
		if p.Labels[i] = v; !ok {
			p.Labels[i] = math.NaN()
			continue
		}
		known++
	}
	if known == 0 {
		return p, &model.DataError{Err: fmt.Errorf("%s: no target has a true value: there is nothing to learn from", j.m)}
	}
	at := -1
	for i, e := range j.m.Evaluations {
		if at < 0 || e.Primary {
			at = i
		}
	}
	if at >= 0 {
		p.Score = func(y []float64) (float64, error) {
			e := j.m.Evaluations[at]
			r, err := e.Evaluate(j.m.Sample(e.Predicate, y, nil))
			return r.Score, err
		}
	}
	return p, nil
}

// learningError gives an error of learning its kind.
func (j *job) learningError(err error) error {
	var infeasible *infer.InfeasibleError
	if errors.As(err, &infeasible) {
		return &infeasibleError{"the labels contradict the hard rules: " + strings.TrimPrefix(infeasible.Error(), "infer: ")}
	}
	return err
}

// rate infers with the given weights and evaluates.
func (j *job) rate(w []float64) ([]model.Result, error) {
	if err := j.inferWith(w); err != nil {
		return nil, err
	}
	return j.m.Evaluate(j.result.Y, j.outputs)
}

// inferWith infers with the given weights.
func (j *job) inferWith(w []float64) error {
	if err := j.instance.SetWeights(w); err != nil {
		return err
	}
	if err := infer.Solve(j.instance, nil, infer.Settings{Workers: j.threads}, &j.result); err != nil {
		return err
	}
	if j.result.Status == infer.Infeasible {
		return j.infeasible(j.result.Certificate)
	}
	return nil
}

// ruleFile is a file for the learned rules, and who asks for it.
type ruleFile struct{ flag, path string }

// ruleFiles lists where the learned rules go: to rules.psl in the folder of -out,
// and to the file that the model names.
func (j *job) ruleFiles() ([]ruleFile, error) {
	var files []ruleFile
	if j.out != "" {
		files = append(files, ruleFile{"-out", filepath.Join(j.out, "rules.psl")})
	}
	if path := j.m.Options.Learning.OutputModel; path != "" {
		files = append(files, ruleFile{"runtime.learn.output.model.path", path})
	}
	for _, f := range files {
		if sameFile(f.path, j.m.Rules.Rules[0].Pos.File) {
			return nil, cli.Usage("%s: %s is the file the rules come from; name another", f.flag, f.path)
		}
	}
	return files, nil
}

// writeRules writes the learned rules as their source has them, with its comments
// and layout, if they come from one file.
func (j *job) writeRules(l *learned) error {
	files, err := j.ruleFiles()
	if err != nil {
		return err
	}
	text, ok := j.m.Rules.Rewrite()
	if !ok {
		text = j.m.Rules.String()
	}
	for _, f := range files {
		if err := writeFile(f.path, func(w *bufio.Writer) error {
			_, err := w.WriteString(text)
			return err
		}); err != nil {
			return cli.Usage("%s: %v", f.flag, err)
		}
		l.file = f.path
		j.stop.wrote(f.path)
	}
	return nil
}

// sameFile tells whether two names are those of one file.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
