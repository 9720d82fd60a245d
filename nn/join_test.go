package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"

	"hinge/nn/difference"
)

// TestJoin: two networks with layers of the same names learn by one loss of outputs that are
// gathered from both, some twice, some drawn; gradients are difference quotients.
func TestJoin(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	define := func(width int) Definition[float64] {
		return func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
			return b.Linear("layer", b.Dropout("drop", x, 0.3), width)
		}
	}
	sampling := Sampling{Draws: 2}
	heads := []Head{{From: 0, To: 2}, {From: 2, To: 4, Sigmoid: true}}
	var nets []*Net[float64]
	for k, def := range []Definition[float64]{Heads(define(4), heads, sampling, nil), Heads(define(4), []Head{{From: 0, To: 4}}, sampling, nil)} {
		net, err := New([]int{2}, def, rng)
		require.NoError(t, err)
		net.State().Seed = uint64(k)
		nets = append(nets, net)
	}
	// [2 draws][3][4] of the first, then [2][2][4] of the second.
	index := []int{0, 3, 24, 39, -1, 0, 23, 30}
	target := make([]float64, len(index))
	normal[float64](1)(target, rng)
	var out *gorgonia.Node
	g, err := Join(nets, []int{3, 2}, func(b *Builder[float64], outputs gorgonia.Nodes) *gorgonia.Node {
		out = b.Gather("g", index, outputs...)
		return b.Reshape("g", out, 2, 4)
	})
	require.NoError(t, err)
	_, err = g.Compile(g.Builder().SquaredError("loss", g.Output, target))
	require.NoError(t, err)
	x := make([]float64, 3*2+2*2)
	normal[float64](1)(x, rng)
	run := func() float64 {
		require.NoError(t, g.Run(x))
		return g.Loss()
	}
	for range 2 { // a run that replays the first one, and other places
		index[0], index[1] = index[1], index[0]
		run()
		if g.Result()[4] != 0 || g.Result()[0] == g.Result()[1] {
			t.Errorf("outputs %v", g.Result())
		}
		for k, net := range nets {
			for _, p := range net.Params().Trainable() {
				run()
				if !slices.ContainsFunc(p.Grad, func(v float64) bool { return v != 0 }) {
					t.Errorf("network %d: %s has no gradient", k, p.Name)
				}
				assert.NoError(t, difference.Check(fmt.Sprint("network ", k, ": ", p.Name), p.Value, p.Grad, len(p.Value), 1e-5, run))
			}
		}
	}
	// Networks of one seed would draw the same.
	before := g.Loss()
	nets[1].State().Seed = 9
	if run() == before {
		t.Error("the second network has no noise of its own")
	}
	index[0] = 99
	assert.ErrorContains(t, g.Run(x), "place 99 is beyond the inputs", "a place that is not there")
	assert.ErrorContains(t, g.Run(x[1:]), "9 input numbers, want 10", "too few inputs")
	if _, err := Join(nets, []int{3}, nil); err == nil {
		t.Error("two networks and one batch size")
	}
	_, err = Join([]*Net[float64]{nets[1], nets[0], nets[1]}, []int{2, 2, 2}, nil)
	assert.EqualError(t, err, "nn: network 2 (from 0) is network 0 again; give it the examples of both as one batch", "its gradients would be those of one place")
}

// TestHeads: in every draw the classes of a softmax sum up to 1, and sigmoids follow the sign
// of large logits.
func TestHeads(t *testing.T) {
	heads := []Head{{From: 0, To: 2}, {From: 2, To: 4, Sigmoid: true}, {From: 4, To: 7}}
	net, err := New([]int{7}, Heads(func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return x }, heads, Sampling{Draws: 3}, nil), rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	g := forwardGraph(t, net, 2, true)
	require.NoError(t, g.Run([]float64{0, 1, 50, -50, 1, 0, 2, 1, 0, -50, 50, 0, 1, 0}))
	p := g.Result()
	for row := range 3 * 2 {
		x := p[row*7:][:7]
		at := 2 + row%2
		if math.Abs(x[0]+x[1]-1) > 1e-12 || math.Abs(x[4]+x[5]+x[6]-1) > 1e-12 || x[at] < 0.999 || x[5-at] > 0.001 {
			t.Errorf("draw %d of example %d: %v", row/2, row%2, x)
		}
		if row >= 2 && x[0] == p[(row-2)*7] {
			t.Errorf("draw %d of example %d is the one before", row/2, row%2)
		}
	}
}
