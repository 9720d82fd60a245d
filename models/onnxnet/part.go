package onnxnet

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/advancedclimatesystems/gonnx/onnx"
)

// Part is the network of a file as a part of a network of package nn: the graph that it was
// read from, for a batch of any size.
type Part struct {
	file    *File
	example []int           // of the input, without the batch
	shape   []int           // of the output
	shapes  map[*node][]int // other shapes for Reshape and Expand, which leave the batch free
	turned  map[string]bool // parameters of linear layers that the file holds transposed
	dropped map[*node]int   // first of the inputs of a node that are left out: zeros
	fixed   string          // why the batch cannot be left free
}

// reshape leaves the axis of the examples free in the shape of a node.
func (p *Part) reshape(n *node, shape []int, axis int) {
	p.shapes[n] = slices.Clone(shape)
	p.shapes[n][axis] = -1
}

// expand leaves the axis of the examples as it is.
func (p *Part) expand(n *node, shape []int, axis int) {
	p.shapes[n] = slices.Clone(shape)
	p.shapes[n][axis] = 1
}

// drop leaves out an input with a state for each example of a batch.
func (p *Part) drop(n *node, input int, numbers []float64) {
	if slices.ContainsFunc(numbers, func(v float64) bool { return v != 0 }) {
		p.fixed = "the initial state of " + n.title() + ", other than 0, stands in the file for a fixed batch"
		return
	}
	if p.dropped == nil {
		p.dropped = map[*node]int{}
	}
	if first, some := p.dropped[n]; !some || input < first {
		p.dropped[n] = input
	}
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
	for _, n := range f.needed {
		q := &onnx.NodeProto{Name: free(n.title() + "."), OpType: n.op, Domain: n.domain}
		if n.domain == ".ml" {
			q.Domain = "ai.onnx.ml"
		}
		for i, in := range n.in {
			if first, some := p.dropped[n]; some && i >= first {
				break
			}
			if shape := p.shapes[n]; shape != nil && i == 1 {
				q.Input = append(q.Input, constant(in, &tensor{kind: kindInt64, shape: []int{len(shape)}, doubles: doublesOf(shape)}))
				continue
			}
			q.Input = append(q.Input, name(in))
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
	add := func(op string, in ...string) {
		next := free("part." + op)
		nodes = append(nodes, &onnx.NodeProto{Name: next, OpType: op, Input: append([]string{out}, in...), Output: []string{next}})
		out = next
	}
	if f.log {
		add("Max", constant("least", &tensor{kind: kindFloat, floats: []float32{least}}))
		add("Log")
	}
	if len(p.shape) != 2 {
		add("Reshape", constant("rows", &tensor{kind: kindInt64, shape: []int{2}, doubles: []float64{-1, float64(product(p.shape[1:]))}}))
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
	q := &onnx.TensorProto{Name: name, DataType: int32(t.kind)}
	for _, d := range t.shape {
		q.Dims = append(q.Dims, int64(d))
	}
	switch {
	case fractional(t.kind):
		q.DataType = kindFloat
		if values == nil {
			for _, v := range t.numbers() {
				values = append(values, float32(v))
			}
		} else if p.turned[t.name] { // [out][in] as [in][out]
			in, out := t.shape[0], t.shape[1]
			turned := make([]float32, len(values))
			for o := range out {
				for i := range in {
					turned[i*out+o] = values[o*in+i]
				}
			}
			values = turned
		}
		q.RawData, _ = binary.Append(nil, binary.LittleEndian, values)
	case t.kind == kindInt64:
		for _, v := range (&value[float64]{known: t.doubles}).ints() {
			q.Int64Data = append(q.Int64Data, int64(v))
		}
	case t.kind == kindUint32 || t.kind == kindUint64:
		for _, v := range t.doubles {
			q.Uint64Data = append(q.Uint64Data, uint64(v))
		}
	default:
		for _, v := range t.doubles {
			q.Int32Data = append(q.Int32Data, int32(v))
		}
	}
	return q
}
