package half

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"

	"hinge/models/mlp"
	"hinge/nn"
	"hinge/train/checkpoint"
	"hinge/train/config"
	"hinge/train/learning"
)

// perceptron is a network of two layers.
func perceptron(t *testing.T, seed uint64, out int) *nn.Net[float32] {
	t.Helper()
	net, err := nn.New([]int{3}, mlp.Define[float32]("layers", mlp.Config{Hidden: []int{4}, Out: out}), rand.New(rand.NewPCG(seed, 0)))
	require.NoError(t, err)
	return net
}

// saved writes tensors to a file.
func saved(t *testing.T, tensors ...checkpoint.Tensor) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "w.safetensors")
	file, err := os.Create(path)
	require.NoError(t, err)
	defer file.Close()
	require.NoError(t, checkpoint.WriteSafetensors(file, tensors))
	return path
}

// TestLoadWeights: also of 64 bits, and beside counters.
func TestLoadWeights(t *testing.T) {
	from, to := perceptron(t, 1, 2), perceptron(t, 2, 2)
	tensors := (&Network{Net: from}).Export()
	wide := make([]float64, 2)
	for i, v := range tensors[3].Data.([]float32) {
		wide[i] = float64(v)
	}
	tensors[3].Data = wide
	tensors = append(tensors, checkpoint.NewTensor("steps", []int64{7}))
	taken, err := LoadWeights(saved(t, tensors...), to.Params())
	if err != nil || len(taken.Matched) != 4 || len(taken.LeftOver) > 0 {
		t.Fatal(taken, err)
	}
	for i, p := range to.Params().All() {
		if !slices.Equal(p.Value, from.Params().All()[i].Value) {
			t.Errorf("%s was not taken", p.Name)
		}
	}
	model := filepath.Join(t.TempDir(), "net.onnx")
	require.NoError(t, os.WriteFile(model, []byte("\x08\x0a\x12\x07pytorch\x1a"), 0o666))
	for path, want := range map[string]string{
		model:                `the file looks like an ONNX model, whose network a model file takes whole ("network": {"onnx": PATH, …})`,
		"absent.safetensors": "no such file",
		saved(t, checkpoint.NewTensor("x", []float32{1})):           "no tensor has the name and the shape of a parameter",
		filepath.Join("testdata", "..", "initial_test.go"):          "the file is of another format, or cut off",
		saved(t, checkpoint.NewTensor("layers.0.bias", []int64{1})): "given are ",
	} {
		var data *learning.DataError
		if _, err := LoadWeights(path, to.Params()); !errors.As(err, &data) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}

// TestPatternsOfSeveral: a pattern is read on names with and without the network's, and an error lists the
// parameters of the networks that it is about.
func TestPatternsOfSeveral(t *testing.T) {
	small, err := nn.New([]int{3}, func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node { return b.Linear("1", x, 2) }, rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	all := []NamedNet{{Name: "A", Net: perceptron(t, 1, 2)}, {Name: "C", Net: small}}
	require.NoError(t, Fix(&config.Neural{Freeze: "*.1"}, all...))
	var left []string
	for _, p := range (&Network{Several: all}).Params() {
		left = append(left, p.Name)
	}
	require.Equal(t, []string{"A.layers.0.weight", "A.layers.0.bias"}, left)
	for pattern, want := range map[string]string{
		"A.layers.9": `the pattern "A.layers.9" fits no parameter; there are A.layers.0.weight, A.layers.0.bias, A.layers.1.weight, A.layers.1.bias`,
		"C.2":        `the pattern "C.2" fits no parameter; there are C.1.weight, C.1.bias`,
		"D":          `A.layers.1.bias; the pattern "D" fits no parameter; there are C.1.weight, C.1.bias`,
	} {
		err := Fix(&config.Neural{Freeze: pattern}, all...)
		require.ErrorContains(t, err, want)
		require.True(t, strings.HasSuffix(err.Error(), want[strings.LastIndex(want, ";"):]), "%v has more", err)
	}
	err = (&Network{Several: all}).StartFrom(saved(t, checkpoint.NewTensor("x", []float32{1})), nil)
	require.ErrorContains(t, err, "w.safetensors: the network of A: nn: no tensor")
	err = (&Network{Several: all}).StartFrom("absent", nil)
	require.ErrorAs(t, err, new(*learning.DataError))
	require.ErrorContains(t, err, "neural.init: open absent")
}

// TestSeveralNetworks: each takes its own, and one that nothing fits stays as it is.
func TestSeveralNetworks(t *testing.T) {
	a, b := perceptron(t, 1, 2), perceptron(t, 2, 2)
	odd, err := nn.New([]int{5}, mlp.Define[float32]("other", mlp.Config{Out: 1}), rand.New(rand.NewPCG(3, 0)))
	require.NoError(t, err)
	all := &Network{Several: []NamedNet{{Name: "A", Net: a}, {Name: "B", Net: b}, {Name: "Odd", Net: odd}}}
	tensors := all.Export()[:8]
	want := slices.Clone(b.Params().Get("layers.1.bias").Value)
	for _, net := range []*nn.Net[float32]{a, b} {
		clear(net.Params().Get("layers.1.bias").Value)
	}
	var notes []string
	require.NoError(t, all.StartFrom(saved(t, tensors...), func(line string) { notes = append(notes, line) }))
	if !slices.Equal(b.Params().Get("layers.1.bias").Value, want) {
		t.Error("B did not take its own")
	}
	if text := strings.Join(notes, "\n"); !strings.Contains(text, `the network of A: 4 of 4 tensors taken, whose names begin with "A."`) {
		t.Error(text)
	}
	n := config.Neural{Freeze: "B.layers.0, Odd", Rates: "A=0.5,layers.1=0.25"}
	require.NoError(t, Fix(&n, all.Several...))
	learned := map[string]float64{}
	for _, net := range all.Several {
		for _, p := range net.Net.Params().Trainable() {
			learned[net.Name+"."+p.Name] = p.Rate
		}
	}
	if len(learned) != 6 || learned["A.layers.0.bias"] != 0.5 || learned["A.layers.1.bias"] != 0.25 || learned["B.layers.1.weight"] != 0.25 {
		t.Error(learned)
	}
	for _, n := range []config.Neural{{Freeze: "C.layers"}, {Rates: "A"}, {Rates: "A=x"}, {Rates: "A=0"}} {
		var usage *config.UsageError
		if err := Fix(&n, all.Several...); !errors.As(err, &usage) {
			t.Errorf("%+v: %v", n, err)
		}
	}
}
