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

	"hinge/models/mlp"
	"hinge/models/resnet18"
	"hinge/nn"
)

const side = 28

// network is a ResNet18 whose every parameter and statistic is random, its logits
// for n random images, and its file.
func network(t *testing.T, c resnet18.Config, n int) (images, logits []float32, written []byte) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 0))
	net, err := resnet18.New[float32](c, side, side, rng)
	if err != nil {
		t.Fatal(err)
	}
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
	if logits, err = net.Forward(images, n); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := WriteResNet18(&out, c, side, side, net.Params().Export()); err != nil {
		t.Fatal(err)
	}
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
func TestWriteResNet18(t *testing.T) {
	for name, c := range map[string]resnet18.Config{
		"published": resnet18.MNISTAddition(1, 0),
		"small":     small,
		"no head":   {Features: 3, Widths: [4]int{2, 2, 2, 2}},
	} {
		const n = 3
		images, want, written := network(t, c, n)
		f, err := read(written)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ch := max(1, c.Channels)
		if f.ir != 7 || f.opset != 13 || f.in != "images" || f.out != "logits" ||
			!slices.Equal(f.inputShape, []string{"N", []string{"", "1", "2", "3"}[ch], "28", "28"}) {
			t.Errorf("%s: version %d, set %d, input %s %v, output %s", name, f.ir, f.opset, f.in, f.inputShape, f.out)
		}
		x := newArray(n, ch, side, side)
		for i, v := range channels(images, ch) {
			x.data[i] = float64(v)
		}
		got, err := f.evaluate(x)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
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

func TestWriteResNet18Refuses(t *testing.T) {
	net, err := resnet18.New[float32](small, side, side, rand.New(rand.NewPCG(1, 0)))
	if err != nil {
		t.Fatal(err)
	}
	all := net.Params().Export()
	other := slices.Clone(all)
	other[0].Shape = []int{1, 2}
	for want, tensors := range map[string][]nn.Tensor[float32]{
		`there is no tensor "head.2.bias"`:      all[:len(all)-1],
		`tensor "conv1.weight" has shape [1 2]`: other,
	} {
		var out bytes.Buffer
		if err := WriteResNet18(&out, small, side, side, tensors); err == nil || !strings.Contains(err.Error(), want) || out.Len() > 0 {
			t.Errorf("%v after %d bytes, want %s", err, out.Len(), want)
		}
	}
	full := errors.New("disk full")
	if err := WriteResNet18(failing{full}, small, side, side, all); !errors.Is(err, full) {
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
	c := resnet18.MNISTAddition(3, 0)
	const n = 5
	images, want, written := network(t, c, n)
	raw, err := binary.Append(nil, binary.LittleEndian, channels(images, 3))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	model, input := filepath.Join(dir, "net.onnx"), filepath.Join(dir, "images.f32")
	if err := os.WriteFile(model, written, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(input, raw, 0o644); err != nil {
		t.Fatal(err)
	}
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
