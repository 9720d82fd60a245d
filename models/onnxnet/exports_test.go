package onnxnet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/models/onnx"
	"hinge/nn"
)

// TestExports: networks as today's exporters of PyTorch write them, in a folder that HINGE_CASES
// names, have the answers of onnxruntime for every batch, and learn.
func TestExports(t *testing.T) {
	cases := os.Getenv("HINGE_CASES")
	files, err := filepath.Glob(filepath.Join(cases, "io", "torch-*", "*.onnx"))
	require.NoError(t, err)
	if cases == "" || len(files) == 0 {
		t.Skip("HINGE_CASES names no folder of exports")
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) { checkExport(t, path) })
	}
}

// checkExport compares the file's answers with those that lie beside it, NAME.BATCH.x and .y.
func checkExport(t *testing.T, path string) {
	f, err := Load(path)
	require.NoError(t, err)
	net, err := nn.New(f.input.shape[1:], Define[float32](f), rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	inputs, err := filepath.Glob(path + ".*.x")
	require.NoError(t, err)
	require.NotEmpty(t, inputs)
	var x []float32
	for _, input := range inputs {
		var n int
		_, err := fmt.Sscanf(filepath.Base(input)[len(filepath.Base(path))+1:], "%d.x", &n)
		require.NoError(t, err)
		x = singles(t, input)
		got, err := net.Forward(x, n)
		require.NoError(t, err)
		want := singles(t, strings.TrimSuffix(input, "x")+"y")
		require.Len(t, got, len(want))
		worst, top := 0.0, 1.0
		for i, v := range want {
			worst, top = max(worst, math.Abs(float64(got[i]-v))), max(top, math.Abs(float64(v)))
		}
		if !(worst <= 1e-5*top) {
			t.Errorf("a batch of %d differs by %.2g", n, worst)
		}
	}
	first, after := steps(t, net, x[:2*product(net.Example())])
	if !(after < first) {
		t.Errorf("the loss is %v after steps from %v", after, first)
	}
	rewritten(t, net, Define[float32](f), x)
}

// steps takes steps down a squared error of two examples; it returns the loss before and after.
func steps(t *testing.T, net *nn.Net[float32], x []float32) (first, last float64) {
	g, err := net.Graph(2, true)
	require.NoError(t, err)
	target := make([]float32, g.Output.Shape().TotalSize())
	for i := range target {
		target[i] = float32(i%3) - 1
	}
	_, err = g.Compile(g.Builder().SquaredError("loss", g.Output, target))
	require.NoError(t, err)
	for i := range 20 {
		require.NoError(t, g.Run(x))
		if last = g.Loss(); i == 0 {
			first = last
		}
		for _, p := range net.Params().Trainable() {
			for j, d := range p.Grad {
				p.Value[j] -= 1e-3 * d
			}
		}
	}
	return first, last
}

func singles(t *testing.T, path string) []float32 {
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	out := make([]float32, len(raw)/4)
	_, err = binary.Decode(raw, binary.LittleEndian, out)
	require.NoError(t, err)
	return out
}

// again writes a network as ONNX and reads that.
func again(t *testing.T, net *nn.Net[float32], define nn.Definition[float32]) (*File, []byte) {
	var out bytes.Buffer
	require.NoError(t, onnx.Write(&out, "again", net, define))
	f, err := Parse(out.Bytes())
	require.NoError(t, err)
	return f, out.Bytes()
}

// rewritten checks that a network, written with the values that it has, is the same.
func rewritten(t *testing.T, net *nn.Net[float32], define nn.Definition[float32], x []float32) {
	f, written := again(t, net, define)
	net2, err := nn.New(f.input.shape[1:], Define[float32](f), rand.New(rand.NewPCG(2, 2)))
	require.NoError(t, err)
	n := len(x) / product(net.Example())
	want, err := net.Forward(x, n)
	require.NoError(t, err)
	got, err := net2.Forward(x, n)
	require.NoError(t, err)
	if dir := os.Getenv("HINGE_WRITTEN"); dir != "" { // for another program to check
		path := filepath.Join(dir, filepath.Base(t.Name()))
		require.NoError(t, os.WriteFile(path, written, 0o644))
		for ending, numbers := range map[string][]float32{".x": x, ".y": want} {
			raw, err := binary.Append(nil, binary.LittleEndian, numbers)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path+ending, raw, 0o644))
		}
	}
	worst := 0.0
	for i, v := range want {
		worst = max(worst, math.Abs(float64(got[i]-v)))
	}
	if len(got) != len(want) || !(worst <= 1e-5) {
		t.Errorf("written and read again it differs by %.2g", worst)
	}
}

// TestWrittenAgain: the committed networks, after steps, are the same when they are written.
func TestWrittenAgain(t *testing.T) {
	for _, name := range committed {
		for _, form := range []string{".onnx", ".eval.onnx"} {
			t.Run(name+form, func(t *testing.T) {
				f, err := Load(filepath.Join("testdata", name+form))
				require.NoError(t, err)
				net, err := nn.New(f.input.shape[1:], Define[float32](f), rand.New(rand.NewPCG(1, 1)))
				require.NoError(t, err)
				x := make([]float32, 3*product(net.Example()))
				for i := range x {
					x[i] = float32((7*i)%11-5) / 4
				}
				steps(t, net, x[:2*product(net.Example())])
				rewritten(t, net, Define[float32](f), x)
			})
		}
	}
}

// TestBuffers: of testdata/buffers.onnx the parameters of PyTorch learn, which buffers.py prints with the answer; its
// buffers and constants stay, but for the statistics of batch normalisation.
func TestBuffers(t *testing.T) {
	f, err := Load("testdata/buffers.onnx")
	require.NoError(t, err)
	net, err := nn.New([]int{6}, Define[float32](f), rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	got, err := net.Forward([]float32{0, .1, .2, .3, .4, .5}, 1)
	require.NoError(t, err)
	require.InDeltaSlice(t, []float32{.17168879508972168, .13613003492355347, .22432982921600342}, got, 1e-6)
	var learned, kept []string
	for _, p := range net.Params().All() {
		if p.Trainable {
			learned = append(learned, p.Name)
		} else {
			kept = append(kept, p.Name)
		}
	}
	require.ElementsMatch(t, []string{"hidden.weight", "hidden.bias", "norm.weight", "norm.bias", "out.weight", "out.bias"}, learned)
	require.ElementsMatch(t, []string{"norm.running_mean", "norm.running_var"}, kept)
}
