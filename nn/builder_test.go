package nn

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

// TestBuilderErrors checks that definitions that do not hold together are
// refused with a reason, and that the first error is the one reported.
func TestBuilderErrors(t *testing.T) {
	calls := 0
	for name, c := range map[string]struct {
		def  Definition[float64]
		want string
	}{
		"same name": {func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
			return b.Linear("l", b.Linear("l", x, 3), 3)
		}, "l.weight: used by two layers"},
		"first error wins": {func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
			y := b.Dropout("early", x, 2)
			return b.Linear("late", y, -1)
		}, "early: dropout"},
		"nil input": {func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
			return b.ReLU("r", nil)
		}, "r: an input node is nil"},
		"scalar softmax":      {ofNumber(func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return b.Softmax("l", x) }), "l: wants an array"},
		"scalar log softmax":  {ofNumber(func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return b.LogSoftmax("l", x) }), "l: wants an array"},
		"scalar bias":         {ofNumber(func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return b.Bias("l", x) }), "l: wants an array"},
		"scalar norm":         {ofNumber(func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return b.BatchNorm("l", x, BatchNorm{}) }), "l: wants an array"},
		"scalar standardised": {ofNumber(func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return b.Standardise("l", x, 1) }), "l: wants an array"},
		"negative epsilon":    {func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return b.Standardise("l", x, -1) }, "l: ε is -1"},
		"negative ε": {func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
			return b.BatchNorm("l", x, BatchNorm{Epsilon: -1})
		}, "l: momentum 0.1 and ε -1"},
		"momentum": {func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
			return b.BatchNorm("l", x, BatchNorm{Momentum: 2})
		}, "l: momentum 2"},
		"wide pool without a stride": {func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
			return b.MaxPool("l", leaf(b, "x", 20, 20, b.Batch, 1), 16, 0, 0)
		}, "l: kernel: pooling"},
		"no output":  {func(*Builder[float64], *gorgonia.Node) *gorgonia.Node { return nil }, "no output"},
		"batch axis": {func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node { return leaf(b, "x", 2, 7, 3) }, "batch size"},
		"new parameter later": {func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
			if calls++; calls > 1 {
				return b.Linear("other", x, 3)
			}
			return b.Linear("l", x, 3)
		}, "other.weight: the parameter was not there"},
		"other shape later": {func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
			return b.Linear("grows", x, 3+b.Batch)
		}, "grows.weight: shape"},
	} {
		t.Run(name, func(t *testing.T) {
			net, err := New([]int{3}, c.def, rand.New(rand.NewPCG(1, 2)))
			if err == nil {
				_, err = net.Graph(4, true)
			}
			assert.ErrorContains(t, err, c.want)
		})
	}
}

// ofNumber puts a layer on the sum of the examples' numbers.
func ofNumber(layer Definition[float64]) Definition[float64] {
	return func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return layer(b, b.Reduce("sum", ReduceSum, x))
	}
}

// TestFrozen checks that a frozen parameter gets no gradient, that nothing is
// computed for layers below it, and that the others are unaffected.
func TestFrozen(t *testing.T) {
	def := func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.Linear("top", b.ReLU("r", b.Linear("low", x, 4)), 2)
	}
	f := newFixture(t, 3, []int{5}, def)
	f.loss(t)
	want := slices.Clone(f.net.Params().Get("top.weight").Grad)

	for _, name := range []string{"low.weight", "low.bias"} {
		f.net.Params().Get(name).Trainable = false
		f.net.Params().Get(name).Grad = nil
	}
	g := trainingGraph(t, f.net, 3, f.target)
	assert.Equal(t, 2, len(g.Nodes()))
	for _, n := range g.ExprGraph().AllNodes() {
		if n.Op() != nil && strings.Contains(n.Op().String(), "dx top") {
			t.Error("the gradient by the frozen layer's output is computed")
		}
	}
	require.NoError(t, g.Run(f.x))
	near(t, "top.weight", f.net.Params().Get("top.weight").Grad, want, 0)
	if f.net.Params().Get("low.weight").Grad != nil {
		t.Error("a frozen parameter has a gradient")
	}
}
