package onnx

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Versions of the format and of the operator set.
const (
	irVersion = 7
	opset     = 13
)

// Field numbers of onnx.proto, by message.
const (
	modelIR, modelProducer, modelGraph, modelOpset         = 1, 2, 7, 8
	opsetVersion                                           = 2
	graphNode, graphName, graphTensor, graphIn, graphOut   = 1, 2, 5, 11, 12
	nodeInput, nodeOutput, nodeName, nodeOp, nodeAttribute = 1, 2, 3, 4, 5
	attrName, attrFloat, attrInt, attrInts, attrType       = 1, 2, 3, 8, 20
	tensorDim, tensorType, tensorName, tensorRaw           = 1, 2, 8, 9
	valueName, valueType, typeTensor, typeElem, typeShape  = 1, 2, 1, 1, 2
	shapeDim, dimValue, dimName                            = 1, 1, 2
	kindFloat, kindInt, kindInts, elemFloat, elemInt       = 1, 2, 7, 1, 7
)

// message is a protobuf message in its wire format. Fields are appended.
type message []byte

func (m *message) varint(field protowire.Number, v int) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), uint64(v))
}

func (m *message) float(field protowire.Number, v float32) {
	*m = protowire.AppendFixed32(protowire.AppendTag(*m, field, protowire.Fixed32Type), math.Float32bits(v))
}

func (m *message) bytes(field protowire.Number, v []byte) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), v)
}

func (m *message) text(field protowire.Number, v string) { m.bytes(field, []byte(v)) }

// model wraps a graph.
func model(graph message) message {
	var set, m message
	set.varint(opsetVersion, opset)
	m.varint(modelIR, irVersion)
	m.text(modelProducer, "hinge")
	m.bytes(modelGraph, graph)
	m.bytes(modelOpset, set)
	return m
}

// node is one operator. attribute makes its attributes.
func node(op, name string, in []string, out string, attributes ...message) message {
	var m message
	for _, x := range in {
		m.text(nodeInput, x)
	}
	m.text(nodeOutput, out)
	m.text(nodeName, name)
	m.text(nodeOp, op)
	for _, a := range attributes {
		m.bytes(nodeAttribute, a)
	}
	return m
}

// attribute names a float32, an int or a list of ints.
func attribute[V float32 | int | []int](name string, v V) message {
	var m message
	m.text(attrName, name)
	switch v := any(v).(type) {
	case float32:
		m.float(attrFloat, v)
		m.varint(attrType, kindFloat)
	case int:
		m.varint(attrInt, v)
		m.varint(attrType, kindInt)
	case []int:
		for _, i := range v {
			m.varint(attrInts, i)
		}
		m.varint(attrType, kindInts)
	}
	return m
}

// tensor is a named constant.
func tensor[V float32 | int64](name string, shape []int, data []V) message {
	var m message
	for _, d := range shape {
		m.varint(tensorDim, d)
	}
	kind := elemFloat
	if _, integers := any(data).([]int64); integers {
		kind = elemInt
	}
	m.varint(tensorType, kind)
	m.text(tensorName, name)
	raw, err := binary.Append(nil, binary.LittleEndian, data)
	if err != nil {
		panic(err) // numbers have a size
	}
	m.bytes(tensorRaw, raw)
	return m
}

// value declares an input or output of a graph whose first axis is free.
func value(name string, rest ...int) message {
	var shape, batch message
	batch.text(dimName, "N")
	shape.bytes(shapeDim, batch)
	for _, d := range rest {
		var dim message
		dim.varint(dimValue, d)
		shape.bytes(shapeDim, dim)
	}
	var array, kind, m message
	array.varint(typeElem, elemFloat)
	array.bytes(typeShape, shape)
	kind.bytes(typeTensor, array)
	m.text(valueName, name)
	m.bytes(valueType, kind)
	return m
}
