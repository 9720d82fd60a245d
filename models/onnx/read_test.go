package onnx

import (
	"encoding/binary"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// file is an ONNX file as a reader sees it that shares nothing with the writer but
// the wire format's library: the field numbers are written out here again.
type file struct {
	ir, opset  uint64
	graph      string
	nodes      []op
	tensors    map[string]array
	in, out    string
	inputShape []string // numbers and names
}

// op is a node, array a tensor in row-major order.
type op struct {
	kind, name string
	in, out    []string
	ints       map[string][]int
	floats     map[string]float64
}

type array struct {
	shape []int
	data  []float64
}

// each calls f for the fields of a message: v for varints and fixed numbers, b for
// what has a length.
func each(m []byte, f func(field protowire.Number, v uint64, b []byte) error) error {
	for len(m) > 0 {
		field, kind, n := protowire.ConsumeTag(m)
		if n < 0 {
			return protowire.ParseError(n)
		}
		m = m[n:]
		var v uint64
		var b []byte
		switch kind {
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(m)
		case protowire.Fixed32Type:
			var x uint32
			x, n = protowire.ConsumeFixed32(m)
			v = uint64(x)
		case protowire.BytesType:
			b, n = protowire.ConsumeBytes(m)
		default:
			return fmt.Errorf("field %d has wire type %d", field, kind)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		m = m[n:]
		if err := f(field, v, b); err != nil {
			return err
		}
	}
	return nil
}

// read decodes ModelProto.
func read(data []byte) (*file, error) {
	f := &file{tensors: map[string]array{}}
	return f, each(data, func(field protowire.Number, v uint64, b []byte) error {
		switch field {
		case 1:
			f.ir = v
		case 8:
			return each(b, func(field protowire.Number, v uint64, _ []byte) error {
				if field == 2 {
					f.opset = v
				}
				return nil
			})
		case 7:
			return f.readGraph(b)
		}
		return nil
	})
}

// readGraph decodes GraphProto.
func (f *file) readGraph(data []byte) error {
	return each(data, func(field protowire.Number, _ uint64, b []byte) (err error) {
		switch field {
		case 1:
			var o op
			o, err = readNode(b)
			f.nodes = append(f.nodes, o)
		case 2:
			f.graph = string(b)
		case 5:
			err = f.readTensor(b)
		case 11:
			f.in, f.inputShape, err = readValue(b)
		case 12:
			f.out, _, err = readValue(b)
		}
		return err
	})
}

// readNode decodes NodeProto with its AttributeProtos.
func readNode(data []byte) (op, error) {
	o := op{ints: map[string][]int{}, floats: map[string]float64{}}
	return o, each(data, func(field protowire.Number, _ uint64, b []byte) error {
		switch field {
		case 1:
			o.in = append(o.in, string(b))
		case 2:
			o.out = append(o.out, string(b))
		case 3:
			o.name = string(b)
		case 4:
			o.kind = string(b)
		case 5:
			var name string
			var ints []int
			var single, kind uint64
			err := each(b, func(field protowire.Number, v uint64, b []byte) error {
				switch field {
				case 1:
					name = string(b)
				case 2, 3:
					single = v
				case 8:
					ints = append(ints, int(v))
				case 20:
					kind = v
				}
				return nil
			})
			switch kind {
			case 1:
				o.floats[name] = float64(math.Float32frombits(uint32(single)))
			case 2:
				o.ints[name] = []int{int(single)}
			case 7:
				o.ints[name] = ints
			default:
				return fmt.Errorf("attribute %s of %s has type %d", name, o.name, kind)
			}
			return err
		}
		return nil
	})
}

// readTensor decodes TensorProto.
func (f *file) readTensor(data []byte) error {
	var a array
	var name string
	size, integer := 1, false
	err := each(data, func(field protowire.Number, v uint64, b []byte) error {
		switch field {
		case 1:
			a.shape = append(a.shape, int(v))
			size *= int(v)
		case 2:
			if integer = v == 7; v != 1 && v != 7 {
				return fmt.Errorf("a tensor of type %d", v)
			}
		case 8:
			name = string(b)
		case 9:
			for ; integer && len(b) >= 8; b = b[8:] {
				a.data = append(a.data, float64(int64(binary.LittleEndian.Uint64(b))))
			}
			for ; len(b) >= 4; b = b[4:] {
				a.data = append(a.data, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
			}
		}
		return nil
	})
	if _, dup := f.tensors[name]; err == nil && (dup || len(a.data) != size) {
		err = fmt.Errorf("tensor %q: twice, or %d numbers for shape %v", name, len(a.data), a.shape)
	}
	f.tensors[name] = a
	return err
}

// readValue decodes ValueInfoProto of a float tensor.
func readValue(data []byte) (name string, shape []string, err error) {
	const tensorOfValue, shapeOfTensor = 1, 2
	err = each(data, func(field protowire.Number, _ uint64, b []byte) error {
		if field == 1 {
			name = string(b)
			return nil
		}
		return each(b, func(field protowire.Number, _ uint64, b []byte) error {
			if field != tensorOfValue {
				return fmt.Errorf("%s is no tensor", name)
			}
			return each(b, func(field protowire.Number, v uint64, b []byte) error {
				if field != shapeOfTensor {
					if v != 1 {
						return fmt.Errorf("%s has type %d", name, v)
					}
					return nil
				}
				return each(b, func(_ protowire.Number, _ uint64, b []byte) error {
					return each(b, func(field protowire.Number, v uint64, b []byte) error {
						if field == 2 {
							shape = append(shape, string(b))
						} else {
							shape = append(shape, fmt.Sprint(v))
						}
						return nil
					})
				})
			})
		})
	})
	return name, shape, err
}
