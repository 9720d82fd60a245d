package nn

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

// deep is a small residual network whose maps are large enough to be shared.
func deep(b *Builder[float32], x *gorgonia.Node) *gorgonia.Node {
	y := b.BatchNorm("bn0", b.Conv("c0", b.Images("i", x, 1), Conv{Out: 8, Kernel: 3, Pad: 1}), BatchNorm{ReLU: true})
	for _, name := range []string{"a", "b", "c"} {
		z := b.Conv(name+".c1", y, Conv{Out: 8, Kernel: 3, Pad: 1})
		short := b.Skip(name+".s", y, z)
		z = b.BatchNorm(name+".bn1", z, BatchNorm{ReLU: true})
		z = b.Conv(name+".c2", z, Conv{Out: 8, Kernel: 3, Pad: 1})
		y = b.BatchNorm(name+".bn2", z, BatchNorm{ReLU: true, Residual: short})
	}
	return b.Linear("fc", b.GlobalAvgPool("p", b.MaxPool("m", y, 3, 2, 1)), 5)
}

// deepGraph is a graph of deep with a cross-entropy loss, or without a loss. With
// alone, no op shares its output.
func deepGraph(t *testing.T, labels []int, alone bool) (*Net[float32], *Graph[float32]) {
	t.Helper()
	const n = 8
	net, err := New([]int{12, 12}, deep, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	g, err := net.Graph(n, labels != nil)
	require.NoError(t, err)
	var loss *gorgonia.Node
	if labels != nil {
		loss = g.Builder().CrossEntropy("loss", g.Output, labels, nil)
	}
	_, err = g.Compile(loss)
	require.NoError(t, err)
	if alone {
		for _, o := range ops(g) {
			o.kept = true
		}
	}
	return net, g
}

func ops(g *Graph[float32]) []*op[float32] {
	var list []*op[float32]
	for _, n := range g.ExprGraph().AllNodes() {
		if o, ok := n.Op().(*op[float32]); ok && o.from == nil {
			list = append(list, o)
		}
	}
	return list
}

// maps counts the ops with a large output, and the buffers behind them.
func maps(g *Graph[float32]) (outputs, buffers int) {
	seen := make(map[*float32]bool)
	for _, o := range ops(g) {
		if len(o.data) >= reuseFrom && len(o.shape) == 4 {
			outputs++
			seen[&o.data[0]] = true
		}
	}
	return outputs, len(seen)
}

func pixelsOf(n int) []float32 {
	x := make([]float32, n*144)
	normal[float32](1)(x, rand.New(rand.NewPCG(3, 4)))
	return x
}

// Sharing memory changes no bit of output and gradients, in the first run as in
// later ones, and takes less memory.
func TestSharedBuffers(t *testing.T) {
	labels, x := []int{0, 1, 2, 3, 4, 0, 1, 2}, pixelsOf(8)
	alone, want := deepGraph(t, labels, true)
	shared, g := deepGraph(t, labels, false)
	for run := range 3 {
		require.NoError(t, want.Run(x))
		require.NoError(t, g.Run(x))
		if !slices.Equal(g.Result(), want.Result()) || g.Loss() != want.Loss() {
			t.Fatalf("run %d: the output differs", run)
		}
		for i, p := range shared.Params().Trainable() {
			if !slices.Equal(p.Grad, alone.Params().Trainable()[i].Grad) {
				t.Errorf("run %d: the gradient of %s differs", run, p.Name)
			}
		}
	}
	outputs, buffers := maps(g)
	if all, own := maps(want); all != outputs || own != all {
		t.Fatalf("%d buffers for %d outputs without sharing", own, all)
	}
	// What the backward pass needs of the forward pass, two maps for each of
	// seven normalisations, and a few more.
	if buffers > 18 || outputs < 30 {
		t.Errorf("%d buffers for %d outputs", buffers, outputs)
	}
}

// In evaluation a map is needed until the next one or two layers have run.
func TestSharedBuffersInEvaluation(t *testing.T) {
	_, g := deepGraph(t, nil, false)
	require.NoError(t, g.Run(pixelsOf(8)))
	if outputs, buffers := maps(g); buffers > 3 || outputs < 7 {
		t.Errorf("%d buffers for %d outputs", buffers, outputs)
	}
}

// A first run that stops half-way leaves a graph that works.
func TestSharedBuffersAfterAFailedRun(t *testing.T) {
	labels, x := []int{0, 1, 2, 3, 4, 0, 1, 99}, pixelsOf(8)
	net, g := deepGraph(t, labels, false)
	assert.EqualError(t, g.Run(x), "nn: crossentropy loss: label 99 of example 7 is not in 0..4")
	labels[7] = 2
	require.NoError(t, g.Run(x))
	fresh, want := deepGraph(t, labels, true)
	require.NoError(t, want.Run(x))
	for i, p := range net.Params().Trainable() {
		assert.Equalf(t, fresh.Params().Trainable()[i].Grad, p.Grad, "the gradient of %s differs", p.Name)
	}
}

// A map that an op from outside has read stays as it is.
func TestForeignReadersKeepTheirInput(t *testing.T) {
	net, err := New([]int{12, 12}, deep, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	g, err := net.Graph(8, true)
	require.NoError(t, err)
	var read *gorgonia.Node // the last map of the residual blocks
	for _, n := range g.ExprGraph().AllNodes() {
		if o, ok := n.Op().(*op[float32]); ok && o.name == "norm c.bn2" {
			read = n
		}
	}
	mean := gorgonia.Must(gorgonia.Mean(read))
	loss := g.Builder().SquaredError("l", g.Output, make([]float32, 8*5))
	_, err = g.Compile(gorgonia.Must(gorgonia.Add(loss, mean)))
	require.NoError(t, err)
	require.NoError(t, g.Run(pixelsOf(8)))
	sum := 0.
	for _, v := range values[float32](read.Value()) {
		sum += float64(v)
	}
	got, want := float64(mean.Value().Data().(float32)), sum/float64(12*12*8*8)
	if d := got - want; d > 1e-5 || d < -1e-5 || want == 0 {
		t.Errorf("mean %v of a map whose mean is %v", got, want)
	}
}
