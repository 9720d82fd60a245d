package nn

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// State holds what changes between the runs of a network's graphs without
// rebuilding them. All graphs of one network share one State.
//
// Every random draw is a function of Seed, Step, the layer's name and the chunk
// of the Forward call: a run resumed at step t with the same seed draws what the
// uninterrupted run would have drawn.
type State struct {
	// Seed selects the noise of the network. Step numbers the training steps;
	// the caller advances it, or all steps draw the same noise.
	Seed, Step uint64
	// Temperature is τ of Softmax and GumbelSoftmax, from 3e-39 on.
	Temperature float64
	// Sync, if not nil, synchronises batch normalisation in training over the parts of a
	// batch: its statistics cover all parts together, so that they and the gradients equal
	// those of the whole batch in one pass. Every part runs a graph of the same definition and
	// batch size at the same time, on a separate network with the same parameters, and waits
	// for the others in every batch normalisation, once forward and once backward. Sync takes
	// some numbers of this part and returns the numbers of every part, in the order of the
	// parts, the same to all; see package collective.
	Sync func(own []float64) (all []float64, err error)

	// chunk distinguishes the parts of one Forward call.
	chunk uint64
}

// stream returns the generator of one layer for the coming run. purpose is
// fixed when the layer is built.
func (s *State) stream(pcg *rand.PCG, purpose uint64) {
	// Two rounds of a mixing function make the seeds of neighbouring steps,
	// layers and chunks unrelated.
	hi := mix(s.Seed ^ mix(purpose))
	lo := mix(s.Step ^ mix(s.chunk+0x9e3779b97f4a7c15))
	pcg.Seed(hi, lo)
}

// mix is the finaliser of SplitMix64 (Steele, Lea, Flood, 2014).
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// purposeOf maps a layer's name to the number of its noise stream (FNV-1a).
func purposeOf(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// leastTemperature is the least whose inverse is finite in single precision.
const leastTemperature = 1 / math.MaxFloat32

// check reports a temperature that softmax cannot divide by.
func (s *State) check() error {
	if !(s.Temperature >= leastTemperature) || math.IsInf(s.Temperature, 0) {
		return fmt.Errorf("temperature %v is not a finite number of at least %.0e", s.Temperature, leastTemperature)
	}
	return nil
}
