package optim

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"hinge/optim/setting"
)

// WeightMethod is one step of a method on the symbolic weights: w, on the unit
// simplex or, for GradientStep, not negative, moves along the gradient grad of the loss without its regulariser.
// The epoch, from 0, is for step sizes that shrink. On an error w is unchanged.
type WeightMethod interface {
	Update(w, grad []float64, epoch int) error
}

var (
	_ WeightMethod = (*MirrorDescent)(nil)
	_ WeightMethod = (*ProjectedGradient)(nil)
	_ WeightMethod = (*GradientStep)(nil)
)

// Method names a method on the symbolic weights.
type Method string

const (
	// Mirror is [MirrorDescent]. It is the default.
	Mirror Method = "mirror"
	// Projected is [ProjectedGradient].
	Projected Method = "projected"
	// Gradient is [GradientStep].
	Gradient Method = "gradient"
)

// WeightOptions are the settings of a step on the symbolic weights. The configuration of package
// train embeds them, and package app/infer turns the options of PSL's models into them, so that a
// name, a default and the meaning of zero are here alone.
type WeightOptions struct {
	// Method selects the update that New makes. The methods themselves do not read it.
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

// Resolve replaces zero values by their defaults.
func (o WeightOptions) Resolve() WeightOptions {
	method := o.Method // no text is written as no text
	setting.Fill(&o, "toml")
	o.Method = method
	return o
}

// declared are the defaults, read from the tags once.
var declared = WeightOptions{}.Resolve()

// New returns the method with these options.
func (o WeightOptions) New() WeightMethod {
	switch o.Method {
	case Projected:
		return &ProjectedGradient{WeightOptions: o}
	case Gradient:
		return &GradientStep{WeightOptions: o}
	}
	return &MirrorDescent{WeightOptions: o}
}

// maxMove bounds each entry of a step: far beyond anything that matters on the
// simplex, and far from overflow.
const maxMove = 1e150

// move writes η times the clipped gradient of loss and regulariser to a slice, which it makes as long.
func (o *WeightOptions) move(to *[]float64, w, grad []float64, epoch int) error {
	if len(w) != len(grad) {
		panic(fmt.Sprintf("optim: %d weights and %d gradients", len(w), len(grad)))
	}
	*to = resize(*to, len(w))
	d := *to
	for i, g := range grad {
		if d[i] = g; math.Abs(g) <= o.DeadZone {
			d[i] = 0
		}
	}
	o.Regularizer.AddGrad(d, w)
	for i, x := range d {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("optim: the gradient of weight %d is %v (regulariser included); the weights were left as they were", i, x)
		}
	}
	ClipMax(d, max(cmp.Or(o.MaxNorm, declared.MaxNorm), 0))
	eta := cmp.Or(o.Step, declared.Step)
	if o.Shrink {
		eta /= float64(epoch + 1)
	}
	for i, x := range d {
		d[i] = min(max(eta*x, -maxMove), maxMove)
	}
	return nil
}

// MirrorDescent is exponentiated gradient descent on the unit simplex (paper,
// section 5): w_r ← w_r·e^(−η·g_r) / Σ_s w_s·e^(−η·g_s). It works on
// logarithms, so a step of any size leaves w on the simplex.
type MirrorDescent struct {
	WeightOptions

	step, next []float64
}

// floor is the least weight that mirror descent leaves: a weight of exactly 0 could never grow
// again.
const floor = 1e-12

// Update moves w, which must lie on the unit simplex.
func (m *MirrorDescent) Update(w, grad []float64, epoch int) error {
	m.next = resize(m.next, len(w))
	if err := m.move(&m.step, w, grad, epoch); err != nil {
		return err
	}
	top := math.Inf(-1)
	for i, x := range w {
		m.next[i] = math.Log(max(x, floor)) - m.step[i]
		top = max(top, m.next[i])
	}
	for i, z := range m.next {
		m.next[i] = math.Exp(z - top)
	}
	normalizeAbove(m.next, floor)
	copy(w, m.next)
	return nil
}

// ProjectedGradient is w ← P(w − η·g) with P the Euclidean projection on the
// unit simplex.
type ProjectedGradient struct {
	WeightOptions

	step []float64
}

// Update moves w.
func (p *ProjectedGradient) Update(w, grad []float64, epoch int) error {
	if err := p.move(&p.step, w, grad, epoch); err != nil {
		return err
	}
	for i, d := range p.step {
		w[i] -= d
	}
	ProjectSimplex(w)
	return nil
}

// GradientStep is w ← max(w − η·g, 0): the weights may sum to anything, but a
// negative one would have no convex energy.
type GradientStep struct {
	WeightOptions

	step []float64
}

// Update moves w.
func (s *GradientStep) Update(w, grad []float64, epoch int) error {
	if err := s.move(&s.step, w, grad, epoch); err != nil {
		return err
	}
	for i, d := range s.step {
		w[i] = max(w[i]-d, 0)
	}
	return nil
}

// normalizeAbove scales w ≥ 0 to sum 1 with no entry below floor: entries that
// would fall below are set to it and the others share the rest.
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
			} else {
				low++
			}
		}
		f := (1 - floor*float64(low)) / rest
		again := false
		for i, x := range w {
			if x > floor {
				w[i] = x * f
				again = again || w[i] < floor
			} else {
				w[i] = floor
			}
		}
		if !again {
			return
		}
	}
}

// resize returns a slice of length n, reusing x's array where it is large
// enough.
func resize(x []float64, n int) []float64 { return slices.Grow(x[:0], n)[:n] }
