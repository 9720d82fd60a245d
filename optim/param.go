package optim

import "fmt"

// Range is the half-open index range [Lo, Hi).
type Range struct{ Lo, Hi int }

// Param is one array of network parameters.
type Param struct {
	// Name is used in messages only.
	Name string
	// Value is updated in place.
	Value []float32
	// Grad is the gradient of the loss, as long as Value. It may be nil where
	// only Value is used (see NewEMA).
	Grad []float32
	// Decay says whether weight decay applies; biases and normalisation
	// parameters are usually exempt.
	Decay bool
	// Rate is a factor of the learning rate; 0 means 1.
	Rate float64
	// Live lists, in ascending order and without overlap, the ranges that can
	// have a non-zero gradient; everything outside is left untouched, and no
	// time is spent on it. Nil means all of Value. Kernel taps that only ever
	// see padding are an example of dead entries.
	Live []Range
}

// ranges returns the live ranges.
func (p *Param) ranges() []Range {
	if p.Live == nil {
		return []Range{{0, len(p.Value)}}
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

// copyAll copies every array of src into one new block.
func copyAll(src [][]float32) [][]float32 {
	total := 0
	for _, s := range src {
		total += len(s)
	}
	block := make([]float32, 0, total)
	dst := make([][]float32, len(src))
	for i, s := range src {
		k := len(block)
		block = append(block, s...)
		dst[i] = block[k:len(block):len(block)]
	}
	return dst
}

// sameShape returns an error unless got has the lengths of want.
func sameShape(what string, got, want [][]float32) error {
	if len(got) != len(want) {
		return fmt.Errorf("optim: state has %d arrays of %s, the model has %d parameters", len(got), what, len(want))
	}
	for i := range got {
		if len(got[i]) != len(want[i]) {
			return fmt.Errorf("optim: state array %d of %s has length %d, the parameter has %d", i, what, len(got[i]), len(want[i]))
		}
	}
	return nil
}
