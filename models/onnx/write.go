package onnx

import (
	"cmp"
	"errors"
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
	g := &builder{names: map[string]bool{outputName: true}, values: map[int]*made{}, opsets: map[string]int{}}
	for i := range layers {
		if p, ok := layers[i].With.(*Part); ok {
			if err := g.versions(p, len(layers) == 1); err != nil {
				return fmt.Errorf("onnx: the layer %s %w", layers[i].Name, err)
			}
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
	out := g.values[layers[len(layers)-1].Out]
	g.nodes = append(g.nodes, node("Identity", outputName, []string{out.name}, outputName))
	m := &onnx.ModelProto{IrVersion: irVersion, ProducerName: "hinge", Graph: &onnx.GraphProto{Name: name, Node: g.nodes, Initializer: g.tensors,
		Input: []*onnx.ValueInfoProto{in}, Output: []*onnx.ValueInfoProto{value(outputName, int(onnx.TensorProto_FLOAT), out.shape[1:]...)}}}
	if _, some := g.opsets[""]; !some {
		g.opsets[""] = opset
	}
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

// made is a value of the graph: its name, its shape with N at 0, and whether it is a map
// of the layers, [H][W][N][C], which is N×C×H×W in ONNX.
type made struct {
	name  string
	shape []int
	maps  bool
}

// builder collects nodes and constants.
type builder struct {
	nodes   []*onnx.NodeProto
	tensors []*onnx.TensorProto
	names   map[string]bool
	values  map[int]*made
	opsets  map[string]int // by domain
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
	g.values[0] = &made{name: name, shape: append([]int{0}, shape...), maps: at >= 0 && layers[at].Op == "Images"}
	g.names[name] = true
	return value(name, kind, shape...), nil
}

// layer adds the nodes of a layer.
func (g *builder) layer(l *nn.Layer[float32]) error {
	if len(l.In) == 0 {
		return errors.New("has no form in ONNX")
	}
	x := g.values[l.In[0]]
	y := &made{shape: l.Shape}
	if len(l.Shape) == 4 && x.maps {
		y.shape, y.maps = []int{l.Shape[2], l.Shape[3], l.Shape[0], l.Shape[1]}, true
	}
	switch l.Op {
	case "Images":
		y = x
	case "Part":
		in := x.name
		if x.maps {
			return errors.New("reads maps as an input, which have another order")
		}
		out, nodes, tensors, err := l.With.(*Part).Form(in, g.unique, exported(l.Params))
		if err != nil {
			return err
		}
		y.name, g.nodes, g.tensors = out, append(g.nodes, nodes...), append(g.tensors, tensors...)
	case "Conv":
		c := l.With.(nn.Conv)
		y.name = g.add("Conv", l.Name, []string{x.name, g.constant(l.Params[0])},
			attribute("kernel_shape", twice(c.Kernel)), attribute("strides", twice(max(c.Stride, 1))), attribute("pads", slices.Concat(twice(c.Pad), twice(c.Pad))))
	case "BatchNorm":
		y.name = g.norm(l, x.name)
	case "ReLU":
		y.name = g.add("Relu", l.Name+".relu", []string{x.name})
	case "MaxPool":
		c := l.With.([]int)
		y.name = g.add("MaxPool", l.Name, []string{x.name},
			attribute("kernel_shape", twice(c[0])), attribute("strides", twice(c[1])), attribute("pads", slices.Concat(twice(c[2]), twice(c[2]))))
	case "GlobalAvgPool":
		y.name = g.add("Flatten", l.Name+".flatten", []string{g.add("GlobalAveragePool", l.Name, []string{x.name})}, attribute("axis", 1))
	case "Linear":
		y.name = g.add("Gemm", l.Name, []string{x.name, g.constant(l.Params[0]), g.constant(l.Params[1])}, attribute("transB", 1))
	case "Average":
		var in []string
		for _, v := range l.In {
			in = append(in, g.values[v].name)
		}
		y.name = g.add("Mean", l.Name, in)
	case "Reshape":
		return g.reshape(l, x)
	default:
		return fmt.Errorf("has no form in ONNX: it is a %s", l.Op)
	}
	g.values[l.Out] = y
	return nil
}

// reshape adds a node that keeps the order of elements, with N first.
func (g *builder) reshape(l *nn.Layer[float32], x *made) error {
	if x.maps && (x.shape[2] != 1 || x.shape[3] != 1) {
		return errors.New("makes an array of maps, and the order of the elements of maps H×W×N×C is not that of ONNX; average or convolve them to one pixel first")
	}
	shape := l.With.([]int)
	for i, d := range shape {
		if d <= 0 != (i == 0) || d < 0 {
			return fmt.Errorf("has the shape %v, with the batch elsewhere than in front (it is 0 there)", shape)
		}
	}
	name := g.unique(l.Name + ".shape")
	sides := []int64{-1}
	for _, d := range shape[1:] {
		sides = append(sides, int64(d))
	}
	g.tensors = append(g.tensors, tensor(name, []int{len(sides)}, sides))
	g.values[l.Out] = &made{name: g.add("Reshape", l.Name, []string{x.name, name}), shape: l.Shape}
	return nil
}

// norm adds a batch normalisation and the operations fused with it.
func (g *builder) norm(l *nn.Layer[float32], x string) string {
	c := l.With.(nn.BatchNorm)
	in := []string{x}
	for _, p := range l.Params {
		in = append(in, g.constant(p))
	}
	y := g.add("BatchNormalization", l.Name, in, attribute("epsilon", float32(cmp.Or(c.Epsilon, 1e-5))))
	if len(l.In) > 1 {
		y = g.add("Add", l.Name+".add", []string{y, g.values[l.In[1]].name})
	}
	if c.ReLU {
		y = g.add("Relu", l.Name+".relu", []string{y})
	}
	return y
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
		data := make([]float32, len(p.Value))
		p.ExportOrder(data, p.Value)
		g.names[p.Name] = true
		g.tensors = append(g.tensors, tensor(p.Name, p.Shape, data))
	}
	return p.Name
}

// twice is for both directions of an image.
func twice(n int) []int { return []int{n, n} }

// exported are the values of parameters by name, nil for others.
func exported(params []*nn.Param[float32]) func(name string) []float32 {
	return func(name string) []float32 {
		for _, p := range params {
			if p.Name == name {
				data := make([]float32, len(p.Value))
				p.ExportOrder(data, p.Value)
				return data
			}
		}
		return nil
	}
}
