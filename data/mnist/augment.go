package mnist

import (
	"fmt"
	"math"
)

// Settings are the amounts of distortion. The zero value leaves images as they are. Rotation,
// Shift, Scale, Stretch, Shear and Stroke are half-widths of uniform distributions around "no
// change".
type Settings struct {
	// Rotation is in degrees, around a mean of Turn degrees.
	Rotation, Turn float64
	// Shift is in pixels, drawn for each axis.
	Shift float64
	// Scale s magnifies the image by a factor in [1 − s, 1 + s]; Stretch
	// magnifies the horizontal axis by another such factor.
	Scale, Stretch float64
	// Shear k moves a pixel sideways by up to k times its height above the
	// centre.
	Shear float64
	// Elastic is the root mean square length, in pixels and for each axis, of
	// a smooth random displacement: a uniform cubic B-spline surface over a
	// 7×7 grid of independent Gaussian control values, 7 pixels apart.
	Elastic float64
	// Noise is an elastic displacement as image libraries draw it, at four times the
	// time of an image without it.
	Noise Noise
	// Stroke s makes strokes thicker or thinner: the image is blended, by a
	// share of up to s, with its dilation or its erosion by a 3×3 cross.
	Stroke float64
	// Erase blanks a random rectangle.
	Erase Erase
}

// Light is a distortion that suits a loss which is slow to leave uniform outputs.
func Light() Settings {
	return Settings{Rotation: 15, Shift: 2, Scale: .15, Shear: .15, Elastic: .35}
}

// Strong is the setting for training on 600 to 6,000 images.
func Strong() Settings {
	return Settings{Rotation: 20, Shift: 2, Scale: .2, Stretch: .1, Shear: .2, Elastic: .6, Stroke: .8}
}

// Named returns the setting of a name, light or strong; none for any other.
func Named(name string) Settings {
	switch name {
	case "light":
		return Light()
	case "strong":
		return Strong()
	}
	return Settings{}
}

// SimCLR has the ranges of the views in the reference experiments' contrastive
// pre-training: a rotation of 0 to 90 degrees, an elastic displacement of α = 125
// and σ = 5, and always an erased rectangle.
func SimCLR() Settings {
	return Settings{
		Rotation: 45, Turn: 45, Noise: Noise{Alpha: 125, Sigma: 5},
		Erase: Erase{Probability: 1, MinArea: .02, MaxArea: .33, MinRatio: .3, MaxRatio: 3.3},
	}
}

// Scaled returns the settings with every range, and the probability of erasing,
// multiplied by strength ≥ 0. Averaging predictions over views at about half
// the training strength is a usual form of test-time augmentation.
func (s Settings) Scaled(strength float64) Settings {
	for _, f := range []*float64{
		&s.Rotation, &s.Turn, &s.Shift, &s.Scale, &s.Stretch, &s.Shear, &s.Elastic, &s.Noise.Alpha, &s.Stroke, &s.Erase.Probability,
	} {
		*f *= strength
	}
	return s
}

// check reports the first value out of its range.
func (s Settings) check() error {
	for _, f := range []struct {
		name          string
		value, lo, hi float64
	}{
		{"Rotation", s.Rotation, 0, 180}, {"Turn", s.Turn, -180, 180}, {"Shift", s.Shift, 0, Side},
		{"Scale", s.Scale, 0, .9}, {"Stretch", s.Stretch, 0, .9}, {"Shear", s.Shear, 0, 4},
		{"Elastic", s.Elastic, 0, Side}, {"Stroke", s.Stroke, 0, 1},
	} {
		if !(f.value >= f.lo && f.value <= f.hi) {
			return fmt.Errorf("mnist: augmentation %s is %v, want %v to %v", f.name, f.value, f.lo, f.hi)
		}
	}
	if err := s.Noise.check(); err != nil {
		return err
	}
	return s.Erase.check()
}

// Augmenter distorts images. Its randomness is counter-based: the result is a
// pure function of the settings, the seed, the step and the position, and there
// is no state to save. It is safe for concurrent use.
type Augmenter struct {
	settings Settings
	seed     uint64
	smooth   *smoothing // of Noise; nil without
	views    bool       // see NewViewer
}

// NewAugmenter returns an Augmenter, or an error that names the setting out of
// range.
func NewAugmenter(s Settings, seed uint64) (*Augmenter, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	a := &Augmenter{settings: s, seed: seed}
	if s.Noise.Alpha > 0 {
		a.smooth = s.Noise.smoothing()
	}
	return a, nil
}

// NewViewer returns the Augmenter of the distorted views over which a test averages outputs:
// the settings Scaled by a strength, with draws that training with the same seed does not have. A
// view is a function of the image and its number, the step; positions do not count, so that an
// image is seen alike whichever others are beside it.
func NewViewer(s Settings, strength float64, seed uint64) (*Augmenter, error) {
	const stream = 0x7669657773 // "views", of the seed
	a, err := NewAugmenter(s.Scaled(strength), seed^stream)
	if err == nil {
		a.views = true
	}
	return a, err
}

// positionOf is a position for the image alone: a hash of its numbers, after FNV-1a.
func positionOf(image []float32) uint64 {
	h := uint64(14695981039346656037)
	for _, v := range image[:Pixels] {
		h = (h ^ uint64(math.Float32bits(v))) * 1099511628211
	}
	return h
}

// Ramped returns the Augmenter at a progress of 0 to 1 through a run over whose first part,
// ramp, the distortion grows linearly from none to its full strength; nil of nil.
func (a *Augmenter) Ramped(progress, ramp float64) (*Augmenter, error) {
	if a == nil || progress >= ramp {
		return a, nil
	}
	ramped, err := NewAugmenter(a.settings.Scaled(progress/ramp), a.seed)
	if err == nil {
		ramped.views = a.views
	}
	return ramped, err
}

// Apply writes a distorted version of the image raw (Pixels bytes, see
// [Part.Raw]) to dst[:Pixels], each pixel in [0, 1]. Two calls with the same
// step and position give the same pixels; callers use the training step and the
// place of the image in the step's batch. Space outside the image is
// background. It allocates nothing.
func (a *Augmenter) Apply(dst []float32, raw []uint8, step, position uint64) {
	dst = dst[:Pixels]
	for i, v := range raw[:Pixels] {
		dst[i] = intensity[v]
	}
	a.Distort(dst, step, position)
}

// Distort does to image[:Pixels] in place what Apply does to raw images. The background is 0.
func (a *Augmenter) Distort(image []float32, step, position uint64) {
	if a.views {
		position = positionOf(image)
	}
	g := newGenerator(a.seed, step, position)
	m := drawAffine(&g, &a.settings)

	var canvas paddedImage
	canvas.fill(image)
	if a.settings.Stroke > 0 {
		canvas.stroke(float32(g.symmetric(a.settings.Stroke)))
	}
	var field elasticField
	if a.settings.Elastic > 0 {
		field.draw(&g, a.settings.Elastic)
	}
	var noise noiseField
	if a.smooth != nil {
		noise.draw(&g, a.smooth)
	}
	image = image[:Pixels]
	var r row
	for y := range Side {
		r.set(&m, y)
		if a.settings.Elastic > 0 {
			field.displace(&r, y)
		}
		if a.smooth != nil {
			noise.displace(&r, y)
		}
		canvas.sample(image[y*Side:], &r)
	}
	if a.settings.Erase.Probability > 0 {
		a.settings.Erase.apply(&g, image)
	}
}
