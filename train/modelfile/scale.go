package modelfile

import (
	"math"

	"gorgonia.org/gorgonia"

	"hinge/nn"
	"hinge/symbolic/model"
)

// scaling is the name of the layer that scales features from columns.
const scaling = "scale"

// scaled puts a network behind the scaling of its features: (x − m)/√v, with m and v kept as the
// running statistics of a batch normalisation that never changes them.
func scaled[T nn.Float](define nn.Definition[T]) nn.Definition[T] {
	return func(b *nn.Builder[T], x *gorgonia.Node) *gorgonia.Node {
		return define(b, b.BatchNorm(scaling, x, nn.BatchNorm{Epsilon: 1e-37}))
	}
}

// scale sets the statistics to mean and variance of each number over the entities that the model's
// atoms of the network name; categories stay as they are, and so does a number that is the same
// everywhere, but for its mean. Weights that are loaded later bring their own statistics.
func (n *network[T]) scale(m *model.Model) error {
	e := n.table.Encoding
	if e == nil {
		return nil
	}
	ps := n.net.Params()
	if err := ps.Freeze("", scaling); err != nil {
		return err
	}
	numbers, seen := e.Numbers(), map[int]bool{}
	mean, square := make([]float64, len(numbers)), make([]float64, len(numbers))
	x := make([]float32, len(numbers))
	for i := range m.Data.DeepAtoms() {
		predicate, args := m.Data.DeepAtom(i)
		for _, h := range n.heads {
			row, ok := 0, false
			if h.predicate == predicate {
				row, ok = n.table.Find(h.entity(args)...)
			}
			if !ok || seen[row] {
				continue
			}
			seen[row] = true
			n.table.Row(x, row)
			for k, v := range x { // Welford's updates
				d := float64(v) - mean[k]
				mean[k] += d / float64(len(seen))
				square[k] += d * (float64(v) - mean[k])
			}
		}
	}
	running, variance := ps.Get(scaling+".running_mean"), ps.Get(scaling+".running_var")
	for k, number := range numbers {
		if !number {
			continue
		}
		running.Value[k] = T(mean[k])
		if v := square[k] / math.Max(float64(len(seen)), 1); v > 0 {
			variance.Value[k] = T(v)
		}
	}
	return nil
}
