package onnx

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

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"

	"hinge/models/lenet"
	"hinge/models/mlp"
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
	require.NoError(t, Write(&out, "resnet18", net, define))
	return images, logits, out.Bytes()
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

// The file, read and run by code that shares nothing with the writer, has the
// network's logits.
func TestWriteImages(t *testing.T) {
	head := mlp.Config{Hidden: []int{6}, Out: 10}
	for name, c := range map[string]struct {
		define   nn.Definition[float32]
		channels int
	}{
		"published":        {resnet18.Define[float32](resnet18.MNISTAddition(1, 0)), 1},
		"small":            {resnet18.Define[float32](small), 3},
		"no head":          {resnet18.Define[float32](resnet18.Config{Features: 3, Widths: [4]int{2, 2, 2, 2}}), 1},
		"lenet":            {lenet.Define[float32](lenet.Config{Head: head}), 1},
		"lenet of colours": {lenet.Define[float32](lenet.Config{Channels: 3, Widths: [3]int{3, 4, 5}}), 3},
	} {
		const n = 3
		images, want, written := network(t, c.define, n)
		f, err := read(written)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ch := c.channels
		if f.ir != 7 || f.opset != 13 || f.in != "images" || f.out != "logits" ||
			!slices.Equal(f.inputShape, []string{"N", []string{"", "1", "2", "3"}[ch], "28", "28"}) {
			t.Errorf("%s: version %d, set %d, input %s %v, output %s", name, f.ir, f.opset, f.in, f.inputShape, f.out)
		}
		x := newArray(n, ch, side, side)
		for i, v := range channels(images, ch) {
			x.data[i] = float64(v)
		}
		got, err := f.evaluate(x)
		require.NoErrorf(t, err, "%s", name)
		worst, top := difference(got.data, want)
		t.Logf("%s: largest difference %.2g, largest logit %.2g, %d bytes", name, worst, top, len(written))
		if len(got.data) != len(want) || !(worst <= 1e-5*max(1, top)) {
			t.Errorf("%s: logits %v, want %v", name, got.data, want)
		}
		if apart, _ := difference(want[:len(want)/n], want[len(want)/n:2*len(want)/n]); apart < 1e-3 {
			t.Errorf("%s: two images have all but the same logits, %v: this checks nothing", name, want)
		}
	}
}

// difference is the largest difference of two lists and the largest magnitude.
func difference[T float32 | float64](got []T, want []float32) (worst, top float64) {
	for i, v := range want {
		worst = max(worst, math.Abs(float64(got[i])-float64(v)))
		top = max(top, math.Abs(float64(v)))
	}
	return worst, top
}

// every is a network with the layers that a resnet18 does not have.
func every(t *testing.T, n int) (x, logits []float32, written []byte) {
	t.Helper()
	rng := rand.New(rand.NewPCG(9, 0))
	define := func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
		first := mlp.Apply(b, "a", b.Reshape("flat", x, b.Batch, 6), mlp.Config{Hidden: []int{5, 4}, Out: 3, Dropout: 0.5})
		second := b.ReLU("b", b.Linear("b", b.Reshape("flat", x, b.Batch, 6), 3))
		return b.Average("both", first, second)
	}
	net, err := nn.New([]int{2, 3}, func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
		return b.Softmax("output", define(b, x))
	}, rng)
	require.NoError(t, err)
	alone, err := nn.New([]int{2, 3}, define, rng)
	require.NoError(t, err)
	require.NoError(t, alone.Params().CopyFrom(net.Params()))
	x = make([]float32, n*6)
	for i := range x {
		x[i] = rng.Float32()
	}
	logits, err = alone.Forward(x, n)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, Write(&out, "every", net, define))
	return x, logits, out.Bytes()
}

// A network of features, below the softmax that it ends in.
func TestWriteFeatures(t *testing.T) {
	x, want, written := every(t, 3)
	f, err := read(written)
	require.NoError(t, err)
	if f.in != "features" || !slices.Equal(f.inputShape, []string{"N", "2", "3"}) {
		t.Errorf("input %s %v", f.in, f.inputShape)
	}
	in := newArray(3, 2, 3)
	for i, v := range x {
		in.data[i] = float64(v)
	}
	got, err := f.evaluate(in)
	require.NoError(t, err)
	if worst, top := difference(got.data, want); !(worst <= 1e-6*max(1, top)) {
		t.Errorf("logits %v, want %v", got.data, want)
	}
}

// What has no form in ONNX is named, and nothing is written.
func TestWriteRefuses(t *testing.T) {
	for want, define := range map[string]nn.Definition[float32]{
		"the layer softmax soft has no form in ONNX": func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
			return b.Softmax("soft", b.Linear("l", x, 2))
		},
		"the layer gather odd has no form in ONNX": func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
			return b.Linear("l", b.Reshape("r", b.Gather("odd", make([]int, 3*b.Batch), x), b.Batch, 3), 2)
		},
		"the layer r has the shape [3 0], with the batch elsewhere": func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
			return b.Linear("l", b.Reshape("s", b.Reshape("r", x, 3, b.Batch), b.Batch, 3), 2)
		},
	} {
		net, err := nn.New([]int{3}, define, rand.New(rand.NewPCG(1, 0)))
		require.NoError(t, err)
		var out bytes.Buffer
		if err := Write(&out, "net", net, define); err == nil || !strings.Contains(err.Error(), want) || out.Len() > 0 {
			t.Errorf("%v after %d bytes, want %s", err, out.Len(), want)
		}
	}
	define := resnet18.Define[float32](small)
	net, err := resnet18.New[float32](small, side, side, rand.New(rand.NewPCG(1, 0)))
	require.NoError(t, err)
	full := errors.New("disk full")
	if err := Write(failing{full}, "net", net, define); !errors.Is(err, full) {
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
