package onnx

import (
	"fmt"
	"io"
	"slices"

	"hinge/models/resnet18"
	"hinge/nn"
)

// Names of the graph's ends.
const (
	inputName  = "images"
	outputName = "logits"
)

// WriteResNet18 writes the network of a configuration for h×w images. tensors are
// its parameters and buffers in the exported layout (nn.Params.Export); others are
// ignored.
func WriteResNet18(w io.Writer, c resnet18.Config, height, width int, tensors []nn.Tensor[float32]) error {
	g := &builder{given: make(map[string]nn.Tensor[float32], len(tensors))}
	for _, t := range tensors {
		g.given[t.Name] = t
	}
	c = c.WithDefaults()
	x := g.conv("conv1", inputName, c.Channels, c.Widths[0], 7, 2, 3)
	x = g.relu("relu", g.norm("bn1", x, c.Widths[0]))
	x = g.add("MaxPool", "maxpool", []string{x},
		attribute("kernel_shape", []int{3, 3}), attribute("strides", []int{2, 2}), attribute("pads", []int{1, 1, 1, 1}))
	in := c.Widths[0]
	for i, out := range c.Widths {
		for block := range 2 {
			stride := 1
			if i > 0 && block == 0 {
				stride = 2
			}
			x = g.basicBlock(fmt.Sprintf("layer%d.%d", i+1, block), x, in, out, stride, stride > 1)
			in = out
		}
	}
	x = g.add("GlobalAveragePool", "avgpool", []string{x})
	x = g.add("Flatten", "flatten", []string{x}, attribute("axis", 1))
	x = g.linear("fc", x, in, c.Features)
	outputs := c.Features
	if head := c.Head; head.Out > 0 {
		for i, hidden := range head.Hidden {
			name := fmt.Sprintf("head.%d", i)
			x = g.relu(name+".relu", g.linear(name, x, outputs, hidden))
			outputs = hidden
		}
		x = g.linear(fmt.Sprintf("head.%d", len(head.Hidden)), x, outputs, head.Out)
		outputs = head.Out
	}
	if g.err != nil {
		return g.err
	}
	g.nodes = append(g.nodes, node("Identity", outputName, []string{x}, outputName))
	_, err := w.Write(g.model("resnet18", value(inputName, c.Channels, height, width), value(outputName, outputs)))
	return err
}

// basicBlock is that of package resnet18.
func (g *builder) basicBlock(name, x string, in, out, stride int, project bool) string {
	y := g.conv(name+".conv1", x, in, out, 3, stride, 1)
	y = g.relu(name+".relu1", g.norm(name+".bn1", y, out))
	y = g.conv(name+".conv2", y, out, out, 3, 1, 1)
	y = g.norm(name+".bn2", y, out)
	if project {
		x = g.norm(name+".downsample.1", g.conv(name+".downsample.0", x, in, out, 1, stride, 0), out)
	}
	return g.relu(name+".relu2", g.add("Add", name+".add", []string{y, x}))
}

// builder collects nodes and constants. A node's output has the node's name.
type builder struct {
	given          map[string]nn.Tensor[float32]
	nodes, tensors []message
	err            error // the first
}

// add appends a node and returns its output.
func (g *builder) add(op, name string, in []string, attributes ...message) string {
	g.nodes = append(g.nodes, node(op, name, in, name, attributes...))
	return name
}

// constant takes a given tensor into the graph and returns its name.
func (g *builder) constant(name string, shape ...int) string {
	t, ok := g.given[name]
	switch {
	case g.err != nil:
	case !ok:
		g.err = fmt.Errorf("onnx: there is no tensor %q", name)
	case !slices.Equal(t.Shape, shape):
		g.err = fmt.Errorf("onnx: tensor %q has shape %v, want %v", name, t.Shape, shape)
	default:
		g.tensors = append(g.tensors, tensor(name, shape, t.Data))
	}
	return name
}

func (g *builder) conv(name, x string, in, out, kernel, stride, pad int) string {
	return g.add("Conv", name, []string{x, g.constant(name+".weight", out, in, kernel, kernel)},
		attribute("kernel_shape", []int{kernel, kernel}), attribute("strides", []int{stride, stride}),
		attribute("pads", []int{pad, pad, pad, pad}))
}

func (g *builder) norm(name, x string, channels int) string {
	in := []string{x}
	for _, suffix := range []string{".weight", ".bias", ".running_mean", ".running_var"} {
		in = append(in, g.constant(name+suffix, channels))
	}
	return g.add("BatchNormalization", name, in, attribute("epsilon", float32(1e-5)))
}

func (g *builder) relu(name, x string) string { return g.add("Relu", name, []string{x}) }

func (g *builder) linear(name, x string, in, out int) string {
	return g.add("Gemm", name, []string{x, g.constant(name+".weight", out, in), g.constant(name+".bias", out)},
		attribute("transB", 1))
}

// model is the finished file.
func (g *builder) model(name string, in, out message) message {
	var graph message
	for _, n := range g.nodes {
		graph.bytes(graphNode, n)
	}
	graph.text(graphName, name)
	for _, t := range g.tensors {
		graph.bytes(graphTensor, t)
	}
	graph.bytes(graphIn, in)
	graph.bytes(graphOut, out)
	return model(graph)
}
