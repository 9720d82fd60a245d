package infer

import (
	"math"
	"slices"
	"time"

	"hinge/app/cli"
	"hinge/bilevel"
	"hinge/symbolic/infer"
	"hinge/symbolic/model"
	"hinge/train/weights"
)

// Reasons to stop, in addition to the reasons of package weights: the weights hardly move,
// the time is over, or there was a signal.
const (
	stoppedMovement  weights.Stopped = "movement"
	stoppedTimeout   weights.Stopped = "timeout"
	stoppedInterrupt weights.Stopped = "interrupted"
)

// stopRules are the stop rules of the reference, for a model that is learned before it is
// inferred. They are tested after the steps 0, n, 2n, …, and the timeout after every step.
// With -learn, which has no options of a model, there are none.
type stopRules struct {
	*model.Learning
	*validator
	loss    bilevel.LossName
	begin   time.Time
	weights []float64 // before the step
	cancel  func()    // ends learning
	stopped weights.Stopped
	err     error
	// best is the best training score, NaN at first, and at is the number of steps before it.
	best float64
	at   int
}

// after is called after each step.
func (s *stopRules) after(p *weights.Progress) {
	if s.Learning == nil {
		return
	}
	step := p.Epoch - 1
	if s.err = s.rate(step, s.weights); s.err != nil {
		s.cancel()
		return
	}
	if p.Score == p.Score && !(p.Score <= s.best) {
		s.best, s.at = p.Score, step
	}
	moved := 0.0
	for i, w := range p.Weights {
		moved += (w - s.weights[i]) * (w - s.weights[i]) / float64(len(p.Weights))
	}
	s.weights = slices.Clone(p.Weights)
	switch {
	case s.Timeout > 0 && time.Since(s.begin).Seconds() > s.Timeout:
		s.stopped = stoppedTimeout
	case step%s.CheckEvery != 0 || s.Full:
	case s.TrainingBreak && s.best == s.best && step-s.at > s.TrainingPatience,
		s.ValidationBreak && s.validator != nil && step-s.bestStep > s.ValidationPatience:
		s.stopped = weights.StoppedPatience
	case s.MovementBreak && !s.loss.Bilevel() && moved <= s.Movement:
		// The reference has no such rule for bce and mse.
		s.stopped = stoppedMovement
	}
	if s.stopped != "" {
		s.cancel()
	}
}

// finish puts into the result why learning stopped, and if the model asks for them the
// weights that are best for validation.
func (s *stopRules) finish(r *weights.Result, interrupted bool) {
	switch {
	case s.stopped != "":
		r.Stopped = s.stopped
	case interrupted:
		r.Stopped = stoppedInterrupt
	}
	if v := s.validator; v != nil && s.KeepBest && v.best != nil {
		r.Weights, r.Kept, r.BestScore, r.BestEpoch = v.best, v.bestStep, v.bestScore, v.bestStep
	}
}

// validator rates weights on the partition validation.
type validator struct {
	*problem
	result    infer.Result
	every     int
	score     func(y []float64) (float64, error)
	best      []float64
	bestScore float64
	bestStep  int
}

// newValidator grounds the partition validation. It returns nil if no option asks for it.
func newValidator(c *command, plan *plan, learn *problem) (*validator, error) {
	o := plan.options
	if o == nil || !o.ValidationBreak && !o.KeepBest {
		return nil, nil
	}
	in, err := c.read(model.Validation)
	if err != nil {
		return nil, err
	}
	in.epsilon, in.method = plan.epsilon, infer.DefaultMethod().Name()
	p, err := c.ground(in)
	if err != nil {
		return nil, err
	}
	if err := c.warnAbout(p); err != nil {
		return nil, err
	}
	data, err := p.labels()
	if err != nil {
		return nil, err
	}
	if data.Score == nil {
		return nil, cli.Usage("%s: validation needs an evaluator", p.File)
	}
	if len(p.program.Rules) != len(learn.program.Rules) {
		return nil, cli.Usage("%s: the partitions learn and validation have different rules", p.File)
	}
	return &validator{problem: p, every: o.ValidationEvery, score: data.Score, bestScore: math.Inf(-1)}, nil
}

// rate rates the weights before a step. Ties count as better, as in the
// reference.
func (v *validator) rate(step int, w []float64) error {
	if v == nil || step%v.every != 0 {
		return nil
	}
	if err := v.inferWith(w, infer.Settings{Workers: v.threads}, &v.result); err != nil {
		return err
	}
	s, err := v.score(v.result.Y)
	if err == nil && s >= v.bestScore-1e-6 {
		v.best, v.bestScore, v.bestStep = slices.Clone(w), s, step
	}
	return err
}
