package optim

import (
	"fmt"

	"hinge/nn/kernel"
)

// EMA keeps an exponential moving average of parameters,
//
//	a ← d·a + (1−d)·w,  d = min(Decay, (1+t)/(10+t)),
//
// where the second term of d makes the first averages follow quickly. Arrays
// that are not trained, such as running statistics of normalisation layers, may
// be averaged along.
type EMA struct {
	params  []Param
	decay   float64
	swapped bool
	state   EMAState
}

// EMAState holds what EMA carries between updates.
type EMAState struct {
	// Step is the number of updates.
	Step int64
	// Average has one array a parameter, zero outside the live ranges.
	Average [][]float32
}

// NewEMA starts an average at the current values. The decay is in [0, 1).
func NewEMA(params []Param, decay float64) (*EMA, error) {
	if !(decay >= 0 && decay < 1) {
		return nil, fmt.Errorf("optim: EMA decay is %v, want a value in [0, 1)", decay)
	}
	e := &EMA{params: append([]Param(nil), params...), decay: decay}
	for i := range e.params {
		e.params[i].check(false)
	}
	e.state.Average = zeros(params)
	for i, p := range e.params {
		for _, r := range p.Ranges() {
			copy(e.state.Average[i][r.Lo:r.Hi], p.Value[r.Lo:r.Hi])
		}
	}
	return e, nil
}

// Update moves the average towards the current values. It panics while the
// averages are swapped in.
func (e *EMA) Update() {
	if e.swapped {
		panic("optim: EMA.Update while the averages are swapped in")
	}
	t := float64(e.state.Step)
	e.state.Step++
	step := float32(1 - min(e.decay, (1+t)/(10+t)))
	for i := range e.params {
		p := &e.params[i]
		for _, r := range p.Ranges() {
			kernel.Lerp(step, p.Value[r.Lo:r.Hi], e.state.Average[i][r.Lo:r.Hi])
		}
	}
}

// Swap exchanges the parameters with their averages; a second call exchanges
// them back. Evaluate between the two calls.
func (e *EMA) Swap() {
	e.swapped = !e.swapped
	for i := range e.params {
		p := &e.params[i]
		for _, r := range p.Ranges() {
			kernel.Swap(p.Value[r.Lo:r.Hi], e.state.Average[i][r.Lo:r.Hi])
		}
	}
}

// State returns the state itself, as [Adam.State] does. It panics while the averages are
// swapped in.
func (e *EMA) State() *EMAState {
	if e.swapped {
		panic("optim: EMA.State while the averages are swapped in")
	}
	return &e.state
}
