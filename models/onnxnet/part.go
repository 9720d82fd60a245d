package onnxnet

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/advancedclimatesystems/gonnx/onnx"

	"hinge/nn/kernel"
)

// Part is the network of a file as a part of a network of package nn: the graph that it was
// read from, for a batch of any size.
type Part struct {
	file    *File
	example []int                     // of the input, without the batch
	shape   []int                     // of the output
	turned  map[string]bool           // parameters of linear layers that the file holds transposed
	inputs  map[*node]map[int]*tensor // other inputs of a node, which leave the batch free; nil leaves one out
	single  map[*node]map[int][2]int  // inputs of which one example stands for each, with the axes before and behind theirs
	known   map[*node]*tensor         // what Shape and Size make for the batch that the file fixes
	pads    map[*node][]int           // in place of auto_pad, of which runtimes have different ones
	fixed   string                    // why the batch cannot be left free
}

// put makes another array an input of a node.
func (p *Part) put(n *node, input int, t *tensor) {
	if p.inputs[n] == nil {
		p.inputs[n] = map[int]*tensor{}
	}
	p.inputs[n][input] = t
}

// integers is an array of them.
func integers(list ...int) *tensor {
	return &tensor{kind: kindInt64, shape: []int{len(list)}, doubles: doublesOf(list)}
}

// reshape puts a number where the shape of a node has the examples, to leave them free: -1 for
// Reshape, and 1 for Expand, which takes them as they are.
func (p *Part) reshape(n *node, shape []int, axis, free int) {
	shape = slices.Clone(shape)
	shape[axis] = free
	p.put(n, 1, integers(shape...))
}

// Input is the kind of the numbers of the input and its shape without the batch.
func (p *Part) Input() (kind int, example []int) {
	if fractional(p.file.input.kind) {
		return kindFloat, p.example
	}
	return p.file.input.kind, p.example
}

// Opsets are the versions of the operators, by domain.
func (p *Part) Opsets() map[string]int {
	sets := map[string]int{}
	for domain, version := range p.file.opsets {
		if domain == ".ml" {
			domain = "ai.onnx.ml"
		}
		sets[domain] = version
	}
	return sets
}

// Form is the graph from a value, and the name of its output [N][outputs], in evaluation: with
// the values of parameters, in the order of the file's shapes but for linear layers, as floats
// of 32 bits. free makes names that nothing else has.
func (p *Part) Form(in string, free func(string) string, param func(name string) []float32) (out string, nodes []*onnx.NodeProto, tensors []*onnx.TensorProto, err error) {
	if p.fixed != "" {
		return "", nil, nil, errors.New("cannot be written for a free batch: " + p.fixed)
	}
	f := p.file
	names := map[string]string{"": "", f.input.name: in}
	constant := func(name string, t *tensor) string {
		made := free(name)
		tensors = append(tensors, p.tensor(made, t, param(t.name)))
		return made
	}
	name := func(of string) string {
		if _, some := names[of]; !some {
			if t := f.weights[of]; t != nil {
				names[of] = constant(of, t)
			} else {
				names[of] = free(of)
			}
		}
		return names[of]
	}
	add := func(op string, axis *onnx.AttributeProto, in ...string) string {
		q := &onnx.NodeProto{Name: free("part." + op), OpType: op, Input: in}
		if q.Output = []string{q.Name}; axis != nil {
			q.Attribute = []*onnx.AttributeProto{axis}
		}
		nodes = append(nodes, q)
		return q.Name
	}
	one := func(axis int, of string) string {
		return add("Gather", &onnx.AttributeProto{Name: "axis", Type: onnx.AttributeProto_INT, I: int64(axis)}, of, constant("part.first", integers(0)))
	}
	for _, n := range f.needed {
		if t := p.known[n]; t != nil {
			names[n.out[0]] = constant(n.out[0], t)
			continue
		}
		q := &onnx.NodeProto{Name: free(n.title() + "."), OpType: n.op, Domain: n.domain}
		if n.domain == ".ml" {
			q.Domain = "ai.onnx.ml"
		}
		for i, of := range n.in {
			around, single := p.single[n][i]
			switch t, other := p.inputs[n][i]; {
			case other && t == nil:
				of = ""
			case other:
				of = constant(cmp.Or(of, "part.input"), t)
			case single:
				of = one(around[0], name(of))
				if slices.Contains([]string{"Concat", "LSTM", "GRU", "RNN"}, n.op) { // which repeat nothing themselves
					ones := func(n int) string { return constant("part.ones", integers(padded(nil, n)...)) }
					repeats := add("Concat", &onnx.AttributeProto{Name: "axis", Type: onnx.AttributeProto_INT}, ones(around[0]), one(0, add("Shape", nil, in)), ones(around[1]))
					of = add("Tile", nil, of, repeats)
				}
			default:
				of = name(of)
			}
			q.Input = append(q.Input, of)
		}
		for len(q.Input) > 0 && q.Input[len(q.Input)-1] == "" {
			q.Input = q.Input[:len(q.Input)-1]
		}
		for _, o := range n.out {
			q.Output = append(q.Output, name(o))
		}
		for _, key := range sorted(n.attributes) {
			q.Attribute = append(q.Attribute, p.attribute(n, n.attributes[key], param))
		}
		switch {
		case n == f.last || n.op == "Dropout" && (len(n.out) < 2 || f.counts[n.out[1]] == 0):
			q.OpType, q.Domain, q.Attribute, q.Input, q.Output = "Identity", "", nil, q.Input[:1], q.Output[:1]
		case p.pads[n] != nil:
			q.Attribute = slices.DeleteFunc(q.Attribute, func(a *onnx.AttributeProto) bool { return a.Name == "auto_pad" || a.Name == "pads" })
			q.Attribute = append(q.Attribute, &onnx.AttributeProto{Name: "pads", Type: onnx.AttributeProto_INTS, Ints: converted[int64](p.pads[n])})
		case n.op == "BatchNormalization":
			q.Output = q.Output[:1]
			q.Attribute = slices.DeleteFunc(q.Attribute, func(a *onnx.AttributeProto) bool { return a.Name == "training_mode" })
		case n.op == "Cast" && fractional(n.integer("to", 0)) && n.integer("to", 0) != kindFloat: // all floats have 32 bits
			to := n.integer("to", 0)
			if to == kindDouble {
				q.Attribute[0].I = kindFloat
				break
			}
			back := &onnx.NodeProto{Name: free(n.title() + ".back"), OpType: "Cast", Input: []string{free(n.title() + ".rounded")}, Output: q.Output, Attribute: []*onnx.AttributeProto{
				{Name: "to", Type: onnx.AttributeProto_INT, I: kindFloat}}}
			q.Output = back.Input
			nodes = append(nodes, q)
			q = back
		}
		nodes = append(nodes, q)
	}
	out = name(f.output)
	if f.log {
		out = add("Log", nil, add("Max", nil, out, constant("least", &tensor{kind: kindFloat, floats: []float32{least}})))
	}
	if len(p.shape) != 2 {
		out = add("Reshape", nil, out, constant("rows", integers(-1, product(p.shape[1:]))))
	}
	return out, nodes, tensors, nil
}

// attribute is one of a node; learned ones have their new values, floats 32 bits.
func (p *Part) attribute(n *node, a *onnx.AttributeProto, param func(name string) []float32) *onnx.AttributeProto {
	b := &onnx.AttributeProto{Name: a.Name, Type: a.Type, F: a.F, I: a.I, S: a.S, Floats: a.Floats, Ints: a.Ints, Strings: a.Strings}
	if a.T != nil && n.value != nil {
		b.T = p.tensor("", n.value, nil)
	}
	if values := param(n.out[0] + "." + a.Name); values != nil && len(values) == len(a.Floats) {
		b.Floats = values
	}
	return b
}

// tensor is an array with other values, if any.
func (p *Part) tensor(name string, t *tensor, values []float32) *onnx.TensorProto {
	q := &onnx.TensorProto{Name: name, DataType: int32(t.kind), Dims: converted[int64](t.shape)}
	switch {
	case fractional(t.kind):
		q.DataType = kindFloat
		if values == nil {
			values = converted[float32](t.numbers())
		} else if p.turned[t.name] { // [out][in] as [in][out]
			turned := make([]float32, len(values))
			kernel.Transpose(turned, values, t.shape[1], t.shape[0])
			values = turned
		}
		q.RawData, _ = binary.Append(nil, binary.LittleEndian, values)
	case t.kind == kindInt64:
		q.Int64Data = converted[int64]((&value[float64]{known: t.doubles}).ints())
	case t.kind == kindUint32 || t.kind == kindUint64:
		q.Uint64Data = converted[uint64](t.doubles)
	default:
		q.Int32Data = converted[int32](t.doubles)
	}
	return q
}
