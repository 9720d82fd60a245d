package nn

import (
	"math"
	"math/rand/v2"

	"gorgonia.org/gorgonia"
)

// gumbelFloor keeps the logarithm finite; the value is the reference
// implementation's.
const gumbelFloor = 1e-12

// gumbel maps an exponential variable of rate one to a standard Gumbel one.
func gumbel(e float64) float64 { return -math.Log(e + gumbelFloor) }

// GumbelSoftmax draws K relaxed one-hot samples of each row of logits [N][C],
// giving [K][N][C] (Jang et al., 2017, without straight-through):
//
//	softmax((logits + G)/τ),  G = -log(E + 1e-12),  E = -log U exponential
//
// E is drawn directly, without the inner logarithm of a uniform U.
// The network in front runs once for all K samples; the gradient of logits is
// the sum over them. τ is State.Temperature at the time of the run, and the
// noise a function of the network's State and the name.
func (b *Builder[T]) GumbelSoftmax(name string, logits *gorgonia.Node, samples int) *gorgonia.Node {
	if b.failed(name, logits) {
		return nil
	}
	in := logits.Shape()
	if len(in) != 2 || samples < 1 {
		b.fail(name, "Gumbel softmax wants N×C and at least one sample, not shape %v and %d samples", in, samples)
		return nil
	}
	n, classes := in[0], in[1]
	pcg, purpose := rand.NewPCG(0, 0), purposeOf("gumbel "+name)
	source := rand.New(pcg)
	o := &op[T]{
		name: "gumbel " + name,
		wrt:  []bool{true},
		run: func(v [][]T, out []T) error {
			if err := b.state.check(); err != nil {
				return err
			}
			b.state.stream(pcg, purpose)
			scale := T(1 / b.state.Temperature)
			for lo := 0; lo < len(out); lo += classes {
				row, x := out[lo:lo+classes], v[0][lo%(n*classes):]
				for i := range row {
					row[i] = x[i] + T(gumbel(source.ExpFloat64()))
				}
				softmaxRow(row, row, scale)
			}
			return nil
		},
	}
	var y *gorgonia.Node
	o.diff = func(dy *gorgonia.Node) gorgonia.Nodes {
		return gorgonia.Nodes{b.gradient("dx gumbel "+name, in, func(v [][]T, dx []T) error {
			clear(dx)
			scale := T(1 / b.state.Temperature)
			for lo := 0; lo < len(v[0]); lo += classes {
				at := lo % (n * classes)
				addSoftmaxGrad(dx[at:at+classes], v[0][lo:lo+classes], v[1][lo:lo+classes], scale)
			}
			return nil
		}, y, dy)}
	}
	y = b.apply(o, []int{samples, n, classes}, logits)
	return y
}
