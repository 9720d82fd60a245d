package infer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"hinge/optim"
	"hinge/symbolic/infer"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/train/exit"
	"hinge/train/weights"
)

// learned is what the stage learn makes.
type learned struct {
	*weights.Result
	*problem // of the partition learned from
	loss     string
	keep     weights.Keep
	// reference is true where the options of the model gave the steps of the reference.
	reference bool
	// rules are the soft rules in the order of the weights, start are the weights with which
	// learning began.
	rules []*psl.Rule
	start []float64
	// before and after are the metrics with the first and with the learned weights.
	before, after []model.Result
	file          string
}

// learn learns the weights and writes them. Where no inference follows, they are rated and
// reported, too. After an interrupt the weights so far are written and reported; rating
// them may take long and is left out, and the error says that learning was interrupted.
func (c *command) learn(plan *plan) (*learned, error) {
	for _, p := range plan.Predicates {
		if p.Integer {
			c.warn("learning takes values of %s between 0 and 1, though the predicate is integer: inference does not", p.Name)
		}
	}
	p, err := c.ground(plan.input)
	if err != nil {
		return nil, err
	}
	if err := c.warnAbout(p); err != nil {
		return nil, err
	}
	l := &learned{problem: p, loss: plan.loss, keep: plan.config.Keep, reference: plan.options != nil && plan.search == nil}
	if l.rules, err = softRules(p); err != nil {
		return nil, err
	}
	if _, err := p.ruleFiles(); err != nil {
		return nil, err // now, not after an hour of learning
	}
	data, err := p.labels()
	if err != nil {
		return nil, err
	}
	how := l.byGradients
	if plan.search != nil {
		how = l.bySearch
	}
	if err := how(c, plan, data); err != nil {
		if infeasible, ok := errors.AsType[*infer.InfeasibleError](err); ok {
			err = &codeError{exit.Infeasible, "the labels contradict the hard rules: " + strings.TrimPrefix(infeasible.Error(), "infer: ")}
		}
		return nil, err
	}
	interrupted := l.Stopped == stoppedInterrupt
	if !interrupted && (!plan.infers || plan.search == nil && l.primary() >= 0) { // a search has rated both
		if err := l.rateBoth(c); err != nil {
			return nil, err
		}
	}
	for i, r := range l.rules {
		r.Weight = l.Weights[i]
	}
	if plan.infers && !interrupted {
		err = l.writeRules(c.stop)
		c.stop.release()
		return l, err
	}
	return l, l.report(c, interrupted)
}

// labels takes the labels from the truth of the targets, and the score from the primary
// evaluation of the model, else the first one. Some target must have a true value.
func (p *problem) labels() (weights.Problem, error) {
	w := weights.Problem{Template: p.instance.Template, Labels: make([]float64, p.instance.Targets)}
	known := 0
	for i := range w.Labels {
		v, ok := p.Data.TruthValue(i)
		if w.Labels[i] = v; !ok {
			w.Labels[i] = math.NaN()
			continue
		}
		known++
	}
	if known == 0 {
		return w, &model.DataError{Err: fmt.Errorf("%s: no target has a true value: there is nothing to learn from", p.Model)}
	}
	if at := p.primary(); at >= 0 {
		e := p.Evaluations[at]
		w.Score = func(y []float64) (float64, error) {
			r, err := e.Evaluate(p.Sample(e.Predicate, y, nil))
			return r.Score, err
		}
	}
	return w, nil
}

// primary is the place of the evaluation that learning is judged by, -1 without any.
func (p *problem) primary() int {
	if len(p.Evaluations) == 0 {
		return -1
	}
	return max(0, slices.IndexFunc(p.Evaluations, func(e model.Evaluation) bool { return e.Primary }))
}

// rateBoth rates where learning began and what it came to by the same inference, and
// warns where that is worse.
func (l *learned) rateBoth(c *command) (err error) {
	if l.before, err = l.rate(l.start); err != nil {
		return err
	}
	if l.after, err = l.rate(l.Weights); err != nil {
		return err
	}
	at := l.primary()
	if at < 0 || !(l.after[at].Score < l.before[at].Score) {
		return nil
	}
	hint := "-learn with -keep best takes the best of all steps, -learn=none none"
	m := l.after[at].Metrics[l.after[at].Representative]
	c.add(model.Warning{Loud: true, Warning: psl.Warning{Pos: psl.Pos{File: l.File}, Hint: hint, Msg: fmt.Sprintf(
		"the learned weights are rated worse in the partition %s than those that learning began with: %s, %s was %.4g and is %.4g",
		l.Partition, l.after[at].Predicate, m.Name, l.before[at].Metrics[l.after[at].Representative].Value, m.Value)}})
	return nil
}

// byGradients learns by gradients.
func (l *learned) byGradients(c *command, plan *plan, data weights.Problem) (err error) {
	l.start = slices.Clone(l.instance.Weights)
	if plan.config.Method != optim.Gradient {
		if err := optim.ToSimplex(l.start); err != nil {
			return err
		}
	}
	if plan.fixed {
		// The reference scales the weights even where it does not learn them.
		l.Result = &weights.Result{Weights: slices.Clone(l.start), Stopped: weights.StoppedEpochs, BestScore: math.NaN()}
		return nil
	}
	if !plan.scored {
		data.Score = nil
	}
	ctx, cancel := context.WithCancel(c.stop.ctx)
	defer cancel()
	rules := &stopRules{Learning: plan.options, loss: plan.config.Loss, begin: time.Now(), weights: l.start, cancel: cancel, best: math.NaN()}
	if rules.validator, err = newValidator(c, plan, l.problem); err != nil {
		return err
	}
	var epoch atomic.Int64
	c.progress.start("learning by "+plan.loss, func() string { return fmt.Sprintf("step %d of at most %d", epoch.Load(), plan.config.Epochs) })
	l.Result, err = weights.Learn(ctx, data, plan.config, func(p weights.Progress) {
		c.stop.hold()
		epoch.Store(int64(p.Epoch))
		rules.after(&p)
	})
	if rules.err != nil {
		return rules.err
	}
	if l.Result == nil || err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	rules.finish(l.Result, c.stop.ctx.Err() != nil)
	return nil
}

// rate infers with the given weights and evaluates.
func (l *learned) rate(w []float64) ([]model.Result, error) {
	var r infer.Result
	if err := l.inferWith(w, infer.Settings{Workers: l.threads}, &r); err != nil {
		return nil, err
	}
	return l.Evaluate(r.Y, l.outputs)
}

// inferWith infers with the given weights.
func (p *problem) inferWith(w []float64, s infer.Settings, r *infer.Result) error {
	if err := p.instance.SetWeights(w); err != nil {
		return err
	}
	if err := infer.Solve(p.instance, nil, s, r); err != nil {
		return err
	}
	if r.Status == infer.Infeasible {
		return p.infeasible(r.Certificate)
	}
	return nil
}

// apply gives what was learned to a model that is inferred: the rules of all partitions
// with the learned weights, and the rules of its own partition unchanged.
func (l *learned) apply(in *input) {
	own := in.Rules.Rules[len(in.Rules.Rules)-in.Own:]
	in.Rules = &psl.Program{Rules: slices.Concat(l.Rules.Rules, own)}
	in.Rules.Distinct()
}

// steps counts what learning did: steps, or trials of a search.
func (l *learned) steps(n int) string {
	if l.Stopped == stoppedSearch {
		return count(n, "trial")
	}
	return count(n, "step")
}
