package nn

import (
	"fmt"

	"gorgonia.org/gorgonia"

	"hinge/nn/kernel"
)

// CrossEntropy returns the scalar -1/N Σ_i log softmax(logits_i)[labels_i] for
// logits [N][C]. labels is read at every run, so the caller may overwrite it
// between runs; a label outside 0..C-1 is an error of the run.
func (b *Builder[T]) CrossEntropy(name string, logits *gorgonia.Node, labels []int) *gorgonia.Node {
	if b.failed(name, logits) {
		return nil
	}
	in := logits.Shape()
	if len(in) != 2 || len(labels) != in[0] {
		b.fail(name, "cross entropy wants N×C logits and N labels, not shape %v and %d labels", in, len(labels))
		return nil
	}
	n, classes := in[0], in[1]
	logp := make([]T, n*classes)
	o := &op[T]{
		name: "crossentropy " + name,
		wrt:  []bool{true},
		run: func(v [][]T, out []T) error {
			kernel.LogSoftmax(v[0], logp, n, classes)
			var sum float64
			for i, l := range labels {
				if l < 0 || l >= classes {
					return fmt.Errorf("label %d of example %d is not in 0..%d", l, i, classes-1)
				}
				sum -= float64(logp[i*classes+l])
			}
			out[0] = T(sum / float64(n))
			return nil
		},
	}
	o.diff = func(dy *gorgonia.Node) gorgonia.Nodes {
		return gorgonia.Nodes{b.gradient("dx "+o.name, in, func(v [][]T, dx []T) error {
			clear(dx)
			for i, l := range labels {
				dx[i*classes+l] = -v[0][0] / T(n)
			}
			kernel.LogSoftmaxBackward(dx, logp, dx, n, classes)
			return nil
		}, dy)}
	}
	return b.apply(o, nil, logits)
}

// SquaredError returns the scalar 1/N Σ (x - target)², N being the last axis
// but one of x. target has the size of x and is read at every run.
func (b *Builder[T]) SquaredError(name string, x *gorgonia.Node, target []T) *gorgonia.Node {
	if b.failed(name, x) {
		return nil
	}
	in := x.Shape()
	if len(in) < 2 || len(target) != size(in) {
		b.fail(name, "squared error wants a target of the size of x, not shape %v and %d numbers", in, len(target))
		return nil
	}
	n := in[len(in)-2]
	o := &op[T]{
		name: "squarederror " + name,
		wrt:  []bool{true},
		run: func(v [][]T, out []T) error {
			var sum float64
			for i, y := range v[0] {
				d := float64(y - target[i])
				sum += d * d
			}
			out[0] = T(sum / float64(n))
			return nil
		},
	}
	o.diff = func(dy *gorgonia.Node) gorgonia.Nodes {
		return gorgonia.Nodes{b.gradient("dx "+o.name, in, func(v [][]T, dx []T) error {
			for i, y := range v[0] {
				dx[i] = 2 * v[1][0] / T(n) * (y - target[i])
			}
			return nil
		}, x, dy)}
	}
	return b.apply(o, nil, x)
}
