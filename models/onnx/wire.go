package onnx

import (
	"encoding/binary"

	"github.com/advancedclimatesystems/gonnx/onnx"
)

// Versions of the format and of the operator set.
const (
	irVersion, newIRVersion = 7, 10
	opset                   = 13
)

// node is one operator. attribute makes its attributes.
func node(op, name string, in []string, out string, attributes ...*onnx.AttributeProto) *onnx.NodeProto {
	return &onnx.NodeProto{OpType: op, Name: name, Input: in, Output: []string{out}, Attribute: attributes}
}

// attribute names a float32, an int, a text or a list of ints.
func attribute[V float32 | int | string | []int](name string, v V) *onnx.AttributeProto {
	a := &onnx.AttributeProto{Name: name}
	switch v := any(v).(type) {
	case float32:
		a.F, a.Type = v, onnx.AttributeProto_FLOAT
	case int:
		a.I, a.Type = int64(v), onnx.AttributeProto_INT
	case string:
		a.S, a.Type = []byte(v), onnx.AttributeProto_STRING
	case []int:
		a.Type = onnx.AttributeProto_INTS
		for _, i := range v {
			a.Ints = append(a.Ints, int64(i))
		}
	}
	return a
}

// tensor is a named constant.
func tensor[V float32 | int64](name string, shape []int, data []V) *onnx.TensorProto {
	t := &onnx.TensorProto{Name: name, DataType: int32(onnx.TensorProto_FLOAT)}
	for _, d := range shape {
		t.Dims = append(t.Dims, int64(d))
	}
	if _, integers := any(data).([]int64); integers {
		t.DataType = int32(onnx.TensorProto_INT64)
	}
	raw, err := binary.Append(nil, binary.LittleEndian, data)
	if err != nil {
		panic(err) // numbers have a size
	}
	t.RawData = raw
	return t
}

// value declares an input or output of a graph whose first axis is free.
func value(name string, kind int, rest ...int) *onnx.ValueInfoProto {
	shape := &onnx.TensorShapeProto{Dim: []*onnx.TensorShapeProto_Dimension{{Value: &onnx.TensorShapeProto_Dimension_DimParam{DimParam: "N"}}}}
	for _, d := range rest {
		shape.Dim = append(shape.Dim, &onnx.TensorShapeProto_Dimension{Value: &onnx.TensorShapeProto_Dimension_DimValue{DimValue: int64(d)}})
	}
	return &onnx.ValueInfoProto{Name: name, Type: &onnx.TypeProto{Value: &onnx.TypeProto_TensorType{
		TensorType: &onnx.TypeProto_Tensor{ElemType: int32(kind), Shape: shape}}}}
}
