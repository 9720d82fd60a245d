package modelfile

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// marginalLoss is how far the classes of a batch are from occurring equally often, summed over
// the heads of a network. For a softmax of C classes with beliefs p_i over entities i = 1 … n,
//
//	log C − H(p̄),   p̄ = 1/n Σ_i p_i,
//
// where H is the entropy, and for each sigmoid the same of its two values. It is 0 if the mean
// of the beliefs is uniform, and log C if all entities are certainly of one class. Its
// derivatives with respect to the first n rows of the logits z, [entities][outputs], times
// weight, are added to dz; the value is weighted as well. The beliefs are those without noise.
func (n *network[T]) marginalLoss(rows int, weight float64, z, dz []float64) float64 {
	if rows == 0 {
		return 0
	}
	loss := 0.0
	for i := range n.heads {
		h := &n.heads[i]
		if h.Output == "sigmoid" {
			for k := h.from; k < h.to; k++ {
				loss += marginalOf(rows, n.width, k, k+1, weight, z, dz)
			}
		} else {
			loss += marginalOf(rows, n.width, h.from, h.to, weight, z, dz)
		}
	}
	return loss
}

// marginalOf is marginalLoss of the logits from ≤ k < to of each row; a single one is a sigmoid,
// the softmax of itself and 0.
func marginalOf(rows, width, from, to int, weight float64, z, dz []float64) float64 {
	classes := max(to-from, 2)
	beliefs, mean := make([]float64, rows*classes), make([]float64, classes)
	for i := range rows {
		p := beliefs[i*classes:][:classes]
		clear(p)
		copy(p, z[i*width+from:i*width+to])
		shift := floats.LogSumExp(p)
		for k := range p {
			p[k] = math.Exp(p[k] - shift)
			mean[k] += p[k] / float64(rows)
		}
	}
	loss := math.Log(float64(classes))
	for k, m := range mean {
		loss += xlogx(m)
		mean[k] = math.Log(max(m, math.SmallestNonzeroFloat64))
	}
	for i := range rows {
		p := beliefs[i*classes:][:classes]
		own := 0.0
		for k, x := range p {
			own += x * mean[k]
		}
		for k := from; k < to; k++ {
			dz[i*width+k] += weight / float64(rows) * p[k-from] * (mean[k-from] - own)
		}
	}
	return weight * loss
}
