package mapinfer

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

	"hinge/internal/cli"
	"hinge/optim"
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
	if !slices.Contains(exact, j.name) && c.Gap == 0 {
		c.Gap = referenceGap
		if j.m.Options.Gap > 0 {
			c.Gap = j.m.Options.Gap
		}
	}
	var epoch atomic.Int64
	j.progress.start("learning by "+j.loss, func() string { return fmt.Sprintf("step %d of at most %d", epoch.Load(), c.Epochs) })
	if l.Result, err = weights.Learn(j.stop.ctx, problem, c, func(p weights.Progress) { epoch.Store(int64(p.Epoch)) }); err != nil {
		return j.learningError(err)
	}
	l.start = slices.Clone(j.instance.Weights)
	if err := optim.ToSimplex(l.start); err != nil {
		return err
	}
	return j.finish(l)
}

// finish rates what was learned, writes it and reports it.
func (j *job) finish(l *learned) (err error) {
	if l.before, err = j.rate(l.start); err != nil {
		return err
	}
	if l.after, err = j.rate(l.Weights); err != nil {
		return err
	}
	for i, r := range l.rules {
		r.Weight = l.Weights[i]
	}
	if err := j.stop.ctx.Err(); err != nil {
		return err
	}
	j.stop.writing.Store(true)
	j.progress.close()
	if err := j.writeRules(l); err != nil {
		return err
	}
	if j.json {
		err = j.writeLearnedJSON(l)
	} else {
		err = j.writeLearned(l)
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
			r, err := e.Evaluate(j.m.Sample(e.Predicate, y))
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
	if err := j.instance.SetWeights(w); err != nil {
		return nil, err
	}
	if err := infer.Solve(j.instance, nil, infer.Settings{Workers: j.threads}, &j.result); err != nil {
		return nil, err
	}
	if j.result.Status == infer.Infeasible {
		return nil, j.infeasible(j.result.Certificate)
	}
	return j.m.Evaluate(j.result.Y)
}

// writeRules writes the learned rules to rules.psl in the folder of -out.
func (j *job) writeRules(l *learned) error {
	if j.out == "" {
		return nil
	}
	l.file = filepath.Join(j.out, "rules.psl")
	if sameFile(l.file, j.m.Rules.Rules[0].Pos.File) {
		return cli.Usage("-out: %s is the file the rules come from; name another folder", l.file)
	}
	if err := writeFile(l.file, func(w *bufio.Writer) error {
		_, err := w.WriteString(j.m.Rules.String())
		return err
	}); err != nil {
		return cli.Usage("-out: %v", err)
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
