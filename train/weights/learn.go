package weights

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"hinge/bilevel"
	"hinge/optim"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// Problem is the data and rules that weights are learned from.
type Problem struct {
	// Template is the ground program; its weights are the starting point. It
	// must have no neural outputs.
	Template *lcqp.Template
	// Labels are the true values of the targets, in [0, 1]; NaN where a target
	// is latent. At least one target must be labelled.
	Labels []float64
	// Score rates inferred values of the targets, larger being better. Nil:
	// learning does not stop early.
	Score func(y []float64) (float64, error)
}

// Progress is what is reported after each epoch.
type Progress struct {
	// Epoch counts from 1.
	Epoch int `json:"epoch"`
	// Terms are the terms of the loss before the epoch's step, Outcome is what the stop
	// criteria of mse and bce said.
	Terms   bilevel.Terms   `json:"terms"`
	Outcome bilevel.Outcome `json:"outcome"`
	// Score is the score of the weights before the step, NaN where it was not computed.
	Score float64 `json:"-"`
	// Weights are those after the step. They are the learner's own: copy them.
	Weights []float64 `json:"-"`
}

// Stopped is the reason why learning ended.
type Stopped string

// The reasons.
const (
	StoppedEpochs   Stopped = "epochs"   // all epochs are done
	StoppedPatience Stopped = "patience" // the score has not risen for long
	StoppedGap      Stopped = "gap"      // M − V is below its tolerance
)

// Result is the result of learning.
type Result struct {
	// Weights holds one weight per rule, on the unit simplex except with optim.Gradient. Kept
	// is the number of steps that led to them.
	Weights []float64
	Kept    int
	// Incompatibility is Φ of the labels, one per rule: how badly they break it.
	Incompatibility []float64
	// Epochs is the number of steps, Stopped why there were not more.
	Epochs  int
	Stopped Stopped
	// BestScore is the best score and BestEpoch the number of steps that first led
	// to it; NaN and 0 without a Score.
	BestScore float64
	BestEpoch int
	// WallS is the whole time in seconds, SolverS the part spent in inference for
	// the steps. Solves counts inferences, Unsolved the inferences that stopped before their
	// tolerance.
	WallS, SolverS   float64
	Solves, Unsolved int
}

// Learn learns the weights. observe, which may be nil, is called after each epoch. When
// the context ends, the error is the context's, and the result is what was learned
// until then, or nil if that is nothing.
func Learn(ctx context.Context, p Problem, c Config, observe func(Progress)) (*Result, error) {
	begin := time.Now()
	c, err := c.Resolve()
	if err != nil {
		return nil, err
	}
	o, err := objective(p, &c)
	if err != nil {
		return nil, err
	}
	learner, err := bilevel.NewWeightLearner(o, p.Template.Program().Weights(), c.New())
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	if c.Method == optim.Gradient {
		copy(learner.Weights(), p.Template.Program().Weights())
	}
	l := &loop{Problem: p, Config: c, objective: o, learner: learner, observe: observe,
		result: Result{Stopped: StoppedEpochs, BestScore: math.NaN()}}
	err = l.run(ctx)
	if closeErr := learner.Close(); err == nil {
		err = closeErr
	}
	r := &l.result
	if err != nil && (r.Epochs == 0 || ctx.Err() == nil || !errors.Is(err, ctx.Err())) {
		return nil, err
	}
	s := o.Stats()
	r.SolverS, r.Solves, r.Unsolved = s.Seconds, s.Solves, s.Unsolved
	r.WallS = time.Since(begin).Seconds()
	return r, err
}

// objective checks the labels and makes the loss.
func objective(p Problem, c *Config) (*bilevel.Objective, error) {
	if p.Template == nil || len(p.Labels) != p.Template.Targets {
		return nil, fmt.Errorf("weights: want a template and a label, or NaN, for each of its targets; there are %d labels", len(p.Labels))
	}
	names := p.Template.Program().Targets
	labelled := 0
	for i, v := range p.Labels {
		switch {
		case math.IsNaN(v):
		case v < 0 || v > 1:
			return nil, fmt.Errorf("weights: the label of %s is %v, want a number in [0, 1]", names[i], v)
		default:
			labelled++
		}
	}
	if labelled == 0 {
		return nil, fmt.Errorf("weights: none of the %d targets has a label: there is nothing to learn from", len(p.Labels))
	}
	if err := p.feasible(c); err != nil {
		return nil, err
	}
	c.fit(p.Template.Rules, p.Template.Targets)
	o, err := bilevel.NewObjective(bilevel.Problem{
		Template: p.Template, Samples: 1,
		Label: func(_ int, latent *lcqp.Instance) error { return bilevel.FixLabels(latent, p.Labels) },
	}, c.settings())
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	return o, nil
}

// feasible finds out whether the labels are within the hard rules, before an
// error from the depths of the graph would say so less well.
func (p *Problem) feasible(c *Config) error {
	in, err := p.Template.NewInstance(c.Epsilon)
	if err == nil {
		err = bilevel.FixLabels(in, p.Labels)
	}
	var res infer.Result
	if err == nil {
		err = infer.Solve(in, nil, infer.Settings{Workers: c.Solver.Workers}, &res)
	}
	if err == nil && res.Status == infer.Infeasible {
		err = res.Err()
	}
	if err != nil {
		return fmt.Errorf("weights: the labels: %w", err)
	}
	return nil
}

// loop is a run of Learn.
type loop struct {
	Problem
	Config
	objective *bilevel.Objective
	learner   *bilevel.WeightLearner
	observe   func(Progress)
	result    Result

	best   []float64 // weights with the best score
	bestAt int       // steps that led to them
	// An inference of its own, for the losses that have none of all targets and
	// for the weights after the last step.
	instance *lcqp.Instance
	warm     infer.Warm
	inferred infer.Result
}

func (l *loop) run(ctx context.Context) error {
	r := &l.result
	for epoch := range l.Epochs {
		if err := ctx.Err(); err != nil {
			l.end()
			return err
		}
		before := slices.Clone(l.learner.Weights())
		report, err := l.learner.Epoch()
		if err != nil {
			return fmt.Errorf("weights: epoch %d: %w", epoch+1, err)
		}
		r.Epochs = epoch + 1
		r.Incompatibility = report.Incompatibility
		p := Progress{Epoch: epoch + 1, Terms: report.Terms, Outcome: report.Outcome, Score: math.NaN(), Weights: l.learner.Weights()}
		if epoch%l.ScoreEvery == 0 && l.Score != nil {
			if p.Score, err = l.score(before); err != nil {
				return err
			}
			l.keep(p.Score, epoch, before)
		}
		if l.observe != nil {
			l.observe(p)
		}
		if report.Outcome.Done {
			r.Stopped = StoppedGap
			break
		}
		if l.Patience > 0 && l.Score != nil && epoch-r.BestEpoch > l.Patience {
			r.Stopped = StoppedPatience
			break
		}
	}
	if l.Keep == KeepBest && l.Score != nil {
		// The weights after the last step have no score yet.
		last := l.learner.Weights()
		score, err := l.infer(last)
		if err != nil {
			return err
		}
		l.keep(score, r.Epochs, last)
	}
	l.end()
	return nil
}

// end takes the last or the best weights.
func (l *loop) end() {
	l.result.Weights, l.result.Kept = slices.Clone(l.learner.Weights()), l.result.Epochs
	if l.Keep == KeepBest && l.best != nil {
		l.result.Weights, l.result.Kept = l.best, l.bestAt
	}
}

// keep notes the weights that a number of steps led to, if none were better.
func (l *loop) keep(score float64, steps int, w []float64) {
	if !(score < l.result.BestScore) { // the later of two equals has learned more
		l.best, l.bestAt = slices.Clone(w), steps
	}
	if !(score <= l.result.BestScore) {
		l.result.BestScore, l.result.BestEpoch = score, steps
	}
}

// score rates the weights before the last step. Where the loss has just inferred
// all targets with them, that is all it takes.
func (l *loop) score(before []float64) (float64, error) {
	if full := l.objective.Full(); full != nil {
		return l.rate(full.Result(0).Y)
	}
	return l.infer(before)
}

// infer rates weights by an inference of its own.
func (l *loop) infer(w []float64) (float64, error) {
	var err error
	if l.instance == nil {
		if l.instance, err = l.Template.NewInstance(l.Epsilon); err != nil {
			return 0, fmt.Errorf("weights: %w", err)
		}
	}
	if err = l.instance.SetWeights(w); err == nil {
		err = infer.Solve(l.instance, &l.warm, l.solver(), &l.inferred)
	}
	if err != nil {
		return 0, fmt.Errorf("weights: %w", err)
	}
	if l.inferred.Status == infer.Infeasible {
		return 0, fmt.Errorf("weights: %w", l.inferred.Err())
	}
	l.inferred.SaveWarm(&l.warm)
	return l.rate(l.inferred.Y)
}

func (l *loop) rate(y []float64) (float64, error) {
	s, err := l.Score(y)
	if err != nil {
		return 0, err
	}
	if math.IsNaN(s) {
		return 0, fmt.Errorf("weights: the score is NaN")
	}
	return s, nil
}
