package modelfile

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"gorgonia.org/gorgonia"

	"hinge/data/features"
	"hinge/models/catalog"
	"hinge/models/sequential"
	"hinge/nn"
	"hinge/symbolic/facts"
	"hinge/symbolic/model"
	"hinge/train/half"
)

// network is a network of a model file with the predicates that its outputs are the
// values of. T is float32 but where derivatives are checked.
type network[T nn.Float] struct {
	name   string // of the predicate that describes it
	net    *nn.Net[T]
	table  *features.Table
	heads  []head
	width  int              // outputs an entity
	define nn.Definition[T] // to the logits
	// logits are the logits of the training graph that was built last.
	logits *gorgonia.Node
}

// head is the part of a network's outputs that belongs to a predicate: the columns
// from ≤ k < to of an entity.
type head struct {
	predicate string
	*model.Network
	from, to int
}

// newNetworks builds the networks of a model, in the order of its predicates, with parameters
// drawn from seed. root is the data root of MNIST's images; draws is the way outputs are
// drawn.
func newNetworks[T nn.Float](m *model.Model, seed uint64, root string, draws nn.Sampling) ([]*network[T], error) {
	const initStream = 0x6d6f64656c // "model"
	var list []*network[T]
	owner := map[string]*network[T]{}
	tables := map[string]*features.Table{}
	for _, p := range m.Predicates {
		if p.Network == nil {
			continue
		}
		n := owner[p.Network.Share]
		if n == nil {
			table, err := readTable(p.Network, root, tables)
			if err != nil {
				return nil, err
			}
			n = &network[T]{name: p.Name, table: table}
			owner[p.Name] = n
			list = append(list, n)
		} else if f := len(n.heads[0].Entity); f != len(p.Network.Entity) {
			return nil, &model.Error{Pos: p.Network.Pos, Msg: fmt.Sprintf("an entity of %s has %d arguments, one of %s, whose features it shares, %d",
				p.Name, len(p.Network.Entity), n.name, f)}
		}
		n.heads = append(n.heads, head{p.Name, p.Network, n.width, n.width + p.Network.Width()})
		n.width += p.Network.Width()
	}
	for k, n := range list {
		d := n.heads[0]
		rng := rand.New(rand.NewPCG(seed, initStream+uint64(k)<<40))
		define, shape, err := catalog.Define[T](n.config(), n.table.Shape)
		if err != nil {
			return nil, &model.Error{Pos: d.Pos, Msg: err.Error()}
		}
		if e := n.table.Encoding; e != nil {
			define = scaled(define)
		}
		n.define = define
		n.net, err = nn.New(shape, nn.Heads(define, n.outputs(), draws, func(z *gorgonia.Node) { n.logits = z }), rng)
		if err != nil {
			return nil, &model.Error{Pos: d.Pos, Msg: err.Error()}
		}
		n.net.State().Seed = seed + uint64(k)<<40
		if err := n.scale(m); err != nil {
			return nil, err
		}
		if err := fix(d.Network, n.net.Params()); err != nil {
			return nil, &model.Error{Pos: d.Pos, Msg: strings.TrimPrefix(err.Error(), "nn: ")}
		}
	}
	return list, nil
}

func (n *network[T]) outputs() (heads []nn.Head) {
	for i := range n.heads {
		h := &n.heads[i]
		heads = append(heads, nn.Head{From: h.from, To: h.to, Sigmoid: h.Output == "sigmoid"})
	}
	return heads
}

// fix freezes parameters and sets learning rates as a description says.
func fix[T nn.Float](d *model.Network, ps *nn.Params[T]) error {
	for _, pattern := range d.Freeze {
		if err := ps.Freeze("", pattern); err != nil {
			return err
		}
	}
	for _, rate := range d.Rates {
		if err := ps.SetRate("", rate.Pattern, rate.Factor); err != nil {
			return err
		}
	}
	return nil
}

func (n *network[T]) config() catalog.Config {
	d := n.heads[0]
	return catalog.Config{Model: d.Model, Hidden: d.Layers, Widths: d.Widths, Layers: layers(d.Stack), Dropout: d.Dropout, Out: n.width, File: d.ONNX, Head: d.Head}
}

// layers are those of a sequential.
func layers(stack []model.Layer) []sequential.Layer {
	var list []sequential.Layer
	for _, l := range stack {
		layer := sequential.Layer{Kind: l.Kind, Padding: -1}
		switch main := int(l.Main); l.Kind {
		case "conv", "linear":
			layer.Out = main
		case "pool":
			layer.Size = main
		case "dropout":
			layer.Probability = l.Main
		case "sequence":
			layer.Length = main
		}
		for key, v := range l.Numbers {
			switch key {
			case "size":
				layer.Size = int(v)
			case "stride":
				layer.Stride = int(v)
			case "padding":
				layer.Padding = int(v)
			}
		}
		list = append(list, layer)
	}
	return list
}

// readTable reads features, each file once.
func readTable(d *model.Network, root string, tables map[string]*features.Table) (*features.Table, error) {
	o := features.Options{Fields: len(d.Entity), Labelled: d.Labelled, Entities: d.Entities, Channels: d.Channels, Root: root}
	key := fmt.Sprintf("%s %+v", d.Features, o)
	if t := tables[key]; t != nil && d.Source == nil {
		return t, nil
	}
	var t *features.Table
	var err error
	if d.Source != nil {
		t, err = features.ReadRecords(context.Background(), d.Source, len(d.Entity), d.Categories, nil)
	} else {
		t, err = features.Read(d.Features, o)
	}
	if err != nil {
		return nil, &facts.Error{Source: d.Pos.File, Line: d.Pos.Line, Col: d.Pos.Col, Msg: "features", Err: err}
	}
	tables[key] = t
	return t, nil
}

// meaning lists what the inputs and outputs are, in their order.
func (n *network[T]) meaning() (list []string) {
	if e := n.table.Encoding; e != nil {
		for _, c := range e.Columns {
			list = append(list, fmt.Sprintf("column %q", c.Name))
			for _, text := range c.Categories {
				list = append(list, fmt.Sprintf("category %q of %q", text, c.Name))
			}
		}
	}
	for _, h := range n.heads {
		for _, class := range h.Classes {
			list = append(list, fmt.Sprintf("class %q of %s", class, h.predicate))
		}
	}
	return list
}

// together is the networks as the half of a model that learns.
func together(list []*network[float32]) *half.Network {
	t := new(half.Network)
	for _, n := range list {
		t.Several = append(t.Several, half.NamedNet{Name: n.name, Net: n.net, Logits: n.define, Meaning: n.meaning()})
	}
	return t
}

// entity returns the fields of the entity of an atom.
func (h *head) entity(args []string) []string {
	fields := make([]string, len(h.Entity))
	for i, at := range h.Entity {
		fields[i] = args[at]
	}
	return fields
}

// output returns the column of an atom's output.
func (h *head) output(args []string) int {
	if h.Class < 0 {
		return h.from
	}
	k := slices.Index(h.Classes, args[h.Class])
	if k < 0 {
		panic("modelfile: a class that the model was not checked for") // model.Load has
	}
	return h.from + k
}

// missing is the error about an entity without features.
func (h *head) missing(n string, args []string, table string) error {
	return &facts.Error{Source: h.Pos.File, Line: h.Pos.Line, Col: h.Pos.Col, Msg: fmt.Sprintf("%s(%s) has no features: %s has no entity %s",
		n, strings.Join(args, ", "), table, strings.Join(h.entity(args), ", "))}
}
