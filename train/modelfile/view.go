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
	x      []T         // [entities][features]
	count  int         // entities
	names  [][]string  // of them
	places map[int]int // of them by row of the table
	atoms  []atom
	labels []label
	last   []T // outputs of the last prediction, [count][width]
}

// atom is a neural atom: its column in g, and the output of an entity that is its value.
type atom struct{ column, entity, output int }

// label is the true value of an output of an entity.
type label struct {
	entity, output int
	truth          float64
}

// see makes the view of a partition. The entities are in the order of their first
// atoms.
func (n *network[T]) see(m *model.Model) (*view[T], error) {
	v := &view[T]{network: n, places: map[int]int{}}
	width := n.table.Width()
	row := make([]float32, width)
	for i := range n.heads {
		h := &n.heads[i]
		for a := range m.Data.Atoms(h.predicate, ground.Deep) {
			r, ok := n.table.Find(h.entity(a.Args)...)
			if !ok {
				return nil, h.missing(h.predicate, a.Args, n.heads[0].Features)
			}
			place, seen := v.places[r]
			if !seen {
				place = v.count
				v.places[r] = place
				v.count++
				v.names = append(v.names, h.entity(a.Args))
				n.table.Row(row, r)
				for _, f := range row {
					v.x = append(v.x, T(f))
				}
			}
			v.atoms = append(v.atoms, atom{a.Index, place, h.output(a.Args)})
			if truth, ok := m.Data.DeepTruth(a.Index); ok {
				v.labels = append(v.labels, label{place, h.output(a.Args), truth})
			}
		}
	}
	return v, nil
}

func (v *view[T]) row(entity int) []T {
	width := len(v.x) / v.count
	return v.x[entity*width:][:width]
}

func (n *network[T]) of(output int) *head {
	for i := range n.heads {
		if h := &n.heads[i]; output < h.to {
			return h
		}
	}
	panic("modelfile: an output without a head")
}

// predict returns the neural outputs of a partition in evaluation mode.
func predict[T nn.Float](views []*view[T], deep int, l look) ([]float64, error) {
	g := make([]float64, deep)
	for _, v := range views {
		var err error
		if v.last, err = v.at(l, v.x, v.count); err != nil {
			return nil, err
		}
		for _, a := range v.atoms {
			g[a.column] = float64(v.last[a.entity*v.width+a.output])
		}
	}
	return g, nil
}

// entropy returns the mean entropy of the last prediction divided by the entropy of uniform
// outputs.
func (v *view[T]) entropy() float64 {
	sum := 0.0
	for at := 0; at < len(v.last); at += v.width {
		for i := range v.heads {
			h := &v.heads[i]
			p := v.last[at+h.from : at+h.to]
			for _, x := range p {
				x := float64(x)
				switch {
				case h.Output == "sigmoid":
					sum -= (xlogx(x) + xlogx(1-x)) / (math.Ln2 * float64(len(p)))
				case len(p) > 1:
					sum -= xlogx(x) / math.Log(float64(len(p)))
				}
			}
		}
	}
	return sum / float64(max(v.count*len(v.heads), 1))
}

// xlogx is x log x, 0 at 0.
func xlogx(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return x * math.Log(x)
}
