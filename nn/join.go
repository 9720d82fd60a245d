package nn

import (
	"fmt"
	"slices"

	"gorgonia.org/gorgonia"
)

// Join makes one training graph of several networks, whose outputs have one loss. Network k
// sees batches[k] examples; Run takes the examples of all networks, one network after the
// other. join returns the Output of the graph, made of the networks' outputs. A network is
// there once: Gather and Reshape take the outputs of one batch apart, such as those of two views.
//
// Every network draws its noise by its own State.
func Join[T Float](nets []*Net[T], batches []int, join func(b *Builder[T], outputs gorgonia.Nodes) *gorgonia.Node) (*Graph[T], error) {
	if len(nets) == 0 || len(batches) != len(nets) {
		return nil, fmt.Errorf("nn: %d batch sizes for %d networks", len(batches), len(nets))
	}
	total := 0
	for k, n := range nets {
		if first := slices.Index(nets, n); first < k {
			return nil, fmt.Errorf("nn: network %d (from 0) is network %d again; give it the examples of both as one batch", k, first)
		}
		if batches[k] < 1 {
			return nil, fmt.Errorf("nn: batch size %d is not positive", batches[k])
		}
		total += batches[k] * size(n.example)
	}
	// The builder of what comes behind the networks; it has the parameters of all.
	all := &Builder[T]{Training: true, g: gorgonia.NewGraph(), params: new(Params[T]), state: &State{Temperature: 1},
		used: make(map[string]bool), needs: make(map[*gorgonia.Node]bool), joins: make(map[*op[T]]bool)}
	g := &Graph[T]{b: all, x: make([]T, total)}
	var outputs gorgonia.Nodes
	rest := g.x
	for k, n := range nets {
		m := batches[k] * size(n.example)
		b := n.builder(batches[k], true)
		b.g, b.needs, b.joins, b.prefix = all.g, all.needs, all.joins, fmt.Sprint(k, "/")
		b.ops = (k + 1) << 24 // numbers of ops are unique in a graph
		in, out, err := n.run(b, rest[:m:m])
		if err != nil {
			return nil, err
		}
		rest = rest[m:]
		if k == 0 {
			g.Input = in
		}
		outputs = append(outputs, out)
		all.learned, all.buffers = append(all.learned, b.learned...), append(all.buffers, b.buffers...)
		all.folded = append(all.folded, b.folded...)
	}
	g.Output = join(all, outputs)
	if all.err == nil && g.Output == nil {
		all.Fail("join", "returned no output")
	}
	return g, all.err
}

// Gather makes a vector of elements of other nodes: number i is element index[i] of the
// elements of all xs one after the other, 0 where that is negative. index is read at every
// run; the gradient of an element is the sum over its places.
func (b *Builder[T]) Gather(name string, index []int, xs ...*gorgonia.Node) *gorgonia.Node {
	if b.failed(name, xs...) {
		return nil
	}
	o := &op[T]{name: "gather " + name, run: func(v [][]T, out []T) error {
		for i, at := range index {
			out[i] = 0
			if at < 0 {
				continue
			}
			k := 0
			for k < len(v) && at >= len(v[k]) {
				at -= len(v[k])
				k++
			}
			if k == len(v) {
				return fmt.Errorf("gather %s: place %d is beyond the inputs", name, index[i])
			}
			out[i] = v[k][at]
		}
		return nil
	}}
	o.diff = func(dy *gorgonia.Node) gorgonia.Nodes {
		grads := make(gorgonia.Nodes, len(xs))
		from := 0
		for k, x := range xs {
			n := x.Shape().TotalSize()
			lo := from
			from += n
			if !o.wrt[k] {
				continue
			}
			grads[k] = b.gradient(fmt.Sprintf("dx%d gather %s", k, name), x.Shape(), func(v [][]T, dx []T) {
				clear(dx)
				for i, at := range index {
					if at >= lo && at < lo+n {
						dx[at-lo] += v[0][i]
					}
				}
			}, dy)
		}
		return grads
	}
	return b.apply(o, []int{len(index)}, xs...)
}
