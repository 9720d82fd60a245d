package onnx

import (
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/advancedclimatesystems/gonnx/onnx"
	"google.golang.org/protobuf/proto"

	"hinge/nn"
)

// Names of the graph's ends.
const (
	imagesName   = "images"
	featuresName = "features"
	outputName   = "logits"
)

// Write writes the network that define is over the parameters of net: its own
// definition, or the logits below its output.
func Write(w io.Writer, name string, net *nn.Net[float32], define nn.Definition[float32]) error {
	layers, err := net.Layers(define)
	if err != nil {
		return err
	}
	g := &builder{names: map[string]bool{outputName: true}, values: map[int]*made{}, opsets: map[string]int{}, temperature: net.State().Temperature}
	for i := range layers {
		if p, ok := layers[i].With.(*Part); ok {
			if err := g.versions(p, len(layers) == 1); err != nil {
				return fmt.Errorf("onnx: the layer %s %w", layers[i].Name, err)
			}
		}
	}
	if _, some := g.opsets[""]; !some {
		g.opsets[""] = opset
		for i := range layers {
			g.opsets[""] = max(g.opsets[""], needs(&layers[i]))
		}
	}
	in, err := g.input(net.Example(), layers)
	if err != nil {
		return err
	}
	for i := range layers {
		if err := g.layer(&layers[i]); err != nil {
			return fmt.Errorf("onnx: the layer %s %w", layers[i].Name, err)
		}
	}
	out, last, err := g.end(g.values[layers[len(layers)-1].Out])
	if err != nil {
		return err
	}
	g.nodes = append(g.nodes, node("Identity", outputName, []string{out}, outputName))
	m := &onnx.ModelProto{IrVersion: irVersion, ProducerName: "hinge", Graph: &onnx.GraphProto{Name: name, Node: g.nodes, Initializer: g.tensors,
		Input: []*onnx.ValueInfoProto{in}, Output: []*onnx.ValueInfoProto{value(outputName, int(onnx.TensorProto_FLOAT), last...)}}}
	if g.opsets[""] > opset {
		m.IrVersion = newIRVersion
	}
	for _, domain := range slices.Sorted(maps.Keys(g.opsets)) {
		m.OpsetImport = append(m.OpsetImport, &onnx.OperatorSetIdProto{Domain: domain, Version: int64(g.opsets[domain])})
	}
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return fmt.Errorf("onnx: %w", err)
	}
	_, err = w.Write(data)
	return err
}

// Part is a network that was read from an ONNX file, as the With of its layer: package onnxnet
// makes it. It can be written again as the graph that it was.
type Part struct {
	// Input returns the kind of the numbers of the input and its shape without the batch.
	Input func() (kind int, example []int)
	// Opsets returns the versions of the operators, by domain.
	Opsets func() map[string]int
	// Form returns the graph from the value in to the value out, given the parameters; free
	// makes names that nothing else has.
	Form func(in string, free func(string) string, param func(name string) []float32) (out string, nodes []*onnx.NodeProto, tensors []*onnx.TensorProto, err error)
}

// versions takes the versions of the operators of a part, which the whole file has then.
func (g *builder) versions(p *Part, alone bool) error {
	for domain, version := range p.Opsets() {
		if old, some := g.opsets[domain]; some && old != version || domain == "" && version < 7 && !alone {
			return fmt.Errorf("has operators of version %d, which cannot stand beside others: convert its file to a newer one", version)
		}
		g.opsets[domain] = version
	}
	return nil
}

// made is a value of the graph, in one of two forms or both: an array with the axes that it has
// in package nn, of shape; and, where that is [H][W][N][C], a map N×C×H×W. shape has 0 for N and −k
// for k·N.
type made struct {
	shape       []int
	array, maps string // names; empty for a form that no node has made yet
}

// builder collects nodes and constants.
type builder struct {
	nodes   []*onnx.NodeProto
	tensors []*onnx.TensorProto
	names   map[string]bool
	values  map[int]*made
	opsets  map[string]int // by domain

	temperature float64 // of a Softmax
}

// input declares the input: images in as many channels as the network sees, what the file
// takes that the network begins with, or features.
func (g *builder) input(example []int, layers []nn.Layer[float32]) (*onnx.ValueInfoProto, error) {
	at := slices.IndexFunc(layers, func(l nn.Layer[float32]) bool {
		_, read := l.With.(*Part)
		return (l.Op == "Images" || read) && l.In[0] == 0
	})
	name, kind, shape := featuresName, int(onnx.TensorProto_FLOAT), example
	if at >= 0 {
		for i, l := range layers {
			if _, read := l.With.(*Part); slices.Contains(l.In, 0) && i != at && (read || l.Op != "Images" || l.With != layers[at].With) {
				return nil, fmt.Errorf("onnx: the layer %s sees the input otherwise than %s does, which gives it another form", l.Name, layers[at].Name)
			}
		}
		if p, read := layers[at].With.(*Part); read {
			kind, shape = p.Input()
		} else {
			shape = []int{layers[at].With.(int), example[len(example)-2], example[len(example)-1]}
		}
		if len(shape) == 3 {
			name = imagesName
		}
	}
	g.values[0] = &made{shape: append([]int{0}, shape...), array: name}
	if at >= 0 && layers[at].Op == "Images" {
		g.values[0] = &made{shape: []int{shape[1], shape[2], 0, shape[0]}, maps: name}
	}
	g.names[name] = true
	return value(name, kind, shape...), nil
}

// end returns the network's output and its shape behind N.
func (g *builder) end(out *made) (name string, last []int, err error) {
	if out.maps != "" {
		s := out.shape
		return out.maps, []int{s[3], s[0], s[1]}, nil
	}
	for i, d := range out.shape {
		if (d == 0) != (i == 0) || d < 0 {
			return "", nil, fmt.Errorf("onnx: the output has the shape %v, with the batch elsewhere than in front (it is 0 there)", out.shape)
		}
	}
	return g.array(out), out.shape[1:], nil
}

// add appends a node and returns its output, which has the node's name.
func (g *builder) add(op, name string, in []string, attributes ...*onnx.AttributeProto) string {
	name = g.unique(name)
	g.nodes = append(g.nodes, node(op, name, in, name, attributes...))
	return name
}

// unique is a name that no value has.
func (g *builder) unique(name string) string {
	free := name
	for i := 2; g.names[free]; i++ {
		free = fmt.Sprintf("%s.%d", name, i)
	}
	g.names[free] = true
	return free
}

// constant takes a parameter into the graph, once, and returns its name.
func (g *builder) constant(p *nn.Param[float32]) string {
	if !g.names[p.Name] {
		g.names[p.Name] = true
		g.tensors = append(g.tensors, tensor(p.Name, p.Shape, exported(p)))
	}
	return p.Name
}

// twice is for both directions of an image.
func twice(n int) []int { return []int{n, n} }

// exported are the values of a parameter in the exported order.
func exported(p *nn.Param[float32]) []float32 {
	data := make([]float32, len(p.Value))
	p.ExportOrder(data, p.Value)
	return data
}

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
