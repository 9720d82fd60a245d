package modelfile

import (
	"fmt"

	"gorgonia.org/gorgonia"

	"hinge/bilevel"
	"hinge/nn"
)

// pass is the training graph of all networks, with a number of entities for each. Its output
// is the neural outputs of the loaded examples, draw after draw.
type pass[T nn.Float] struct {
	views    []*view[T]
	graph    *nn.Graph[T]
	counts   []int // entities of each network
	starts   []int // where the outputs of each network begin among the outputs of all networks
	draws    int
	room     int            // neural outputs of a draw
	index    []int          // of each: its place among the outputs of all networks, -1 none
	logits   gorgonia.Nodes // of each network
	all      gorgonia.Nodes // outputs of each network
	x        []T
	always   [][]label // by network: labels of every step besides the examples' own, or nil
	labels   [][]label // of the loaded examples, by network; entities are rows of the graph
	rows     []int     // of each network: how many rows of the graph are entities of the examples
	weight   float64   // of labels
	marginal float64   // of the marginal of classes
}

func newPass[T nn.Float](views []*view[T], counts []int, draws, room int) (*pass[T], error) {
	p := &pass[T]{views: views, counts: counts, draws: draws, room: room, index: make([]int, draws*room), labels: make([][]label, len(views)), rows: make([]int, len(views))}
	var nets []*nn.Net[T]
	at := 0
	for k, v := range views {
		nets = append(nets, v.net)
		p.starts = append(p.starts, at)
		at += draws * counts[k] * v.width
	}
	var err error
	p.graph, err = nn.Join(nets, counts, func(b *nn.Builder[T], outputs gorgonia.Nodes) *gorgonia.Node {
		p.all = outputs
		return b.Gather("g", p.index, outputs...)
	})
	for _, v := range views {
		p.logits = append(p.logits, v.logits)
	}
	return p, err
}

// terms returns the losses of each network besides the loss of the rules: of its labels and of the
// marginal of its classes. Unless all are asked for, a network without either has none.
func (p *pass[T]) terms(all bool) (terms []bilevel.Term) {
	for k, v := range p.views {
		if !all && len(v.labels) == 0 && p.marginal == 0 {
			continue
		}
		terms = append(terms, func(*gorgonia.Node) (*gorgonia.Node, error) {
			return bilevel.Function("labels and marginal of "+v.name, nil, p.logits[k], func(_, z, _, dz []float64) (float64, error) {
				loss := v.labelLoss(p.labels[k], p.weight, z, dz)
				if p.marginal > 0 {
					loss += v.marginalLoss(p.rows[k], p.marginal, z, dz)
				}
				return loss, nil
			})
		})
	}
	return terms
}

// compile compiles the graph with the losses of the labels alone. Networks without labels have
// a gradient of zero.
func (p *pass[T]) compile() error {
	var loss *gorgonia.Node
	for _, term := range p.terms(true) {
		next, err := term(nil)
		if err == nil && loss != nil {
			next, err = gorgonia.Add(loss, next)
		}
		if err != nil {
			return err
		}
		loss = next
	}
	_, err := p.graph.Compile(loss)
	return err
}

// load makes the next run one over these examples, in their order, and returns its inputs.
// Rows of the graph that are left over repeat the entities of the examples.
func (p *pass[T]) load(list []*example) ([]T, error) {
	for i := range p.index {
		p.index[i] = -1
	}
	p.x = p.x[:0]
	rows := make([][]int, len(p.views))
	row := make([]map[int]int, len(p.views)) // of an entity
	for k, v := range p.views {
		row[k], p.labels[k] = map[int]int{}, p.labels[k][:0]
		place := func(entity int) int {
			at, known := row[k][entity]
			if !known {
				at = len(rows[k])
				row[k][entity], rows[k] = at, append(rows[k], entity)
			}
			return at
		}
		learn := func(labels []label) {
			for _, l := range labels {
				l.entity = place(l.entity)
				p.labels[k] = append(p.labels[k], l)
			}
		}
		for _, e := range list {
			for _, entity := range e.entities[k] {
				place(entity)
			}
			learn(e.labels[k])
		}
		if p.always != nil {
			learn(p.always[k])
		}
		if len(rows[k]) > p.counts[k] {
			return nil, fmt.Errorf("modelfile: a batch of %d entities of %s, there is room for %d", len(rows[k]), v.name, p.counts[k])
		}
		p.rows[k] = len(rows[k])
		for i := range p.counts[k] {
			entity := 0
			if n := len(rows[k]); n > 0 {
				entity = rows[k][i%n]
			}
			p.x = append(p.x, v.row(entity)...)
		}
	}
	at := 0
	for _, e := range list {
		for j, o := range e.outputs {
			for draw := range p.draws {
				k := o.network
				p.index[draw*p.room+at+j] = p.starts[k] + (draw*p.counts[k]+row[k][o.entity])*p.views[k].width + o.output
			}
		}
		at += len(e.outputs)
	}
	return p.x, nil
}
