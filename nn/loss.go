package nn

import (
	"fmt"
	"math"
	"slices"

	"gorgonia.org/gorgonia"

	"hinge/nn/kernel"
)

// CrossEntropy returns the scalar
// −Σ_i weights[i]·log softmax(logits_i)[labels_i] / Σ_i weights[i] for logits
// [N][C]. Weights are 0 or more; without them (nil) all examples count alike. labels and weights
// are read at every run, so the caller may overwrite them between runs. Examples of weight 0 need no
// label; a label outside 0..C-1 of another is an error of the run, as is a weight below 0. Where all
// weights are 0 the loss is 0.
func (b *Builder[T]) CrossEntropy(name string, logits *gorgonia.Node, labels []int, weights []T) *gorgonia.Node {
	if b.failed(name, logits) {
		return nil
	}
	in := logits.Shape()
	if weights == nil {
		weights = slices.Repeat([]T{1}, len(labels))
	}
	if len(in) != 2 || len(labels) != in[0] || len(weights) != in[0] {
		return b.Fail(name, "cross entropy wants N×C logits, N labels and N weights, not shape %v, %d labels and %d weights", in, len(labels), len(weights))
	}
	n, classes := in[0], in[1]
	logp := make([]T, n*classes)
	total := func() float64 {
		sum := 0.0
		for _, w := range weights {
			sum += float64(w)
		}
		return max(sum, 1e-30)
	}
	return b.unary("crossentropy "+name, logits, nil, func(x, y []T) error {
		kernel.LogSoftmax(x, logp, n, classes)
		var sum float64
		for i, l := range labels {
			if weights[i] == 0 {
				continue
			}
			if !(weights[i] > 0) {
				return fmt.Errorf("weight %v of example %d is not 0 or more", weights[i], i)
			}
			if l < 0 || l >= classes {
				return fmt.Errorf("label %d of example %d is not in 0..%d", l, i, classes-1)
			}
			sum -= float64(weights[i]) * float64(logp[i*classes+l])
		}
		y[0] = T(sum / total())
		return nil
	}, 0, func(dy, _, _, dx []T) {
		clear(dx)
		scale := dy[0] / T(total())
		for i, l := range labels {
			if weights[i] != 0 {
				dx[i*classes+l] = -weights[i] * scale
			}
		}
		kernel.LogSoftmaxBackward(dx, logp, dx, n, classes)
	})
}

// SquaredError returns the scalar 1/N Σ (x - target)², N being the last axis
// but one of x. target has the size of x and is read at every run.
func (b *Builder[T]) SquaredError(name string, x *gorgonia.Node, target []T) *gorgonia.Node {
	return b.distance("squared error", name, x, target, func(y, t T) float64 {
		d := float64(y - t)
		return d * d
	}, func(y, t T) T { return 2 * (y - t) })
}

// leastLog and leastChance bound the logarithm of a probability and the probability under a
// derivative, as in PyTorch's binary_cross_entropy.
const leastLog, leastChance = -100, 1e-12

// BinaryCrossEntropy returns the scalar −1/N Σ (t·log p + (1−t)·log(1−p)) of probabilities p
// and targets t, both 0 to 1; N and target are as for SquaredError. Logarithms are at least
// −100, so loss and gradient are finite at 0 and 1.
func (b *Builder[T]) BinaryCrossEntropy(name string, p *gorgonia.Node, target []T) *gorgonia.Node {
	return b.distance("binary cross entropy", name, p, target, func(p, t T) float64 {
		return -float64(t)*max(leastLog, math.Log(float64(p))) - (1-float64(t))*max(leastLog, math.Log1p(-float64(p)))
	}, func(p, t T) T { return T(float64(p-t) / max(leastChance, float64(p)*(1-float64(p)))) })
}

// CategoricalCrossEntropy returns the scalar −1/N Σ t·log p of rows of probabilities p and
// rows of targets t. N, target and the bound of the logarithms are as for BinaryCrossEntropy.
// Where there are logits, CrossEntropy of them keeps more digits.
func (b *Builder[T]) CategoricalCrossEntropy(name string, p *gorgonia.Node, target []T) *gorgonia.Node {
	return b.distance("categorical cross entropy", name, p, target, func(p, t T) float64 {
		return -float64(t) * max(leastLog, math.Log(float64(p)))
	}, func(p, t T) T { return T(-float64(t) / max(leastChance, float64(p))) })
}

// distance returns 1/N Σ f(x, target), N being the last axis but one of x; slope is the
// derivative of f by x.
func (b *Builder[T]) distance(kind, name string, x *gorgonia.Node, target []T, f func(x, t T) float64, slope func(x, t T) T) *gorgonia.Node {
	if b.failed(name, x) {
		return nil
	}
	in := x.Shape()
	if len(in) < 2 || len(target) != size(in) {
		return b.Fail(name, "a %s wants a target of the size of x, not shape %v and %d numbers", kind, in, len(target))
	}
	n := in[len(in)-2]
	return b.unary(kind+" "+name, x, nil, func(x, y []T) error {
		var sum float64
		for i, v := range x {
			sum += f(v, target[i])
		}
		y[0] = T(sum / float64(n))
		return nil
	}, readsX, func(dy, x, _, dx []T) {
		for i, v := range x {
			dx[i] = dy[0] / T(n) * slope(v, target[i])
		}
	})
}
