package onnxnet

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"gorgonia.org/gorgonia"

	"hinge/nn"
)

// File is an ONNX file that has been read and checked.
type File struct {
	graph
	input  place
	output string
	needed []*node            // by the output, in order
	uses   map[string][]*node // needed nodes that read a value
	counts map[string]int     // places where they read it, and the output
}

// Load reads a file. Errors name the file and the part that is not supported.
func Load(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("onnxnet: %w", err)
	}
	f, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("onnxnet: %s: %w", path, err)
	}
	return f, nil
}

// The versions of the operators that are understood.
const oldest, newest = 7, 21

// Parse reads the contents of a file.
func Parse(data []byte) (*File, error) {
	g, err := parse(data)
	if err != nil {
		return nil, err
	}
	f := &File{graph: *g, uses: map[string][]*node{}, counts: map[string]int{}}
	if f.opset < oldest || f.opset > newest {
		return nil, fmt.Errorf("the operators are of version %d, want %d to %d", f.opset, oldest, newest)
	}
	var inputs []string
	for _, p := range f.inputs {
		if f.weights[p.name] == nil {
			f.input = p
			inputs = append(inputs, p.name)
		}
	}
	if len(inputs) != 1 {
		return nil, fmt.Errorf("the graph has %d inputs (%s), want one", len(inputs), strings.Join(inputs, ", "))
	}
	if len(f.outputs) == 0 {
		return nil, fmt.Errorf("the graph has no output")
	}
	if s := f.input.shape; len(s) < 2 || s[0] > 1 {
		return nil, fmt.Errorf("the input %s has the shape %v (0 is free), want the batch first and free, and at least one axis more", f.input.name, s)
	}
	f.output = f.outputs[0].name
	return f, f.order()
}

// order finds the nodes that the output needs, and checks them.
func (f *File) order() error {
	made := map[string]bool{f.input.name: true}
	for name := range f.weights {
		made[name] = true
	}
	by := map[string]int{}
	for i, n := range f.nodes {
		for _, in := range n.in {
			if in != "" && !made[in] {
				return fmt.Errorf("node %s reads %q, which nothing before it makes", n.title(), in)
			}
		}
		for _, out := range n.out {
			if made[out] && out != "" {
				return fmt.Errorf("node %s makes %q a second time", n.title(), out)
			}
			made[out], by[out] = true, i
		}
	}
	want := map[string]bool{f.output: true}
	f.counts[f.output] = 1
	for _, n := range slices.Backward(f.nodes) {
		if !slices.ContainsFunc(n.out, func(out string) bool { return out != "" && want[out] }) {
			continue
		}
		if !supported(n) {
			return fmt.Errorf("node %s has the operator %s, which is not understood; %s are", n.title(), strings.TrimPrefix(n.domain+"."+n.op, "."), strings.Join(Operators(), ", "))
		}
		f.needed = append(f.needed, n)
		for _, in := range n.in {
			want[in] = true
			if in != "" && n.op != "Shape" {
				f.uses[in] = append(f.uses[in], n)
				f.counts[in]++
			}
		}
	}
	slices.Reverse(f.needed)
	if !want[f.input.name] {
		return fmt.Errorf("the output %s does not depend on the input %s", f.output, f.input.name)
	}
	return nil
}

// Logits is the network without a Softmax or Sigmoid at its end, for a use that puts one
// there itself.
func (f *File) Logits() *File {
	last := f.needed[len(f.needed)-1]
	if last.op != "Softmax" && last.op != "Sigmoid" {
		return f
	}
	g := *f
	g.uses, g.counts, g.needed, g.output = map[string][]*node{}, map[string]int{}, nil, last.in[0]
	if err := g.order(); err != nil {
		return f // the input is the output
	}
	return &g
}

// Operators lists the operators that are understood.
func Operators() []string {
	var list []string
	for name := range operators[float32]() {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

func supported(n *node) bool {
	return (n.domain == "" || n.domain == "ai.onnx") && slices.Contains(Operators(), n.op)
}

// Define is the definition of the network: examples of the shape of the file's input, but
// for the batch, or as many numbers in another; grey images are repeated over its
// channels. The output is [N][outputs].
func Define[T nn.Float](f *File) nn.Definition[T] {
	return func(b *nn.Builder[T], x *gorgonia.Node) *gorgonia.Node {
		c := &context[T]{b: b, f: f, values: map[string]*value[T]{}, done: map[*node]bool{}, known: operators[T]()}
		for name, t := range f.weights {
			c.values[name] = &value[T]{shape: t.shape, weight: t, ints: t.ints, whole: t.whole}
		}
		if !c.begin(x) {
			return nil
		}
		for _, n := range f.needed {
			if c.done[n] {
				continue
			}
			if c.known[n.op](c, n); c.failed {
				return nil
			}
		}
		out := c.values[f.output]
		if out.whole || out.shape == nil || out.shape[0] != b.Batch {
			c.fail(f.needed[len(f.needed)-1], "the output has the shape %v for a batch of %d", out.shape, b.Batch)
			return nil
		}
		return b.Reshape("onnx output", c.array(out), b.Batch, product(out.shape[1:]))
	}
}
