package optim

import (
	"cmp"
	"fmt"
	"math"

	"hinge/nn/kernel"
)

// AdamOptions are the settings of Adam. Zero fields take the value named.
type AdamOptions struct {
	// Beta1 and Beta2 are the decay rates of the first and second moment, in
	// (0, 1). Zero: 0.9 and 0.999.
	Beta1, Beta2 float64
	// Epsilon is added to the root of the second moment, in single precision, where it has to
	// be above 0. Zero: 1e-8.
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

// AdamState holds the moments and the step count that Adam carries between steps.
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
	o.Beta1, o.Beta2, o.Epsilon = cmp.Or(o.Beta1, 0.9), cmp.Or(o.Beta2, 0.999), cmp.Or(o.Epsilon, 1e-8)
	switch {
	case !(o.Beta1 > 0 && o.Beta1 < 1 && o.Beta2 > 0 && o.Beta2 < 1):
		return nil, fmt.Errorf("optim: Adam's decay rates are %v and %v, want values in (0, 1)", o.Beta1, o.Beta2)
	case !(float32(o.Epsilon) > 0) || float32(o.Epsilon) > math.MaxFloat32: // 0/0 where a gradient is 0 would be NaN
		return nil, fmt.Errorf("optim: Adam's epsilon is %v, want a value above 0 in single precision", o.Epsilon)
	case !(o.WeightDecay >= 0) || math.IsInf(o.WeightDecay, 0):
		return nil, fmt.Errorf("optim: Adam's weight decay is %v, want a value of 0 or more", o.WeightDecay)
	}
	a := &Adam{params: append([]Param(nil), params...), options: o}
	for i := range a.params {
		a.params[i].check(true)
	}
	a.state.M, a.state.V = zeros(params), zeros(params)
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
		Rest1:       rest(o.Beta1),
		Rest2:       rest(o.Beta2),
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
		for _, r := range p.Ranges() {
			kernel.AdamStep(p.Value[r.Lo:r.Hi], p.Grad[r.Lo:r.Hi], m[r.Lo:r.Hi], v[r.Lo:r.Hi], step)
		}
	}
}

// StepClipped is Step with the gradients scaled to a norm of at most limit first (see [ClipFactor]). It returns their
// norm before. One that is not finite is an error, and the values stay as they were.
func (a *Adam) StepClipped(lr, limit float64) (norm float64, err error) {
	norm = GradNorm(a.params)
	if math.IsNaN(norm) || math.IsInf(norm, 0) {
		return norm, fmt.Errorf("the gradient norm is %v; the weights were left as they were; a lower learning rate is the usual cure", norm)
	}
	a.StepScaled(lr, ClipFactor(norm, limit))
	return norm, nil
}

// State returns the state itself: to be saved before the next step, or to be overwritten,
// arrays in place, where training goes on from a saved one.
func (a *Adam) State() *AdamState { return &a.state }

// rest is 1 − beta where what is left of 1 by the rounded beta is off by more than 2e-5 of it, and 0 elsewhere: the
// kernel takes the latter then, which keeps the bits of runs with the default rates (0.999: off by 1.3e-5).
func rest(beta float64) float32 {
	if left := 1 - beta; math.Abs(float64(1-float32(beta))-left) > 2e-5*left {
		return float32(left)
	}
	return 0
}
