package modelfile

import "math"

// calibrationBins are the bins of confidences, of equal width from 0 to 1.
const calibrationBins = 15

// calibration is the expected calibration error of a head in the last prediction,
//
//	Σ_b n_b/n · |accuracy of bin b − mean confidence of bin b|,
//
// over the entities whose true class is known, each in the bin of its confidence: the largest output of
// a softmax, the larger one of p and 1 − p for each output of sigmoids. It is false where no
// truth is known.
func (v *view[T]) calibration(h *head) (float64, bool) {
	var n, right, sure [calibrationBins]float64
	count := 0.0
	add := func(confidence float64, is bool) {
		b := min(int(confidence*calibrationBins), calibrationBins-1)
		n[b]++
		sure[b] += confidence
		if is {
			right[b]++
		}
		count++
	}
	for _, l := range v.labels {
		if l.output < h.from || l.output >= h.to {
			continue
		}
		p := v.last[l.entity*v.width+h.from : l.entity*v.width+h.to]
		if own := float64(p[l.output-h.from]); h.Output == "sigmoid" {
			add(max(own, 1-own), (own > 0.5) == (l.truth > 0.5))
			continue
		}
		if l.truth <= 0.5 { // an entity counts once, with its true class
			continue
		}
		best := 0
		for k, x := range p {
			if x > p[best] {
				best = k
			}
		}
		add(float64(p[best]), best == l.output-h.from)
	}
	sum := 0.0
	for b := range n {
		sum += math.Abs(right[b] - sure[b])
	}
	return sum / max(count, 1), count > 0
}
