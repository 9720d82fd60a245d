package mnist

import (
	"errors"
	"math"
)

// Erase blanks one rectangle of an image with a given probability: its share of
// the image's area is uniform, its ratio of height to width log-uniform. A
// rectangle that does not fit is drawn again, up to ten times.
type Erase struct {
	// Probability is 0 (never) to 1 (always).
	Probability float64
	// MinArea and MaxArea bound the area, 0 to 1.
	MinArea, MaxArea float64
	// MinRatio and MaxRatio bound the ratio of height to width.
	MinRatio, MaxRatio float64
}

// check reports values out of range.
func (e *Erase) check() error {
	switch {
	case !(e.Probability >= 0 && e.Probability <= 1):
		return errors.New("mnist: augmentation Erase.Probability must be 0 to 1")
	case e.Probability == 0:
		return nil
	case !(0 <= e.MinArea && e.MinArea <= e.MaxArea && e.MaxArea <= 1):
		return errors.New("mnist: augmentation Erase needs 0 ≤ MinArea ≤ MaxArea ≤ 1")
	case !(0 < e.MinRatio && e.MinRatio <= e.MaxRatio) || math.IsInf(e.MaxRatio, 0):
		return errors.New("mnist: augmentation Erase needs 0 < MinRatio ≤ MaxRatio")
	}
	return nil
}

// apply blanks a rectangle of dst.
func (e *Erase) apply(g *generator, dst []float32) {
	if g.unit() >= e.Probability {
		return
	}
	const tries = 10
	for range tries {
		area := Pixels * (e.MinArea + (e.MaxArea-e.MinArea)*g.unit())
		low, high := math.Log(e.MinRatio), math.Log(e.MaxRatio)
		ratio := math.Exp(low + (high-low)*g.unit())
		h, w := int(math.Round(math.Sqrt(area*ratio))), int(math.Round(math.Sqrt(area/ratio)))
		if h >= Side || w >= Side {
			continue
		}
		top, left := g.below(Side-h+1), g.below(Side-w+1)
		for y := top; y < top+h; y++ {
			clear(dst[y*Side+left:][:w])
		}
		return
	}
}
