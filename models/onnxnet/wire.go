package onnxnet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// tensor is a constant: of floats or of integers.
type tensor struct {
	name   string
	shape  []int
	floats []float32
	ints   []int // nil for floats
	whole  bool  // of integers
}

func (t *tensor) size() int { return product(t.shape) }

// node is an operator.
type node struct {
	op, name, domain string
	in, out          []string
	attributes       map[string]attribute
}

// attribute is a parameter of an operator, of one of the kinds.
type attribute struct {
	kind    int
	number  float64
	integer int
	text    string
	tensor  *tensor
	list    []int
}

// The kinds of attributes.
const (
	attributeFloat, attributeInt, attributeText, attributeTensor, attributeList = 1, 2, 3, 4, 7
)

// title names a node in messages.
func (n *node) title() string {
	if n.name != "" {
		return n.name
	}
	if len(n.out) > 0 {
		return n.out[0]
	}
	return n.op
}

// integer returns an attribute, or its default.
func (n *node) integer(name string, without int) int {
	if a := n.attributes[name]; a.kind == attributeInt {
		return a.integer
	}
	return without
}

func (n *node) float(name string, without float64) float64 {
	if a := n.attributes[name]; a.kind == attributeFloat {
		return a.number
	}
	return without
}

// place is an input or output of the graph with the sizes of its axes, 0 for free ones.
type place struct {
	name  string
	shape []int
}

// graph is the content of a file.
type graph struct {
	opset   int
	nodes   []*node
	weights map[string]*tensor
	inputs  []place
	outputs []place
}

// field is one field of a message: a number, or bytes.
type field struct {
	number  protowire.Number
	value   uint64
	content []byte
}

// fields calls f for each field of a message.
func fields(m []byte, f func(field) error) error {
	for len(m) > 0 {
		number, kind, n := protowire.ConsumeTag(m)
		if n < 0 {
			return protowire.ParseError(n)
		}
		m = m[n:]
		x := field{number: number}
		switch kind {
		case protowire.VarintType:
			x.value, n = protowire.ConsumeVarint(m)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(m)
			x.value = uint64(v)
		case protowire.Fixed64Type:
			x.value, n = protowire.ConsumeFixed64(m)
		case protowire.BytesType:
			x.content, n = protowire.ConsumeBytes(m)
		default:
			return fmt.Errorf("field %d has the wire type %d", number, kind)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		m = m[n:]
		if err := f(x); err != nil {
			return err
		}
	}
	return nil
}

// numbers are the values of a repeated number, packed or one by one.
func (x *field) numbers(kind protowire.Type, add func(v uint64)) error {
	if x.content == nil {
		add(x.value)
		return nil
	}
	for m := x.content; len(m) > 0; {
		var v uint64
		var n int
		switch kind {
		case protowire.Fixed32Type:
			var w uint32
			w, n = protowire.ConsumeFixed32(m)
			v = uint64(w)
		case protowire.Fixed64Type:
			v, n = protowire.ConsumeFixed64(m)
		default:
			v, n = protowire.ConsumeVarint(m)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		add(v)
		m = m[n:]
	}
	return nil
}

// parse reads ModelProto.
func parse(data []byte) (*graph, error) {
	g := &graph{weights: map[string]*tensor{}}
	found := false
	err := fields(data, func(x field) error {
		switch x.number {
		case 7:
			found = true
			return g.read(x.content)
		case 8:
			domain, version := "", 0
			err := fields(x.content, func(x field) error {
				switch x.number {
				case 1:
					domain = string(x.content)
				case 2:
					version = int(x.value)
				}
				return nil
			})
			if domain == "" || domain == "ai.onnx" {
				g.opset = version
			}
			return err
		}
		return nil
	})
	if err == nil && (!found || g.opset == 0) {
		err = errors.New("this is no ONNX model: there is no graph, or no version of the operators")
	}
	return g, err
}

// read reads GraphProto.
func (g *graph) read(data []byte) error {
	return fields(data, func(x field) error {
		switch x.number {
		case 1:
			n, err := readNode(x.content)
			if err != nil {
				return fmt.Errorf("node %s: %w", n.title(), err)
			}
			g.nodes = append(g.nodes, n)
		case 5:
			t, err := readTensor(x.content)
			if err != nil {
				return err
			}
			g.weights[t.name] = t
		case 15:
			return errors.New("sparse weights are not read")
		case 11, 12:
			p, err := readPlace(x.content)
			if err != nil {
				return err
			}
			if x.number == 11 {
				g.inputs = append(g.inputs, p)
			} else {
				g.outputs = append(g.outputs, p)
			}
		}
		return nil
	})
}

// readNode reads NodeProto.
func readNode(data []byte) (*node, error) {
	n := &node{attributes: map[string]attribute{}}
	return n, fields(data, func(x field) error {
		switch x.number {
		case 1:
			n.in = append(n.in, string(x.content))
		case 2:
			n.out = append(n.out, string(x.content))
		case 3:
			n.name = string(x.content)
		case 4:
			n.op = string(x.content)
		case 5:
			name, a, err := readAttribute(x.content)
			n.attributes[name] = a
			return err
		case 7:
			n.domain = string(x.content)
		}
		return nil
	})
}

// readAttribute reads AttributeProto.
func readAttribute(data []byte) (name string, a attribute, err error) {
	err = fields(data, func(x field) (err error) {
		switch x.number {
		case 1:
			name = string(x.content)
		case 2:
			a.number = float64(math.Float32frombits(uint32(x.value)))
		case 3:
			a.integer = int(int64(x.value))
		case 4:
			a.text = string(x.content)
		case 5:
			a.tensor, err = readTensor(x.content)
		case 8:
			err = x.numbers(protowire.VarintType, func(v uint64) { a.list = append(a.list, int(int64(v))) })
		case 20:
			a.kind = int(x.value)
		}
		return err
	})
	return name, a, err
}

// The kinds of numbers of a tensor.
const (
	kindFloat, kindInt32, kindInt64, kindBool, kindHalf, kindDouble = 1, 6, 7, 9, 10, 11
)

// readTensor reads TensorProto.
func readTensor(data []byte) (*tensor, error) {
	t := new(tensor)
	kind := 0
	var raw []byte
	err := fields(data, func(x field) error {
		switch x.number {
		case 1:
			return x.numbers(protowire.VarintType, func(v uint64) { t.shape = append(t.shape, int(v)) })
		case 2:
			kind = int(x.value)
		case 4:
			return x.numbers(protowire.Fixed32Type, func(v uint64) { t.floats = append(t.floats, math.Float32frombits(uint32(v))) })
		case 5, 7:
			return x.numbers(protowire.VarintType, func(v uint64) { t.ints = append(t.ints, int(int64(v))) })
		case 8:
			t.name = string(x.content)
		case 9:
			raw = x.content
		case 10:
			return x.numbers(protowire.Fixed64Type, func(v uint64) { t.floats = append(t.floats, float32(math.Float64frombits(v))) })
		case 14:
			if x.value == 1 {
				return errors.New("weights in files of their own are not read: save the model as one file")
			}
		}
		return nil
	})
	if err != nil {
		return t, fmt.Errorf("tensor %q: %w", t.name, err)
	}
	width := map[int]int{kindFloat: 4, kindInt32: 4, kindInt64: 8, kindBool: 1, kindHalf: 2, kindDouble: 8}[kind]
	if width == 0 {
		return t, fmt.Errorf("tensor %q has numbers of the kind %d, want floats of 16, 32 or 64 bits, or integers", t.name, kind)
	}
	t.whole = kind == kindInt32 || kind == kindInt64 || kind == kindBool
	if kind == kindHalf && raw == nil {
		for _, v := range t.ints {
			t.floats = append(t.floats, half(uint16(v)))
		}
		t.ints = nil
	}
	for ; len(raw) >= width; raw = raw[width:] {
		switch kind {
		case kindFloat:
			t.floats = append(t.floats, math.Float32frombits(binary.LittleEndian.Uint32(raw)))
		case kindDouble:
			t.floats = append(t.floats, float32(math.Float64frombits(binary.LittleEndian.Uint64(raw))))
		case kindHalf:
			t.floats = append(t.floats, half(binary.LittleEndian.Uint16(raw)))
		case kindInt32:
			t.ints = append(t.ints, int(int32(binary.LittleEndian.Uint32(raw))))
		case kindInt64:
			t.ints = append(t.ints, int(int64(binary.LittleEndian.Uint64(raw))))
		case kindBool:
			t.ints = append(t.ints, int(raw[0]))
		}
	}
	n := 1
	for _, d := range t.shape {
		if d < 0 || d > 0 && n > math.MaxInt32/d {
			return t, fmt.Errorf("tensor %q has the shape %v", t.name, t.shape)
		}
		n *= d
	}
	if have := len(t.floats) + len(t.ints); have != n || t.whole != (t.floats == nil) && n > 0 {
		return t, fmt.Errorf("tensor %q has %d numbers for the shape %v", t.name, have, t.shape)
	}
	return t, nil
}

// half is a number of 16 bits.
func half(b uint16) float32 {
	sign, e, m := 1-2*float64(b>>15), int(b>>10&31), float64(b&1023)
	switch e {
	case 0:
		return float32(sign * math.Ldexp(m, -24))
	case 31:
		if m > 0 {
			return float32(math.NaN())
		}
		return float32(math.Inf(int(sign)))
	}
	return float32(sign * math.Ldexp(1024+m, e-25))
}

// readPlace reads ValueInfoProto.
func readPlace(data []byte) (p place, err error) {
	dimension := func(x field) error {
		if x.number != 1 {
			return nil
		}
		d := 0
		err := fields(x.content, func(x field) error {
			if x.number == 1 {
				d = int(x.value)
			}
			return nil
		})
		p.shape = append(p.shape, d)
		return err
	}
	below := func(number protowire.Number, f func(field) error) func(field) error {
		return func(x field) error {
			if x.number != number {
				return nil
			}
			return fields(x.content, f)
		}
	}
	err = fields(data, func(x field) error {
		if x.number == 1 {
			p.name = string(x.content)
			return nil
		}
		return below(2, below(1, below(2, dimension)))(x) // type, tensor, shape
	})
	return p, err
}

// product is the number of elements of a shape.
func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
