package optim

import (
	"cmp"
	"fmt"
	"math"

	"hinge/optim/setting"
)

// Method names a method on the symbolic weights.
type Method string

const (
	// Mirror is exponentiated gradient descent on the unit simplex (paper, section 5), the
	// default: w_r ← w_r·e^(−η·g_r) / Σ_s w_s·e^(−η·g_s). It works on logarithms, so a step of
	// any size leaves w on the simplex. A weight of 0 stays 0: its rule is not there.
	Mirror Method = "mirror"
	// Projected is w ← P(w − η·g) with P the Euclidean projection on the unit simplex.
	Projected Method = "projected"
	// Gradient is w ← max(w − η·g, 0): the weights may sum to anything, but a negative one
	// would have no convex energy.
	Gradient Method = "gradient"
)

// WeightOptions are the settings of a step on the symbolic weights. The configuration of package
// train embeds them, and package app/infer turns the options of PSL's models into them, so that a
// name, a default and the meaning of zero are here alone. Their tags declare ranges, which Update
// does not check; setting.Check does.
type WeightOptions struct {
	Method Method `toml:"method" range:"mirror | projected | gradient" zero:"mirror" for:"learned-rules" doc:"how rule weights move: mirror descent or projected gradient on the simplex, or gradient, which leaves it"`
	// Step is the step size η.
	Step float64 `toml:"mirror-step" range:"[0, inf)" zero:"0.01" for:"learned-rules" doc:"step size on the rule weights, by any method"`
	// Shrink divides the step size by epoch + 1.
	Shrink bool `toml:"shrink-step" for:"learned-rules" doc:"divide mirror-step by the number of the epoch"`
	// MaxNorm bounds the gradient, regulariser included, in the maximum norm; 25 is the
	// reference's.
	MaxNorm float64 `toml:"clip" range:"(-inf, inf)" zero:"25" for:"learned-rules" doc:"bound on the largest entry of the gradient of the rule weights; negative: none"`
	// DeadZone is the magnitude up to which an entry of the gradient of the loss counts as 0. By the
	// energy loss an entry is by how much the labels of an example break a rule on average: true rules
	// keep their weights as long as that is little, and equal weights then stay equal to the bit.
	DeadZone float64 `toml:"dead-zone" range:"[0, inf)" for:"learned-rules" doc:"size up to which the gradient of a rule weight, without regulariser, counts as 0"`
	// Regularizer is added to the loss.
	Regularizer
}

// declared are the defaults, read from the tags once.
var declared = func() (o WeightOptions) {
	setting.Fill(&o, "toml")
	return o
}()

// sameLength panics when values and gradients differ in number. Slicing grad to the number of values would not, where
// its capacity is enough.
func sameLength(x, grad []float64) {
	if len(x) != len(grad) {
		panic(fmt.Sprintf("optim: %d values and %d gradients", len(x), len(grad)))
	}
}

// maxMove bounds each entry of a step: far beyond anything that matters on the
// simplex, and far from overflow.
const maxMove = 1e150

// WeightStep takes steps on the symbolic weights.
type WeightStep struct {
	WeightOptions

	step []float64 // η times the clipped gradient of loss and regulariser
}

// Update moves w, on the unit simplex or, by the method Gradient, not negative, along the gradient
// grad of the loss without its regulariser. The epoch, from 0, is for step sizes that shrink. On
// an error, a gradient that is not finite, w is unchanged.
func (s *WeightStep) Update(w, grad []float64, epoch int) error {
	if err := s.move(w, grad, epoch); err != nil {
		return err
	}
	switch s.Method {
	case Projected:
		for i, d := range s.step {
			w[i] -= d
		}
		ProjectSimplex(w)
	case Gradient:
		for i, d := range s.step {
			w[i] = max(w[i]-d, 0)
		}
	default:
		top := -math.MaxFloat64 // where all weights are 0
		for i, x := range w {
			if x > 0 {
				x = max(x, floor)
			}
			w[i] = math.Log(x) - s.step[i]
			top = max(top, w[i])
		}
		for i, z := range w {
			if w[i] = math.Exp(z - top); z > math.Inf(-1) {
				w[i] = max(w[i], math.SmallestNonzeroFloat64)
			}
		}
		normalizeAbove(w, floor)
	}
	return nil
}

func (s *WeightStep) move(w, grad []float64, epoch int) error {
	sameLength(w, grad)
	s.step = append(s.step[:0], grad...)
	d := s.step
	for i, g := range d {
		if math.Abs(g) <= s.DeadZone {
			d[i] = 0
		}
	}
	s.Regularizer.AddGrad(d, w)
	for i, x := range d {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("optim: the gradient of weight %d is %v (regulariser included); the weights were left as they were", i, x)
		}
		if w[i] == 0 && s.Method != Projected && s.Method != Gradient {
			d[i] = 0 // it stays, and −1/w of the regulariser bounds no other entry
		}
	}
	ClipMax(d, max(cmp.Or(s.MaxNorm, declared.MaxNorm), 0))
	eta := cmp.Or(s.Step, declared.Step)
	if s.Shrink {
		eta /= float64(epoch + 1)
	}
	for i, x := range d {
		d[i] = min(max(eta*x, -maxMove), maxMove)
	}
	return nil
}

// floor is the least weight that mirror descent leaves of one above 0: a weight of exactly 0 could never
// grow again.
const floor = 1e-12

// normalizeAbove scales w ≥ 0 to sum 1 with no entry other than 0 below floor: entries
// that would fall below are set to it and the others share the rest.
func normalizeAbove(w []float64, floor float64) {
	if floor*float64(len(w)) >= 1 {
		for i := range w {
			w[i] = 1 / float64(len(w))
		}
		return
	}
	for {
		low, rest := 0, 0.0
		for _, x := range w {
			if x > floor {
				rest += x
			} else if x > 0 {
				low++
			}
		}
		f := (1 - floor*float64(low)) / rest
		again := false
		for i, x := range w {
			if x > floor {
				w[i] = x * f
				again = again || w[i] < floor
			} else if x > 0 {
				w[i] = floor
			}
		}
		if !again {
			return
		}
	}
}
