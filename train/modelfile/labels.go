package modelfile

import "math"

// labelLoss is the loss of the true values t of the network's own outputs, in the
// values of the last read: the cross entropy, summed over the labels,
//
//	−Σ t log p  for a softmax,   −Σ t log p + (1 − t) log (1 − p)  for a sigmoid.
func (v *view[T]) labelLoss() float64 {
	sum := 0.0
	for _, l := range v.labels {
		h, at := v.of(l.at)
		if h.Output == "sigmoid" {
			z := v.z[l.at]
			sum += l.truth*softplus(-z) + (1-l.truth)*softplus(z)
			continue
		}
		sum += l.truth * (logSum(v.z[at+h.from:at+h.to]) - v.z[l.at])
	}
	return sum
}

// softplus is log (1 + e^x).
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// of returns the head of an output, and the place of its entity's first output.
func (v *view[T]) of(at int) (*head, int) {
	k := at % v.width
	for i := range v.heads {
		if h := &v.heads[i]; k < h.to {
			return h, at - k
		}
	}
	panic("modelfile: an output without a head")
}

// addLabels adds weight times the derivatives of labelLoss for the logits to dp.
func (v *view[T]) addLabels(weight float64) {
	for _, l := range v.labels {
		h, at := v.of(l.at)
		if h.Output == "sigmoid" {
			v.dp[l.at] += weight * (v.p[l.at] - l.truth)
			continue
		}
		for k := at + h.from; k < at+h.to; k++ {
			v.dp[k] += weight * l.truth * v.p[k]
		}
		v.dp[l.at] -= weight * l.truth
	}
}
