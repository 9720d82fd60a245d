package relational

import (
	"context"
	"fmt"

	"hinge/symbolic/infer"
	"hinge/train/weights"
)

// Run is what learning on a fold has led to.
type Run struct {
	*weights.Result
	// Learn is the score of the learned weights on the data learned from, Test
	// that on the data to test on.
	Learn, Test Score
}

// Run learns the weights on the learning part of a fold and scores them on both
// parts, by exact inference with the ε of learning.
func (f *Fold) Run(ctx context.Context, c weights.Config, observe func(weights.Progress)) (*Run, error) {
	learned, err := weights.Learn(ctx, f.Learn.Problem(), c, observe)
	if err != nil {
		return nil, err
	}
	if c, err = c.Resolve(); err != nil {
		return nil, err
	}
	r := &Run{Result: learned}
	s := infer.Settings{Workers: c.Solver.Workers}
	if r.Learn, err = f.Learn.Infer(learned.Weights, c.Epsilon, s); err == nil {
		r.Test, err = f.Test.Infer(learned.Weights, c.Epsilon, s)
	}
	return r, err
}

// Problem is what the part gives to learn from.
func (p *Part) Problem() weights.Problem {
	return weights.Problem{Template: p.Template, Labels: p.Labels, Score: func(y []float64) (float64, error) {
		s, err := p.Score(y)
		return s.Value, err
	}}
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
