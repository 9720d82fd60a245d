package onnxnet

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/advancedclimatesystems/gonnx/onnx"
	"google.golang.org/protobuf/proto"
	"gorgonia.org/gorgonia"

	write "hinge/models/onnx"
	"hinge/nn"
)

// File is an ONNX file that has been read and checked.
type File struct {
	name    string
	opsets  map[string]int // by domain
	nodes   []*node
	weights map[string]*tensor // and constants
	input   port
	output  string
	batch   int                // that the file fixes, or 0
	needed  []*node            // by the output, in order
	uses    map[string][]*node // needed nodes that read a value
	counts  map[string]int     // places where they read it, and the output
	last    *node              // a Softmax or Sigmoid at the end that is left out
	log     bool               // the output is read as its logarithm
	notes   []string
}

// port is the input of a graph with the sizes of its axes, 0 for free ones.
type port struct {
	name  string
	shape []int
	kind  int
}

// Load reads a file, and those with its weights below its folder. Errors name it, and what in
// it is not understood.
func Load(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("onnxnet: %w", err)
	}
	f, err := parse(data, filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("onnxnet: %s: %w", path, err)
	}
	return f, nil
}

// Parse reads the contents of a file that holds its weights itself.
func Parse(data []byte) (*File, error) { return parse(data, "") }

// The versions of the operators that are understood: the newest is that of ONNX 1.23.
const oldest, newest = 6, 28

func parse(data []byte, folder string) (*File, error) {
	var m onnx.ModelProto
	if err := proto.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("this is no ONNX model, or it is cut off (%w)", err)
	}
	g := m.GetGraph()
	f := &File{name: g.GetName(), opsets: map[string]int{}, weights: map[string]*tensor{}}
	for _, s := range m.GetOpsetImport() {
		f.opsets[strings.TrimPrefix(s.GetDomain(), "ai.onnx")] = int(s.GetVersion())
	}
	version, some := f.opsets[""]
	switch {
	case g == nil || len(f.opsets) == 0:
		return nil, fmt.Errorf("this is no ONNX model: there is no graph, or no version of the operators")
	case some && (version < oldest || version > newest):
		return nil, fmt.Errorf("the operators are of version %d, want %d to %d", version, oldest, newest)
	case len(g.GetSparseInitializer()) > 0:
		return nil, fmt.Errorf("sparse weights are not read")
	}
	fixed := map[string]bool{}
	for _, p := range g.GetValueInfo() {
		fixed[p.GetName()] = buffer(p)
	}
	for _, p := range g.GetInitializer() {
		if p.GetDataType() == kindText { // such as the names of classes, for an output of labels
			f.weights[p.GetName()] = &tensor{name: p.GetName(), shape: []int{0}, kind: kindText}
			continue
		}
		t, err := readTensor(p, folder)
		if err != nil {
			return nil, err
		}
		t.fixed = fixed[t.name]
		t.learned = fractional(t.kind) && t.size() > 1 && !t.fixed
		f.weights[t.name] = t
	}
	if err := f.readNodes(g.GetNode(), folder); err != nil {
		return nil, err
	}
	if err := f.ports(g); err != nil {
		return nil, err
	}
	if err := f.order(); err != nil {
		return nil, err
	}
	f.share()
	return f, nil
}

// buffer reports whether PyTorch's exporter says of an array that it is no parameter but a buffer or a constant. It
// says so in a field that is younger than the package that decodes files.
func buffer(p *onnx.ValueInfoProto) bool {
	said := p.ProtoReflect().GetUnknown()
	const kind = "graph_signature.InputSpec.kind"
	return bytes.Contains(said, []byte(kind+"\x12\x06BUFFER")) || bytes.Contains(said, []byte(kind+"\x12\x0fCONSTANT_TENSOR"))
}

// readNodes takes the nodes in, but for constants, which become weights, and for weights' other
// names.
func (f *File) readNodes(list []*onnx.NodeProto, folder string) error {
	other := map[string]string{} // names of one weight
	for _, p := range list {
		n, err := f.readNode(p, folder)
		if err != nil {
			return fmt.Errorf("node %s: %w", n.title(), err)
		}
		for i, in := range n.in {
			if name, ok := other[in]; ok {
				n.in[i] = name
			}
		}
		switch {
		case n.op == "Constant" && n.domain == "":
			t, err := n.constant()
			if err != nil {
				return fmt.Errorf("node %s: %w", n.title(), err)
			}
			t.name = n.out[0]
			f.weights[t.name] = t
			continue
		case n.op == "Identity" && len(n.in) == 1 && f.weights[n.in[0]] != nil:
			other[n.out[0]] = n.in[0]
			continue
		}
		f.nodes = append(f.nodes, n)
	}
	return nil
}

// learns lists, by operator, the inputs that are weights even where a node Constant holds them,
// or where they are single numbers.
var learns = map[string][]int{"Conv": {1, 2}, "ConvTranspose": {1, 2}, "Gemm": {1, 2}, "MatMul": {0, 1}, "BatchNormalization": {1, 2, 3, 4},
	"LayerNormalization": {1, 2}, "InstanceNormalization": {1, 2}, "GroupNormalization": {1, 2}, "PRelu": {1},
	"LSTM": {1, 2, 3}, "GRU": {1, 2, 3}, "RNN": {1, 2, 3}, "Gather": {0}}

// share finds the weights that learn, and notes those that several nodes read.
func (f *File) share() {
	for _, n := range f.needed {
		for _, i := range learns[n.op] {
			if i < len(n.in) {
				if t := f.weights[n.in[i]]; t != nil && fractional(t.kind) && (!t.fixed || n.op == "BatchNormalization") {
					t.learned = true
				}
			}
		}
	}
	if slices.ContainsFunc(f.needed, func(n *node) bool { return n.op == "BatchNormalization" && n.integer("training_mode", 0) == 1 }) {
		f.note("batch normalisation is in training mode in the file: it takes the running statistics in evaluation all the same")
	}
	for _, name := range sorted(f.weights) {
		var readers []string
		for _, n := range f.uses[name] {
			if title := n.title(); !slices.Contains(readers, title) {
				readers = append(readers, title)
			}
		}
		if f.weights[name].learned && len(readers) > 1 {
			f.note("the nodes %s share the weights %s, which stay one parameter", strings.Join(readers, ", "), name)
		}
	}
}

func (f *File) note(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// Notes are sentences on what of the file is read otherwise than it may look: which of several
// outputs, a batch that is fixed in the file, weights that several nodes share.
func (f *File) Notes() []string { return slices.Clone(f.notes) }

// ports finds the input and the output.
func (f *File) ports(g *onnx.GraphProto) error {
	var inputs []string
	for _, p := range g.GetInput() {
		if f.weights[p.GetName()] != nil {
			continue
		}
		array := p.GetType().GetTensorType()
		f.input = port{name: p.GetName(), kind: int(array.GetElemType())}
		for _, d := range array.GetShape().GetDim() {
			f.input.shape = append(f.input.shape, int(max(d.GetDimValue(), 0)))
		}
		inputs = append(inputs, p.GetName())
	}
	if len(inputs) != 1 {
		return fmt.Errorf("the graph has %d inputs (%s), want one", len(inputs), strings.Join(inputs, ", "))
	}
	if len(f.input.shape) < 2 {
		return fmt.Errorf("the input %s has the shape %v (0 is free), want the batch first, and at least one axis more", f.input.name, f.input.shape)
	}
	if widths[f.input.kind] == 0 {
		return fmt.Errorf("the input %s holds elements of the kind %d, want numbers", f.input.name, f.input.kind)
	}
	if f.batch = f.input.shape[0]; f.batch > 0 {
		f.note("the batch of %d that the file fixes is taken as free", f.batch)
	}
	if len(g.GetOutput()) == 0 {
		return fmt.Errorf("the graph has no output")
	}
	var names []string
	for _, p := range g.GetOutput() {
		names = append(names, p.GetName())
	}
	at := slices.IndexFunc(g.GetOutput(), func(p *onnx.ValueInfoProto) bool {
		return fractional(int(p.GetType().GetTensorType().GetElemType()))
	})
	if at < 0 { // or the numbers in a list of dictionaries
		at = slices.IndexFunc(names, func(name string) bool { n := f.maker(name); return n != nil && n.op == "ZipMap" })
	}
	f.output = names[max(at, 0)]
	if len(names) > 1 {
		f.note("of the outputs %s, %s is read", strings.Join(names, ", "), f.output)
	}
	if n := f.maker(f.output); n != nil && n.op == "ZipMap" {
		f.output = n.in[0]
	}
	return nil
}

// maker is the node that makes a value.
func (f *File) maker(name string) *node {
	for _, n := range f.nodes {
		if slices.Contains(n.out, name) {
			return n
		}
	}
	return nil
}

// order finds the nodes that the output needs, and checks them.
func (f *File) order() error {
	f.uses, f.counts, f.needed = map[string][]*node{}, map[string]int{}, nil
	made := map[string]bool{f.input.name: true}
	for name := range f.weights {
		made[name] = true
	}
	for _, n := range f.nodes {
		for _, in := range n.in {
			if in != "" && !made[in] && f.maker(in) != nil {
				return fmt.Errorf("node %s reads %q before the node that makes it: nodes have to stand in the order in which they are computed, which onnxslim gives them", n.title(), in)
			}
			if in != "" && !made[in] {
				return fmt.Errorf("node %s reads %q, which nothing before it makes", n.title(), in)
			}
		}
		for _, out := range n.out {
			if made[out] && out != "" {
				return fmt.Errorf("node %s makes %q a second time", n.title(), out)
			}
			made[out] = true
		}
	}
	want := map[string]bool{f.output: true}
	f.counts[f.output] = 1
	for _, n := range slices.Backward(f.nodes) {
		if !slices.ContainsFunc(n.out, func(out string) bool { return out != "" && want[out] }) {
			continue
		}
		if known[n.qualified()].least == 0 {
			return fmt.Errorf("node %s has the operator %s, which is not understood; %s are", n.title(), n.qualified(), strings.Join(Operators(), ", "))
		}
		if err := n.check(want); err != nil {
			return fmt.Errorf("node %s (%s): %w", n.title(), n.op, err)
		}
		f.needed = append(f.needed, n)
		for _, in := range n.in {
			if t := f.weights[in]; t != nil && t.kind == kindText {
				return fmt.Errorf("node %s reads %q, which holds texts, want numbers", n.title(), in)
			}
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

// Define is the definition of the network: examples of the shape of the file's input, but
// for the batch, or as many numbers in another; grey images are repeated over its
// channels. The output is [N][outputs].
func Define[T nn.Float](f *File) nn.Definition[T] {
	return func(b *nn.Builder[T], x *gorgonia.Node) *gorgonia.Node {
		p := &Part{file: f, turned: map[string]bool{}, inputs: map[*node]map[int]*tensor{}, single: map[*node]map[int][2]int{}, known: map[*node]*tensor{}, pads: map[*node][]int{}}
		with := &write.Part{Input: p.Input, Opsets: p.Opsets, Form: p.Form}
		return b.Part("onnx "+f.name, with, x, func(b *nn.Builder[T], x *gorgonia.Node) *gorgonia.Node {
			return (&context[T]{b: b, f: f, part: p, values: map[string]*value[T]{}, done: map[*node]bool{}}).define(x)
		})
	}
}
