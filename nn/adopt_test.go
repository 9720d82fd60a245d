package nn

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

// convNet is a small network for images of some channels with a head of some classes.
func convNet(t *testing.T, channels, classes int) *Net[float64] {
	t.Helper()
	net, err := New([]int{6, 6}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		y := b.Conv("body.conv", b.Images("in", x, channels), Conv{Out: 4, Kernel: 3, Pad: 1})
		y = b.BatchNorm("body.bn", y, BatchNorm{ReLU: true})
		return b.Linear("head", b.GlobalAvgPool("pool", y), classes)
	}, rand.New(rand.NewPCG(uint64(channels), uint64(classes))))
	require.NoError(t, err)
	return net
}

// TestAdopt: a network with another head and other channels takes the rest, and has
// then the same features of a grey image.
func TestAdopt(t *testing.T) {
	x := make([]float64, 2*36)
	normal[float64](1)(x, rand.New(rand.NewPCG(1, 1)))
	for _, c := range [][2]int{{3, 1}, {1, 3}, {3, 3}} {
		from, to := convNet(t, c[0], 5), convNet(t, c[1], 5)
		tensors := from.Params().Export()
		for i := range tensors {
			tensors[i].Name = "module." + tensors[i].Name
		}
		tensors = append(tensors, Tensor[float64]{Name: "module.body.bn.num_batches_tracked", Data: []float64{3}}, Tensor[float64]{Name: "other", Data: []float64{3}})
		taken, err := to.Params().Adopt("net", tensors)
		require.NoError(t, err)
		if taken.Prefix != "module." || len(taken.Matched) != 7 || len(taken.Missing)+len(taken.Differ) > 0 ||
			!slices.Equal(taken.LeftOver, []string{"other"}) || (len(taken.Summed) == 1) != (c[0] != c[1]) {
			t.Errorf("%v channels: %+v", c, taken)
		}
		want, _ := from.Forward(x, 2)
		got, err := to.Forward(x, 2)
		require.NoError(t, err)
		near(t, "outputs", got, want, 1e-12)
	}
}

func TestAdoptAnotherHead(t *testing.T) {
	from, to := convNet(t, 1, 5), convNet(t, 1, 7)
	before := slices.Clone(to.Params().Get("head.bias").Value)
	taken, err := to.Params().Adopt("", slices.DeleteFunc(from.Params().Export(), func(x Tensor[float64]) bool { return x.Name == "body.bn.bias" }))
	require.NoError(t, err)
	const want = `4 of 7 tensors taken
shape differs, left as drawn: head.weight [7 4], not [5 4], head.bias [7], not [5]
missing, left as drawn: body.bn.bias`
	if taken.String() != want {
		t.Errorf("%s\nwant %s", taken, want)
	}
	if !slices.Equal(before, to.Params().Get("head.bias").Value) || !slices.Equal(from.Params().Get("body.conv.weight").Value, to.Params().Get("body.conv.weight").Value) {
		t.Error("the head changed, or the body did not")
	}
}

// TestAdoptPrefix: of equal networks in one file each takes its own.
func TestAdoptPrefix(t *testing.T) {
	a, b, to := convNet(t, 1, 5), convNet(t, 1, 5), convNet(t, 1, 5)
	b.Params().Get("head.bias").Value[0] = 42
	var tensors []Tensor[float64]
	for name, net := range map[string]*Net[float64]{"A.": a, "B.": b} {
		for _, x := range net.Params().Export() {
			x.Name = name + x.Name
			tensors = append(tensors, x)
		}
	}
	for range 20 { // maps have no order
		if _, err := to.Params().Adopt("B", tensors); err != nil || to.Params().Get("head.bias").Value[0] != 42 {
			t.Fatal("took those of the other network", err)
		}
		if _, err := to.Params().Adopt("", tensors); err != nil || to.Params().Get("head.bias").Value[0] == 42 {
			t.Fatal("want the first by name", err)
		}
	}
	// Of its own three of seven are left in the file, all of the other's.
	tensors = slices.DeleteFunc(tensors, func(x Tensor[float64]) bool { return strings.HasPrefix(x.Name, "B.body.bn") })
	taken, err := to.Params().Adopt("B", tensors)
	require.NoError(t, err)
	require.Equal(t, []any{"B.", 3, 4}, []any{taken.Prefix, len(taken.Matched), len(taken.Missing)})
}

func TestAdoptRefuses(t *testing.T) {
	to := convNet(t, 1, 5)
	_, err := to.Params().Adopt("", []Tensor[float64]{{Name: "x", Shape: []int{2}, Data: []float64{1, 2}}})
	if err == nil || !strings.Contains(err.Error(), "the network has body.conv.weight [4 1 3 3], body.bn.weight [4]") || !strings.Contains(err.Error(), "given are x [2]") {
		t.Error(err)
	}
	if _, err := to.Params().Adopt("", []Tensor[float64]{{Name: "head.bias", Shape: []int{5}, Data: []float64{1, 2}}}); err == nil {
		t.Error("took two numbers for five")
	}
	for pattern, want := range map[string]string{"bodi.*": "fits no parameter; there are body.conv.weight", "[": "cannot be read"} {
		if err := to.Params().Freeze("", pattern); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
	if err := to.Params().SetRate("", "head", 0); err == nil {
		t.Error("a factor of 0")
	}
}

// TestNamedSlash: patterns cross the slashes that names of ONNX have.
func TestNamedSlash(t *testing.T) {
	var ps Params[float64]
	for _, name := range []string{"/body/conv.weight", "/body/conv.bias", "head.weight", "a/b"} {
		ps.list = append(ps.list, &Param[float64]{Name: name})
	}
	for pattern, want := range map[string]string{
		"*": "/body/conv.weight /body/conv.bias head.weight a/b", "*.weight": "/body/conv.weight head.weight", "/body/conv": "/body/conv.weight /body/conv.bias",
		"/b*conv": "/body/conv.weight /body/conv.bias", "a?b": "a/b", "a[^b]b": "a/b", "a[/]b": "a/b", "a/b": "a/b",
	} {
		list, err := ps.Named("", pattern)
		require.NoError(t, err, pattern)
		var names []string
		for _, p := range list {
			names = append(names, p.Name)
		}
		require.Equal(t, want, strings.Join(names, " "), pattern)
	}
}

// TestFreeze: what is frozen has no gradient and keeps its statistics, in training
// too; the rest learns.
func TestFreeze(t *testing.T) {
	net := convNet(t, 1, 5)
	ps := net.Params()
	ps.Get("body.bn.running_mean").Value[1] = 0.25
	require.NoError(t, ps.Freeze("", "body"))
	if n := len(ps.Trainable()); n != 2 {
		t.Fatalf("%d parameters learn", n)
	}
	g := trainingGraph(t, net, 2, nil)
	x := make([]float64, 72)
	normal[float64](1)(x, rand.New(rand.NewPCG(1, 1)))
	mean := slices.Clone(ps.Get("body.bn.running_mean").Value)
	require.NoError(t, g.Run(x))
	want, err := net.Forward(x, 2)
	require.NoError(t, err)
	near(t, "outputs in training", g.Result(), want, 1e-12)
	if !slices.Equal(mean, ps.Get("body.bn.running_mean").Value) || ps.Get("body.conv.weight").Grad != nil || ps.Get("head.bias").Grad == nil {
		t.Error("the statistics moved, or the wrong parameters have gradients")
	}
}

// TestFrozenStatisticsGradient: through frozen statistics the derivatives are right.
func TestFrozenStatisticsGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	net, err := NewWhole([]int{1}, 4, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return b.BatchNorm("bn", leaf(b, "x", 2, 3, 4, 5), BatchNorm{ReLU: true, Residual: leaf(b, "res", 2, 3, 4, 5)})
	}, rng)
	require.NoError(t, err)
	for i := range 5 {
		net.Params().Get("bn.running_mean").Value[i] = rng.NormFloat64()
		net.Params().Get("bn.running_var").Value[i] = 0.5 + rng.Float64()
	}
	require.NoError(t, net.Params().Freeze("", "bn.running_*"))
	target := make([]float64, 2*3*4*5)
	normal[float64](1)(target, rng)
	g := trainingGraph(t, net, 4, target)
	(&fixture{net, g, make([]float64, 4), target}).checkGradients(t, 120, 1e-6)
}
