package optim

import (
	"fmt"
	"math"

	"hinge/nn/kernel"
)

// AdamOptions are the settings of Adam. Zero fields take the value named.
type AdamOptions struct {
	// Beta1 and Beta2 are the decay rates of the first and second moment, in
	// [0, 1). Zero: 0.9 and 0.999.
	Beta1, Beta2 float64
	// Epsilon is added to the root of the second moment. Zero: 1e-8.
	Epsilon float64
	// WeightDecay is λ ≥ 0 for the parameters that ask for decay.
	WeightDecay float64
	// Decoupled shrinks the weights by 1 − lr·λ before the step (AdamW)
	// instead of adding λ·w to the gradient.
	Decoupled bool
}

// Adam is the method of Kingma and Ba with bias correction, as PyTorch computes
// it:
//
//	m ← β₁m + (1−β₁)g,  v ← β₂v + (1−β₂)g²
//	w ← w − lr/(1−β₁ᵗ) · m / (√v/√(1−β₂ᵗ) + ε)
//
// where g includes λ·w unless the decay is decoupled.
type Adam struct {
	params  []Param
	options AdamOptions
	state   AdamState
}

// AdamState is what Adam remembers between steps.
type AdamState struct {
	// Step is the number of steps taken.
	Step int64
	// M and V are the moments, one array a parameter, as long as its Value.
	M, V [][]float32
}

// NewAdam returns an optimiser for the parameters with zero moments. It keeps
// the slices of params and reads their gradients at each step. Options out of
// range are an error.
func NewAdam(params []Param, o AdamOptions) (*Adam, error) {
	if o.Beta1 == 0 {
		o.Beta1 = 0.9
	}
	if o.Beta2 == 0 {
		o.Beta2 = 0.999
	}
	if o.Epsilon == 0 {
		o.Epsilon = 1e-8
	}
	switch {
	case !(o.Beta1 > 0 && o.Beta1 < 1 && o.Beta2 > 0 && o.Beta2 < 1):
		return nil, fmt.Errorf("optim: Adam's decay rates are %v and %v, want values in (0, 1)", o.Beta1, o.Beta2)
	case !(o.Epsilon > 0) || math.IsInf(o.Epsilon, 0):
		return nil, fmt.Errorf("optim: Adam's epsilon is %v, want a value above 0", o.Epsilon)
	case !(o.WeightDecay >= 0) || math.IsInf(o.WeightDecay, 0):
		return nil, fmt.Errorf("optim: Adam's weight decay is %v, want a value of 0 or more", o.WeightDecay)
	}
	a := &Adam{params: append([]Param(nil), params...), options: o}
	values := make([][]float32, len(params))
	for i := range a.params {
		a.params[i].check(true)
		values[i] = a.params[i].Value
	}
	a.state.M, a.state.V = copyAll(values), copyAll(values)
	for i := range values {
		clear(a.state.M[i])
		clear(a.state.V[i])
	}
	return a, nil
}

// Step takes one step of size lr along the gradients.
func (a *Adam) Step(lr float64) { a.StepScaled(lr, 1) }

// StepScaled is Step with every gradient multiplied by scale > 0 first, which
// saves a pass over the gradients after clipping (see [ClipFactor]).
func (a *Adam) StepScaled(lr, scale float64) {
	if !(scale > 0) {
		panic(fmt.Sprintf("optim: gradient scale %v, want a value above 0", scale))
	}
	a.state.Step++
	o, t := &a.options, float64(a.state.Step)
	step := kernel.AdamParams[float32]{
		Beta1:       float32(o.Beta1),
		Beta2:       float32(o.Beta2),
		Eps:         float32(o.Epsilon),
		Correction1: float32(1 - math.Pow(o.Beta1, t)),
		Correction2: float32(1 - math.Pow(o.Beta2, t)),
		GradScale:   float32(scale),
	}
	for i := range a.params {
		p := &a.params[i]
		step.LR, step.L2, step.Decay = float32(lr), 0, 0
		if p.Rate > 0 {
			step.LR = float32(lr * p.Rate)
		}
		if p.Decay && o.Decoupled {
			step.Decay = float32(o.WeightDecay)
		} else if p.Decay {
			step.L2 = float32(o.WeightDecay)
		}
		m, v := a.state.M[i], a.state.V[i]
		for _, r := range p.ranges() {
			kernel.AdamStep(p.Value[r.Lo:r.Hi], p.Grad[r.Lo:r.Hi], m[r.Lo:r.Hi], v[r.Lo:r.Hi], step)
		}
	}
}

// State returns a copy of the state.
func (a *Adam) State() AdamState {
	return AdamState{Step: a.state.Step, M: copyAll(a.state.M), V: copyAll(a.state.V)}
}

// SetState copies a saved state in. One of another shape is an error and
// changes nothing.
func (a *Adam) SetState(s AdamState) error {
	if s.Step < 0 {
		return fmt.Errorf("optim: Adam state has step %d", s.Step)
	}
	if err := sameShape("first moments", s.M, a.state.M); err != nil {
		return err
	}
	if err := sameShape("second moments", s.V, a.state.V); err != nil {
		return err
	}
	a.state.Step = s.Step
	for i := range s.M {
		copy(a.state.M[i], s.M[i])
		copy(a.state.V[i], s.V[i])
	}
	return nil
}
