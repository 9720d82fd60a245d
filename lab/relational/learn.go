package relational

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"hinge/symbolic/infer"
	"hinge/train"
	"hinge/train/learning"
	"hinge/train/neupsl"
	"hinge/train/record"
)

// Learned are the weights that learning has led to.
type Learned struct {
	// Weights holds one weight per rule, on the unit simplex.
	Weights []float64
	// Epochs is the number of steps, Stopped why there were not more (record.StoppedSteps …).
	Epochs  int
	Stopped string
	// WallS is the whole time in seconds, SolverS the part spent in inference for the steps.
	// Unsolved counts the inferences of the steps that stopped before their tolerance.
	WallS, SolverS float64
	Unsolved       int
}

// Run is what learning on a fold has led to.
type Run struct {
	*Learned
	// Learn is the score of the learned weights on the data learned from, Test
	// that on the data to test on.
	Learn, Test Score
}

// Run learns the weights on the learning part of a fold and scores them on both
// parts, by exact inference with the ε of learning. observe, which may be nil, is called after
// each step.
func (f *Fold) Run(ctx context.Context, c Config, observe func(record.Metric)) (*Run, error) {
	learned, err := f.Learn.learn(ctx, c, f.Learn.score, observe)
	if err != nil {
		return nil, err
	}
	r := &Run{Learned: learned}
	s := infer.Settings{Workers: c.Solver.Workers}
	if r.Learn, err = f.Learn.Infer(learned.Weights, c.Epsilon, s); err == nil {
		r.Test, err = f.Test.Infer(learned.Weights, c.Epsilon, s)
	}
	return r, err
}

// score is Score as neupsl.RuleData has it.
func (p *Part) score(y []float64) (float64, int, error) {
	s, err := p.Score(y)
	return s.Value, len(y), err
}

// learn learns the weights of the rules from the part, by train.Run. The part validates too: a nil
// score rates all weights alike.
func (p *Part) learn(ctx context.Context, c Config, score func([]float64) (float64, int, error), observe func(record.Metric)) (*Learned, error) {
	begin, cfg := time.Now(), c.training()
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("relational: %w", err)
	}
	data := neupsl.RuleData{Template: p.Template, Labels: p.Labels, Score: score}
	m, err := neupsl.NewRuleModel(cfg, neupsl.RuleSetup{Parts: map[learning.Part]neupsl.RuleData{learning.TrainPart: data, learning.ValidPart: data}, Solver: c.solver()})
	if err != nil {
		return nil, fmt.Errorf("relational: %w", err)
	}
	defer m.Graph.Close() //nolint:errcheck // nothing was written
	dir, err := os.MkdirTemp("", "relational")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder of the system's
	steps := &steps{observe: observe}
	r, err := train.Run(ctx, cfg, m, train.Options{Dir: dir, Observer: steps})
	if errors.Is(err, train.ErrInterrupted) {
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("relational: %w", err)
	}
	l := &steps.learned
	l.Weights, l.Epochs, l.Stopped, l.WallS = slices.Clone(m.Weights()), r.Steps, r.Stopped, time.Since(begin).Seconds()
	return l, nil
}

// steps is a train.Observer that adds up the work of the steps.
type steps struct {
	train.Nobody
	learned Learned
	observe func(record.Metric)
}

// Step implements train.Observer.
func (s *steps) Step(_ int, m record.Metric) {
	s.learned.SolverS += m.SolverS
	s.learned.Unsolved += m.Unsolved
	if s.observe != nil {
		s.observe(m)
	}
}

// Infer infers the targets with the given weights and scores them.
func (p *Part) Infer(w []float64, epsilon float64, s infer.Settings) (Score, error) {
	return p.InferNear(w, epsilon, nil, s)
}

// InferNear is Infer; of many optima it takes the one nearest to center, one number a
// target, which is 0 where center is nil.
func (p *Part) InferNear(w []float64, epsilon float64, center []float64, s infer.Settings) (Score, error) {
	in, err := p.Template.NewInstance(epsilon)
	if err == nil {
		err = in.SetWeights(w)
	}
	if err == nil && center != nil {
		err = in.SetTies(center)
	}
	var res infer.Result
	if err == nil {
		err = infer.Solve(in, nil, s, &res)
	}
	if err == nil {
		err = res.Err()
	}
	if err != nil {
		return Score{}, fmt.Errorf("relational: %w", err)
	}
	return p.Score(res.Y)
}
