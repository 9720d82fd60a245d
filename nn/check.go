package nn

import (
	"errors"
	"fmt"

	"hinge/nn/difference"
)

// CheckGradient runs a graph compiled with a loss on x, and compares the gradient by every
// trainable parameter with difference quotients of the loss, at a dozen places each. It
// returns an error with a line for each parameter whose gradient is wrong: its name, the place
// that is furthest off, in storage order, the gradient there and the quotient. Parameters and
// running statistics end as they were.
//
// It is meant for a network as small as its layers allow, with a batch of a few examples. In
// float64 an error of 1e-5 of a parameter's largest gradient is found, in float32 one of 5 %;
// gradients that move the loss less than its rounding are not told from 0.
func CheckGradient[T Float](g *Graph[T], x []T) error {
	if g.loss == nil {
		return errors.New("nn: CheckGradient wants a graph compiled with a loss")
	}
	for _, p := range g.b.buffers {
		before := append([]T(nil), p.Value...)
		defer func() { copy(p.Value, before) }()
	}
	var fault error // of a run
	loss := func() float64 {
		if err := g.Run(x); err != nil && fault == nil {
			fault = err
		}
		return g.Loss()
	}
	rtol := 1e-5
	if _, single := any(x).([]float32); single {
		rtol = 0.05
	}
	var wrong []error
	for _, l := range g.b.learned {
		if fault = g.Run(x); fault != nil {
			return fault
		}
		if err := difference.Check(l.param.Name, l.param.Value, l.param.Grad, 12, rtol, loss); err != nil {
			wrong = append(wrong, err)
		}
		if fault != nil {
			return fault
		}
	}
	if err := g.Run(x); err != nil || wrong == nil { // gradients and outputs of x again
		return err
	}
	return fmt.Errorf("nn: the gradients by %d of %d parameters are wrong:\n%w", len(wrong), len(g.b.learned), errors.Join(wrong...))
}
