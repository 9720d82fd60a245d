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

// Reasons to stop that package weights does not know: the weights hardly move, the
// time is over, or somebody interrupted.
const (
	stoppedMovement  weights.Stopped = "movement"
	stoppedTimeout   weights.Stopped = "timeout"
	stoppedInterrupt weights.Stopped = "interrupted"
)

// monitor applies the reference's stop rules to learning. It tests them after the
// steps 0, n, 2n, …, the timeout after every step.
type monitor struct {
	*model.Learning
	*validator
	loss    bilevel.LossName
	begin   time.Time
	weights []float64 // before the step
	cancel  func()    // ends learning
	stopped weights.Stopped
	err     error
	// best is the best training score, NaN so far, and at the steps before it.
	best float64
	at   int
}

// after is told of each step.
func (m *monitor) after(p *weights.Progress) {
	step := p.Epoch - 1
	if m.err = m.rate(step, m.weights); m.err != nil {
		m.cancel()
		return
	}
	if p.Score == p.Score && !(p.Score <= m.best) {
		m.best, m.at = p.Score, step
	}
	moved := 0.0
	for i, w := range p.Weights {
		moved += (w - m.weights[i]) * (w - m.weights[i]) / float64(len(p.Weights))
	}
	m.weights = slices.Clone(p.Weights)
	switch {
	case m.Timeout > 0 && time.Since(m.begin).Seconds() > m.Timeout:
		m.stopped = stoppedTimeout
	case step%m.CheckEvery != 0 || m.Full:
	case m.TrainingBreak && m.best == m.best && step-m.at > m.TrainingPatience,
		m.ValidationBreak && m.validator != nil && step-m.bestStep > m.ValidationPatience:
		m.stopped = weights.StoppedPatience
	case m.MovementBreak && !m.loss.Bilevel() && moved <= m.Movement:
		// The reference has no such rule for bce and mse.
		m.stopped = stoppedMovement
	}
	if m.stopped != "" {
		m.cancel()
	}
}

// finish puts into the result why learning stopped, and the weights that are best
// for validation if those are asked for.
func (m *monitor) finish(r *weights.Result, interrupted bool) {
	switch {
	case m.stopped != "":
		r.Stopped = m.stopped
	case interrupted:
		r.Stopped = stoppedInterrupt
	}
	if v := m.validator; m.KeepBest && v != nil && v.best != nil {
		r.Weights, r.Kept, r.BestScore, r.BestEpoch = v.best, v.bestStep, v.bestScore, v.bestStep
	}
}

// validator rates weights on the partition validation.
type validator struct {
	*job
	every     int
	score     func(y []float64) (float64, error)
	best      []float64
	bestScore float64
	bestStep  int
}

// validation loads the partition validation, or returns nil if no option asks
// for it.
func (j *job) validation(o *model.Learning) (*validator, error) {
	if !o.ValidationBreak && !o.KeepBest {
		return nil, nil
	}
	options := *j.options
	options.partition = string(model.Validation)
	k := newJob(&options, j.stop, j.progress, j.stdout)
	k.doubts = j.doubts
	if err := k.load(); err != nil {
		return nil, err
	}
	k.epsilon, k.name = j.epsilon, infer.DefaultMethod().Name()
	if err := k.ground(); err != nil {
		return nil, err
	}
	p, err := k.learningProblem()
	if err != nil {
		return nil, err
	}
	if p.Score == nil {
		return nil, cli.Usage("%s: validation needs an evaluator", k.m.File)
	}
	if len(k.program.Rules) != len(j.program.Rules) {
		return nil, cli.Usage("%s: the partitions learn and validation have different rules", k.m.File)
	}
	return &validator{job: k, every: o.ValidationEvery, score: p.Score, bestScore: math.Inf(-1)}, nil
}

// rate rates the weights before a step. Ties count as better, as in the
// reference.
func (v *validator) rate(step int, w []float64) error {
	if v == nil || step%v.every != 0 {
		return nil
	}
	if err := v.inferWith(w); err != nil {
		return err
	}
	s, err := v.score(v.result.Y)
	if err == nil && s >= v.bestScore-1e-6 {
		v.best, v.bestScore, v.bestStep = slices.Clone(w), s, step
	}
	return err
}
