package nn

import "gorgonia.org/gorgonia"

// A tape machine runs its ops in the same order each time and binds the same
// values to its nodes, but looks every one of them up again on its way: for
// ResNet18 nearly a millisecond a step, on one thread, in which the other threads
// find nothing to do. A graph that consists of this package's ops alone is
// therefore run by the machine once and then replayed.

// allOurs reports whether the graph's ops are all of this package. Leaves may be
// of any kind.
func allOurs[T Float](g *gorgonia.ExprGraph) bool {
	for _, n := range g.AllNodes() {
		if _, ours := n.Op().(*op[T]); !ours && !isLeaf(g, n) {
			return false
		}
	}
	return true
}

func isLeaf(g *gorgonia.ExprGraph, n *gorgonia.Node) bool { return g.From(n.ID()).Len() == 0 }

// replay runs ops that have run before. Outputs are where they were; the values
// of leaves may have been bound anew. The value of the leaf input is x.
func replay[T Float](ops []*op[T], input *gorgonia.Node, x []T) error {
	for _, o := range ops {
		if o.run == nil {
			continue
		}
		for i, n := range o.in {
			if s := source[T](n); s != nil {
				o.args[i] = s.data
			} else if n == input {
				o.args[i] = x
			} else {
				o.args[i] = values[T](n.Value())
			}
		}
		if err := o.execute(); err != nil {
			return err
		}
	}
	return nil
}
