package optim

import (
	"fmt"

	"hinge/nn/kernel"
)

// Range is the half-open index range [Lo, Hi).
type Range = kernel.Range

// Param is one array of network parameters.
type Param struct {
	// Name is used in messages only.
	Name string
	// Value is updated in place.
	Value []float32
	// Grad is the gradient of the loss, as long as Value. It may be nil where
	// only Value is used (see NewEMA).
	Grad []float32
	// Decay reports whether weight decay applies; biases and normalisation parameters are
	// usually exempt.
	Decay bool
	// Rate is a factor of the learning rate; 0 means 1.
	Rate float64
	// Live lists, in ascending order and without overlap, the ranges that can
	// have a non-zero gradient; everything outside is left untouched, and no
	// time is spent on it. Nil means all of Value. Kernel taps that only ever
	// see padding are an example of dead entries.
	Live []Range
}

// Ranges returns the live ranges, the whole of Value where Live is nil.
func (p *Param) Ranges() []Range {
	if p.Live == nil {
		return []Range{{Lo: 0, Hi: len(p.Value)}}
	}
	return p.Live
}

// check panics when the parameter is malformed.
func (p *Param) check(grad bool) {
	if grad && len(p.Grad) != len(p.Value) {
		panic(fmt.Sprintf("optim: parameter %q has %d values and %d gradients", p.Name, len(p.Value), len(p.Grad)))
	}
	end := 0
	for _, r := range p.Live {
		if r.Lo < end || r.Hi < r.Lo || r.Hi > len(p.Value) {
			panic(fmt.Sprintf("optim: parameter %q of length %d has live ranges %v", p.Name, len(p.Value), p.Live))
		}
		end = r.Hi
	}
}

// zeros returns an array of zeros for every parameter, as long as its values. The operating
// system gives no memory to entries outside the live ranges, because nobody touches them.
func zeros(params []Param) [][]float32 {
	out := make([][]float32, len(params))
	for i := range params {
		out[i] = kernel.Alloc[float32](len(params[i].Value))
	}
	return out
}
