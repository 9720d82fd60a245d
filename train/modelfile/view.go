package modelfile

import (
	"math"

	"hinge/nn"
	"hinge/symbolic/ground"
	"hinge/symbolic/model"
)

// view is a network as a partition of the data sees it: the entities that its atoms
// name, and what each output means.
type view[T nn.Float] struct {
	*network[T]
	x      []T // [entities][features]
	count  int // entities
	atoms  []atom
	labels []label

	// Of the last outputs, [count][width]: the logits, the values and the
	// derivatives of the values.
	z, p, dp []float64
}

// atom is a deep atom: its column in g and the place of its value among the outputs.
type atom struct{ column, at int }

// label is the true value of an output.
type label struct {
	at    int
	truth float64
}

// see makes the view of a partition. The entities are in the order of their first
// atoms.
func (n *network[T]) see(m *model.Model) (*view[T], error) {
	v := &view[T]{network: n}
	places := map[int]int{} // by row of the table
	width := n.table.Width()
	row := make([]float32, width)
	for i := range n.heads {
		h := &n.heads[i]
		for a := range m.Data.Atoms(h.predicate) {
			if a.Kind != ground.Deep {
				continue
			}
			r, ok := n.table.Find(h.entity(a.Args)...)
			if !ok {
				return nil, h.missing(h.predicate, a.Args, n.heads[0].Features)
			}
			place, seen := places[r]
			if !seen {
				place = v.count
				places[r] = place
				v.count++
				n.table.Row(row, r)
				for _, f := range row {
					v.x = append(v.x, T(f))
				}
			}
			at := place*n.width + h.output(a.Args)
			v.atoms = append(v.atoms, atom{a.Index, at})
			if truth, ok := m.Data.DeepTruth(a.Index); ok {
				v.labels = append(v.labels, label{at, truth})
			}
		}
	}
	size := v.count * n.width
	v.z, v.p, v.dp = make([]float64, size), make([]float64, size), make([]float64, size)
	return v, nil
}

// read turns logits into values, and those of the atoms into neural outputs g.
func (v *view[T]) read(logits []T, g []float64) {
	for i, x := range logits {
		v.z[i] = float64(x)
	}
	v.each(func(h *head, z, p, _ []float64) {
		if h.Output == "sigmoid" {
			for k, x := range z {
				p[k] = 1 / (1 + math.Exp(-x))
			}
			return
		}
		shift := logSum(z)
		for k, x := range z {
			p[k] = math.Exp(x - shift)
		}
	})
	for _, a := range v.atoms {
		g[a.column] = v.p[a.at]
	}
}

// each calls f with the outputs of each entity that belong to a head.
func (v *view[T]) each(f func(h *head, z, p, dp []float64)) {
	for at := 0; at < len(v.z); at += v.width {
		for i := range v.heads {
			h := &v.heads[i]
			f(h, v.z[at+h.from:at+h.to], v.p[at+h.from:at+h.to], v.dp[at+h.from:at+h.to])
		}
	}
}

// logSum returns log Σ e^z.
func logSum(z []float64) float64 {
	top := z[0]
	for _, x := range z {
		top = max(top, x)
	}
	sum := 0.0
	for _, x := range z {
		sum += math.Exp(x - top)
	}
	return top + math.Log(sum)
}

// write turns the derivatives dg of a loss for the neural outputs into those for the
// logits, and adds those of the labels times weight.
func (v *view[T]) write(dg []float64, weight float64, dlogits []T) {
	clear(v.dp)
	for _, a := range v.atoms {
		v.dp[a.at] = dg[a.column]
	}
	v.each(func(h *head, _, p, dp []float64) {
		dot := 0.0
		if h.Output == "softmax" {
			for k := range p {
				dot += p[k] * dp[k]
			}
		}
		for k, x := range p {
			if h.Output == "sigmoid" {
				dp[k] *= x * (1 - x)
			} else {
				dp[k] = x * (dp[k] - dot)
			}
		}
	})
	v.addLabels(weight)
	for i, d := range v.dp {
		dlogits[i] = T(d)
	}
}
