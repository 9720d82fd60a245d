package onnx_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"gorgonia.org/gorgonia"

	"hinge/models/lenet"
	"hinge/models/mlp"
	"hinge/models/onnx"
	"hinge/models/onnxnet"
	"hinge/models/plain"
	"hinge/models/resnet18"
	"hinge/nn"
)

const side = 28

// network is a network of images whose every parameter and statistic is random, its logits
// for n random images, and its file.
func network(t *testing.T, define nn.Definition[float32], n int) (images, logits []float32, written []byte) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 0))
	net, err := nn.New([]int{side, side}, define, rng)
	require.NoError(t, err)
	for _, p := range net.Params().All() {
		for i := range p.Value {
			switch {
			case strings.HasSuffix(p.Name, "running_var"):
				p.Value[i] = 0.5 + rng.Float32()
			case strings.HasSuffix(p.Name, "running_mean"), strings.HasSuffix(p.Name, "bias"):
				p.Value[i] = 0.4*rng.Float32() - 0.2
			case len(p.Shape) == 1: // the scales of batch normalisation
				p.Value[i] = 0.5 + rng.Float32()
			}
		}
	}
	images = make([]float32, n*side*side)
	for i := range images {
		images[i] = rng.Float32()
	}
	logits, err = net.Forward(images, n)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, onnx.Write(&out, "resnet18", net, define))
	return images, logits, out.Bytes()
}

// holds reports whether a file has a part.
func holds(t *testing.T, written []byte, part proto.Message) bool {
	t.Helper()
	raw, err := proto.Marshal(part)
	require.NoError(t, err)
	return bytes.Contains(written, raw)
}

// channels repeats grey images over c channels.
func channels(images []float32, c int) []float32 {
	var out []float32
	for plane := range slices.Chunk(images, side*side) {
		for range c {
			out = append(out, plane...)
		}
	}
	return out
}

var small = resnet18.Config{Channels: 3, Features: 6, Widths: [4]int{4, 5, 6, 7}, Head: mlp.Config{Hidden: []int{5, 4}, Out: 10}}

// again is the network of a file, as package onnxnet reads it, for examples of a shape. That
// package is held against PyTorch by its own tests.
func again(t *testing.T, written []byte, example ...int) *nn.Net[float32] {
	t.Helper()
	f, err := onnxnet.Parse(written)
	require.NoError(t, err)
	net, err := nn.New(example, onnxnet.Define[float32](f), rand.New(rand.NewPCG(8, 0)))
	require.NoError(t, err)
	return net
}

// The file, read again, has the network's logits, and its images are declared.
func TestWriteImages(t *testing.T) {
	head := mlp.Config{Hidden: []int{6}, Out: 10}
	for name, c := range map[string]struct {
		define   nn.Definition[float32]
		channels int
	}{
		"published":        {resnet18.Define[float32](resnet18.MNISTAddition(1, 0)), 1},
		"small":            {resnet18.Define[float32](small), 3},
		"no head":          {resnet18.Define[float32](resnet18.Config{Features: 3, Widths: [4]int{2, 2, 2, 2}}), 1},
		"plain":            {plain.Define[float32](plain.Config{Widths: []int{2, 3, 4, 5, 6}, Out: 10}), 1},
		"lenet":            {lenet.Define[float32](lenet.Config{Head: head}), 1},
		"lenet of colours": {lenet.Define[float32](lenet.Config{Channels: 3, Widths: [3]int{3, 4, 5}}), 3},
	} {
		const n = 3
		images, want, written := network(t, c.define, n)
		if !holds(t, written, onnx.Value("images", 1, c.channels, side, side)) {
			t.Errorf("%s: the file takes no images in %d channels", name, c.channels)
		}
		got, err := again(t, written, side, side).Forward(images, n)
		require.NoErrorf(t, err, "%s", name)
		assert.Equalf(t, want, got, "%s: logits", name)
		if apart, _ := difference(want[:len(want)/n], want[len(want)/n:2*len(want)/n]); apart < 1e-3 {
			t.Errorf("%s: two images have all but the same logits, %v: this checks nothing", name, want)
		}
	}
}

// difference is the largest difference of two lists and the largest magnitude.
func difference(got, want []float32) (worst, top float64) {
	for i, v := range want {
		worst = max(worst, math.Abs(float64(got[i])-float64(v)))
		top = max(top, math.Abs(float64(v)))
	}
	return worst, top
}

// A network of features, below the softmax that it ends in, without dropout; an average of
// networks is the operator of that meaning.
func TestWriteFeatures(t *testing.T) {
	define := func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
		first := mlp.Apply(b, "a", b.Reshape("flat", x, b.Batch, 6), mlp.Config{Hidden: []int{5, 4}, Out: 3, Dropout: 0.5})
		return b.ReLU("b", b.Linear("b", first, 3))
	}
	average := func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
		return b.Average("both", define(b, x), b.Linear("c", b.Reshape("flat", x, b.Batch, 6), 3))
	}
	net, err := nn.New([]int{2, 3}, func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
		return b.Softmax("output", average(b, x))
	}, rand.New(rand.NewPCG(9, 0)))
	require.NoError(t, err)
	write := func(define nn.Definition[float32]) []byte {
		var out bytes.Buffer
		require.NoError(t, onnx.Write(&out, "every", net, define))
		return out.Bytes()
	}
	x := []float32{0.1, 0.9, 0.4, 0.3, 0.8, 0.2, 0.7, 0.6, 0.5, 1, 0, 0.5}
	got, err := again(t, write(define), 2, 3).Forward(x, 2)
	require.NoError(t, err)
	alone, err := nn.New([]int{2, 3}, define, rand.New(rand.NewPCG(9, 0)))
	require.NoError(t, err)
	for _, p := range alone.Params().All() {
		copy(p.Value, net.Params().Get(p.Name).Value)
	}
	want, err := alone.Forward(x, 2)
	require.NoError(t, err)
	assert.Equal(t, want, got, "logits")
	for _, part := range []proto.Message{onnx.Value("features", 1, 2, 3), onnx.Node("Mean", "both", []string{"b.relu", "c"}, "both")} {
		if !holds(t, write(average), part) {
			t.Errorf("the file lacks %q", part)
		}
	}
}

// What has no form in ONNX is named, and nothing is written.
func TestWriteRefuses(t *testing.T) {
	for want, define := range map[string]nn.Definition[float32]{
		"the layer square odd has no form in ONNX": func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
			return b.Linear("l", b.Map("odd", x, nn.Scalar{Name: "square", Value: func(x float64) float64 { return x * x }, Differential: func(x, _ float64) float64 { return 2 * x }}), 2)
		},
		"the layer propagate graph has no form in ONNX": func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
			s := &nn.Sparse[float32]{Rows: b.Batch, Cols: b.Batch, Ptr: make([]int, b.Batch+1)}
			return b.Linear("l", b.Propagate("graph", s, x, 1, 0), 2)
		},
		"the layer c is a constant of the size of the batch": func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
			return b.Combine("sum", nn.Add, x, b.Constant("c", make([]float32, 3*b.Batch), b.Batch, 3))
		},
		"the numbers of the constant depend on the batch size": func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
			return b.MatMul("product", x, b.Constant("c", []float32{float32(b.Batch), 0, 0}, 3, 1))
		},
		"the layer pool counts padding in windows that reach beyond it": func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
			x = b.Images("in", b.Reshape("pixels", x, b.Batch, 1, 3, 1), 1)
			return b.GlobalAvgPool("mean", b.WindowAverage("pool", x, nn.Window{Kernel: [2]int{2, 1}, Stride: [2]int{2, 1}, Ceil: true}, true))
		},
		"the layer wide has 2 pixels of padding beside a kernel of 2": func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
			x = b.Images("in", b.Reshape("pixels", x, b.Batch, 1, 3, 1), 1) // onnxruntime 1.31 refuses such a file
			return b.GlobalAvgPool("mean", b.WindowMax("wide", x, nn.Window{Kernel: [2]int{2, 1}, Dilation: [2]int{3, 1}, Pad: [4]int{2, 0, 0, 0}}))
		},
		"the layer long has 2 pixels of padding beside a kernel of 2": func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
			x = b.Images("in", b.Reshape("pixels", x, b.Batch, 1, 3, 1), 1)
			return b.GlobalAvgPool("mean", b.WindowAverage("long", x, nn.Window{Kernel: [2]int{2, 1}, Stride: [2]int{5, 1}, Pad: [4]int{0, 0, 2, 0}}, false))
		},
		"the layer in makes images of N×H×W that are not the input": func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
			return b.GlobalAvgPool("mean", b.Images("in", b.Reshape("pixels", x, b.Batch, 3, 1), 1))
		},
		"the layer gather odd has no form in ONNX": func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
			return b.Linear("l", b.Reshape("r", b.Gather("odd", make([]int, 3*b.Batch), x), b.Batch, 3), 2)
		},
		"the layer r has the shape [-3 -3 1], with the batch in two axes": func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
			x = b.MatMul("pairs", b.Reshape("column", x, 3*b.Batch, 1), b.Reshape("row", x, 1, 3*b.Batch))
			return b.Reshape("s", b.Reduce("sums", nn.ReduceSum, b.Reshape("r", x, 3*b.Batch, 3*b.Batch, 1), 1), b.Batch, 3)
		},
	} {
		net, err := nn.NewWhole([]int{3}, 2, define, rand.New(rand.NewPCG(1, 0)))
		require.NoError(t, err)
		var out bytes.Buffer
		if err := onnx.Write(&out, "net", net, define); err == nil || !strings.Contains(err.Error(), want) || out.Len() > 0 {
			t.Errorf("%v after %d bytes, want %s", err, out.Len(), want)
		}
	}
	define := resnet18.Define[float32](small)
	net, err := nn.New([]int{side, side}, resnet18.Define[float32](small), rand.New(rand.NewPCG(1, 0)))
	require.NoError(t, err)
	full := errors.New("disk full")
	if err := onnx.Write(failing{full}, "net", net, define); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// onnxruntime, where it is installed, has the network's logits. To install it:
//
//	npm install --prefix DIR onnxruntime-node
//
// and set NODE_PATH to DIR/node_modules.
func TestRuntime(t *testing.T) {
	if err := exec.Command("node", "-e", "require('onnxruntime-node')").Run(); err != nil {
		t.Skip("no onnxruntime: npm install --prefix DIR onnxruntime-node, and set NODE_PATH to DIR/node_modules")
	}
	const n = 5
	images, want, written := network(t, resnet18.Define[float32](resnet18.MNISTAddition(3, 0)), n)
	raw, err := binary.Append(nil, binary.LittleEndian, channels(images, 3))
	require.NoError(t, err)
	dir := t.TempDir()
	model, input := filepath.Join(dir, "net.onnx"), filepath.Join(dir, "images.f32")
	require.NoError(t, os.WriteFile(model, written, 0o644))
	require.NoError(t, os.WriteFile(input, raw, 0o644))
	cmd := exec.Command("node", filepath.Join("testdata", "logits.js"), model, input, "3")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	got := make([]float32, len(want))
	if n, err := binary.Decode(out, binary.LittleEndian, got); err != nil || n != len(out) {
		t.Fatalf("%d bytes for %d numbers: %v", len(out), len(want), err)
	}
	worst, top := difference(got, want)
	t.Logf("largest difference %.2g, largest logit %.2g", worst, top)
	if !(worst <= 1e-5*max(1, top)) {
		t.Errorf("logits %v, want %v", got, want)
	}
}
