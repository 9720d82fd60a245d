package infer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"hinge/app/cli"
	"hinge/bilevel"
	"hinge/optim"
	"hinge/symbolic/infer"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/train/weights"
)

// learnsFirst tells whether the model is learned before it is inferred: it has
// data to learn from and no networks, which cmd/train learns, and nobody named a
// partition, weights or -learn.
func (j *job) learnsFirst() bool {
	return j.m.Learns && j.loss == "" && j.rules == "" && j.m.Data.DeepAtoms() == 0 && j.partition == string(model.Infer) && !j.partitionSet
}

// learnFirst learns the weights from the partition learn with the method and the
// parameters of the model, as the reference does, and gives them to the rules to
// infer with. A model without data to infer is only learned.
func (j *job) learnFirst() error {
	o := *j.options
	o.partition = string(model.Learn)
	k := newJob(&o, j.stop, j.progress, j.stdout)
	k.doubts = j.doubts
	if err := k.load(); err != nil {
		return err
	}
	k.warnOfIntegers()
	options := &k.m.Options.Learning
	instead, err := options.Check()
	if err != nil {
		return err
	}
	for _, text := range instead {
		k.add(model.Warning{Warning: psl.Warning{Pos: psl.Pos{File: k.m.File}, Msg: text}, Loud: true})
	}
	k.loss, k.name = options.Method, options.Inference
	if k.name == "" || k.name == "admm" || isIncremental(k.name) {
		// ADMM is its default; an exact method finds what it and SGD come near.
		k.name = infer.DefaultMethod().Name()
	}
	if o.epsilon = j.options.epsilon; !j.epsilonSet {
		o.epsilon = dualEpsilon
		if options.Searches() {
			o.epsilon = smallEpsilon // weights count up to a factor then
		}
		if e := k.m.Options.Epsilon; e > 0 {
			o.epsilon = e
		}
	}
	if err := k.ground(); err != nil {
		return err
	}
	if k.strict {
		if err := k.strictly(); err != nil {
			return err
		}
	}
	l := new(learned)
	if l.rules, err = k.softRules(); err != nil {
		return err
	}
	if _, err := k.ruleFiles(); err != nil {
		return err
	}
	learn := k.learnWith
	if options.Searches() {
		learn = k.searchWith
		k.loss, k.name = options.Method, infer.DefaultMethod().Name()
	}
	if err := learn(options, l); err != nil {
		return k.learningError(err)
	}
	if !j.m.Infers || l.Stopped == stoppedInterrupt {
		return k.finish(l)
	}
	for i, r := range l.rules {
		r.Weight = l.Weights[i]
	}
	if err := k.writeRules(l); err != nil {
		return err
	}
	own := slices.Clone(j.m.Rules.Rules[len(j.m.Rules.Rules)-j.m.Own:])
	j.m.Rules = &psl.Program{Rules: append(slices.Clone(k.m.Rules.Rules), own...)}
	j.m.Rules.Distinct()
	j.stop.release()
	j.first, l.loss, l.epsilon = l, k.loss, k.epsilon
	return nil
}

// updates maps the reference's steps on weights to methods.
var updates = map[string]optim.Method{
	"": optim.Mirror, "MIRROR_DESCENT": optim.Mirror, "PROJECTED_GRADIENT": optim.Projected, "GRADIENT_DESCENT": optim.Gradient,
}

// weightOptions turns the model's options of the step on the weights into ours.
func weightOptions(o *model.Learning) optim.WeightOptions {
	w := optim.WeightOptions{
		Method: updates[o.Update], Step: o.StepSize, Shrink: o.Shrink, MaxNorm: o.MaxGradient,
		Regularizer: optim.Regularizer{NegLog: o.NegLog, Entropy: o.Entropy, L2: o.L2},
	}
	if !o.Clip {
		w.MaxNorm = -1 // no bound
	}
	return w
}

// config turns the model's options of learning into those of package weights.
func (j *job) config(o *model.Learning) (weights.Config, error) {
	method, err := j.inferenceMethod()
	if err != nil {
		return weights.Config{}, err
	}
	c := weights.Config{
		Loss: bilevel.LossName(o.Method), Epsilon: j.epsilon, WeightOptions: weightOptions(o), ScoreEvery: o.TrainingEvery, Patience: -1,
		// The reference tests whether it is done after the steps 0, n, 2n, …
		Epochs: (o.Steps+o.CheckEvery-1)/o.CheckEvery*o.CheckEvery + 1,
		Lagrangian: bilevel.Lagrangian{
			ProxWeight: o.ProxWeight, EnergyCoefficient: o.EnergyCoefficient, PointStep: o.PointStep,
			InitialPenalty: o.Penalty, PenaltyGrowth: o.PenaltyGrowth, InitialMultiplier: o.Multiplier, ConstraintTolerance: o.GapTolerance,
			TestEvery: o.CheckEvery,
		},
		Solver: infer.Settings{Method: method, Workers: j.threads},
	}
	if o.Multiplier == 0 {
		c.InitialMultiplier = -1
	}
	if o.Full {
		c.ConstraintTolerance = math.SmallestNonzeroFloat64
	}
	if !isExact(j.name) {
		c.Gap = referenceGap
		if j.m.Options.Gap > 0 {
			c.Gap = j.m.Options.Gap
		}
	}
	if _, err := c.Resolve(); err != nil {
		return c, cli.Usage("%s: learning: %v", j.m.File, err)
	}
	return c, nil
}

// learnWith learns with the options of a model.
func (j *job) learnWith(o *model.Learning, l *learned) error {
	problem, err := j.learningProblem()
	if err != nil {
		return err
	}
	c, err := j.config(o)
	if err != nil {
		return err
	}
	if l.start, err = startWeights(j.program.Weights(), c.Method); err != nil {
		return err
	}
	if !o.Weights {
		// The reference scales them all the same.
		l.Result = &weights.Result{Weights: slices.Clone(l.start), Stopped: weights.StoppedEpochs, BestScore: math.NaN()}
		return nil
	}
	if !o.TrainingBreak {
		problem.Score = nil
	}
	ctx, cancel := context.WithCancel(j.stop.ctx)
	defer cancel()
	m := &monitor{Learning: o, loss: c.Loss, begin: time.Now(), weights: l.start, cancel: cancel, best: math.NaN()}
	if m.validator, err = j.validation(o); err != nil {
		return err
	}
	var epoch atomic.Int64
	j.progress.start("learning by "+o.Method, func() string { return fmt.Sprintf("step %d of at most %d", epoch.Load(), c.Epochs) })
	l.Result, err = weights.Learn(ctx, problem, c, func(p weights.Progress) {
		j.stop.hold()
		epoch.Store(int64(p.Epoch))
		m.after(&p)
	})
	if m.err != nil {
		return m.err
	}
	if l.Result == nil || err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	m.finish(l.Result, j.stop.ctx.Err() != nil)
	return nil
}

// startWeights are the weights that learning begins with.
func startWeights(w []float64, m optim.Method) ([]float64, error) {
	if m == optim.Gradient {
		return w, nil
	}
	return w, optim.ToSimplex(w)
}

// summary is what -json prints of l, nil if nothing was learned.
func (l *learned) summary() *firstLearned {
	if l == nil {
		return nil
	}
	s := &firstLearned{Loss: l.loss, Epsilon: l.epsilon, Epochs: l.Epochs, Stopped: string(l.Stopped), LearnS: l.WallS}
	s.Rules = l.list()
	return s
}
