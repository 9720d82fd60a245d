package modelfile

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
	"hinge/train/learning"
)

// example is a part of a partition that is learned from: one or several components of its
// ground program, whose targets no row shares with others, and the outputs of the networks
// in their rows.
type example struct {
	template *lcqp.Template
	targets  []int32   // of the partition
	truth    []float64 // of the targets, NaN where latent
	outputs  []output  // of the template's neural outputs
	entities [][]int   // by network: whose outputs these are, and those that labels below name
	labels   [][]label // by network: true values of outputs, each in one example
}

// output is where a neural output comes from: an output of an entity of a network.
type output struct{ network, entity, output int }

// outputs lists where the neural outputs of the partition come from, by column.
func (p *part) outputs() []output {
	list := make([]output, p.Data.DeepAtoms())
	for k, v := range p.views {
		for _, a := range v.atoms {
			list[a.column] = output{k, a.entity, a.output}
		}
	}
	return list
}

// whole is the partition as one example. In its program the outputs of a head for an entity
// are one behind the other, in whatever order the data have their atoms.
func (p *part) whole() (*example, error) {
	e := &example{truth: p.labels}
	for i := range p.labels {
		e.targets = append(e.targets, int32(i))
	}
	for _, v := range p.views {
		e.entities, e.labels = append(e.entities, learning.All(v.count)), append(e.labels, v.labels)
	}
	outputs := p.outputs()
	row := func(column int) output { // named by the head's first output
		o := outputs[column]
		o.output = p.views[o.network].of(o.output).from
		return o
	}
	columns := learning.All(len(outputs))
	first := map[output]int{} // column of a row
	for _, c := range slices.Backward(columns) {
		first[row(c)] = c
	}
	slices.SortFunc(columns, func(a, b int) int {
		return cmp.Or(cmp.Compare(first[row(a)], first[row(b)]), cmp.Compare(outputs[a].output, outputs[b].output))
	})
	for _, c := range columns {
		e.outputs = append(e.outputs, outputs[c])
	}
	var err error
	e.template, err = reordered(p.template, columns)
	return e, err
}

// reordered returns the program whose neural output i is output columns[i] of t: t itself if
// nothing moves.
func reordered(t *lcqp.Template, columns []int) (*lcqp.Template, error) {
	if slices.IsSorted(columns) {
		return t, nil
	}
	q := *t.Program()
	q.Deep = nil
	at := make([]int32, len(columns))
	for i, c := range columns {
		at[c] = int32(i)
		q.Deep = append(q.Deep, t.Program().Deep[c])
	}
	for _, rows := range []*hlmrf.Rows{&q.Constraints, &q.Potentials} {
		old := *rows
		*rows = hlmrf.Rows{}
		for k := range old.Len() {
			deep, deepVal := old.DeepRow(k)
			coefficient := map[int32]float64{}
			for j, c := range deep {
				coefficient[at[c]] = deepVal[j]
			}
			moved := slices.Sorted(maps.Keys(coefficient))
			deepVal = nil
			for _, c := range moved {
				deepVal = append(deepVal, coefficient[c])
			}
			col, val := old.Row(k)
			rows.Append(col, val, moved, deepVal, old.Const[k])
		}
	}
	return lcqp.Compile(&q)
}

// divided returns the components of the ground program as examples. Rows without targets
// belong to an example that has one of their outputs. If there is none, rows that share
// outputs form an example of their own. A label belongs to the first example with its entity;
// entities without rows are distributed over the examples.
//
// If the examples do not fill the last batch, empty ones do, so that an epoch passes over each
// example once.
//
// Without labels the examples have none.
func (p *part) divided(batch int, labels bool) ([]*example, error) {
	whole, err := p.whole()
	if err != nil {
		return nil, err
	}
	pieces, err := piecesOf(whole.template)
	if err != nil {
		return nil, err
	}
	var list []*example
	home := make([][]int, len(p.views)) // of each entity
	for k, v := range p.views {
		home[k] = slices.Repeat([]int{-1}, v.count)
	}
	for _, q := range pieces {
		e := &example{template: q.template, targets: q.targets, entities: make([][]int, len(p.views)), labels: make([][]label, len(p.views))}
		for _, c := range q.columns {
			o := whole.outputs[c]
			e.outputs = append(e.outputs, o)
			e.entities[o.network] = append(e.entities[o.network], o.entity)
			if h := &home[o.network][o.entity]; *h < 0 {
				*h = len(list)
			}
		}
		for k := range e.entities {
			slices.Sort(e.entities[k])
			e.entities[k] = slices.Compact(e.entities[k])
		}
		for _, i := range q.targets {
			e.truth = append(e.truth, p.labels[i])
		}
		list = append(list, e)
	}
	dealt := 0
	for k, v := range p.views {
		for _, l := range v.labels {
			if !labels {
				break
			}
			h := &home[k][l.entity]
			if *h < 0 {
				*h = dealt % len(list)
				dealt++
				list[*h].entities[k] = append(list[*h].entities[k], l.entity)
			}
			list[*h].labels[k] = append(list[*h].labels[k], l)
		}
	}
	for len(list) >= batch && len(list)%batch != 0 {
		nothing := p.template.Part(nil, nil)
		nothing.Deep = nil
		empty, err := lcqp.Compile(nothing)
		if err != nil {
			return nil, err
		}
		list = append(list, &example{template: empty, entities: make([][]int, len(p.views)), labels: make([][]label, len(p.views))})
	}
	return list, nil
}

// piece is a block as a separate program, which pieces with equal rows share, and the columns
// of its neural outputs in the whole program, increasing.
type piece struct {
	block
	template *lcqp.Template
	columns  []int32
}

func piecesOf(t *lcqp.Template) ([]piece, error) {
	shared := map[string]*lcqp.Template{}
	var list []piece
	for _, g := range blocksOf(t) {
		q, columns := g.cut(t)
		next, err := lcqp.Compile(q)
		if err != nil {
			return nil, err
		}
		key := structure(next)
		if shared[key] == nil {
			shared[key] = next
		}
		list = append(list, piece{g, shared[key], columns})
	}
	return list, nil
}

// block is a part of a program: targets, and the rows with them and with no others.
type block struct{ targets, rows []int32 }

// cut returns the block as a separate program, and for each of its neural outputs the column
// in the whole program. It sorts the block.
func (g *block) cut(t *lcqp.Template) (q *hlmrf.Program, columns []int32) {
	slices.Sort(g.targets)
	slices.Sort(g.rows)
	q = t.Part(g.targets, g.rows)
	columns = slices.Concat(q.Constraints.DeepCol, q.Potentials.DeepCol)
	slices.Sort(columns)
	columns = slices.Compact(columns)
	q.Deep = nil
	for _, c := range columns {
		q.Deep = append(q.Deep, t.Program().Deep[c])
	}
	for _, list := range [][]int32{q.Constraints.DeepCol, q.Potentials.DeepCol} {
		for i, c := range list {
			at, _ := slices.BinarySearch(columns, c)
			list[i] = int32(at)
		}
	}
	return q, columns
}

// blocksOf lists the components of a program and what its rows without targets go with.
func blocksOf(t *lcqp.Template) (blocks []block) {
	home := map[int32]int{} // the first block with a neural output
	claim := func(rows []int32, at int) {
		for _, k := range rows {
			for _, c := range t.DeepCol[t.DeepPtr[k]:t.DeepPtr[k+1]] {
				if _, known := home[c]; !known {
					home[c] = at
				}
			}
		}
	}
	var rest []int32
	for _, c := range t.Components {
		if len(c.Targets) == 0 {
			rest = append(rest, c.Rows...)
			continue
		}
		claim(c.Rows, len(blocks))
		blocks = append(blocks, block{slices.Clone(c.Targets), slices.Clone(c.Rows)})
	}
	for _, k := range rest {
		at := -1
		for _, c := range t.DeepCol[t.DeepPtr[k]:t.DeepPtr[k+1]] {
			if h, known := home[c]; known {
				at = h
				break
			}
		}
		switch {
		case at < 0 && t.DeepPtr[k] == t.DeepPtr[k+1] && len(blocks) > 0:
			at = 0 // a constant
		case at < 0:
			at = len(blocks)
			blocks = append(blocks, block{})
		}
		blocks[at].rows = append(blocks[at].rows, k)
		claim([]int32{k}, at)
	}
	return blocks
}

// structure is equal for templates that differ only in names.
func structure(t *lcqp.Template) string {
	var b bytes.Buffer
	t.Digest(&b)
	return b.String()
}
