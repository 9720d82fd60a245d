package nn

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

// probe is a graph over a residual block, an input of its own and an op that can
// be made to fail.
type probe struct {
	g     *Graph[float32]
	other *gorgonia.Node
	fail  error
}

func newProbe(t *testing.T) *probe {
	t.Helper()
	p := new(probe)
	net, err := New([]int{6, 6}, func(b *Builder[float32], x *gorgonia.Node) *gorgonia.Node {
		y := b.Images("i", x, 1)
		y = b.BatchNorm("n0", b.Conv("c0", y, Conv{Out: 8, Kernel: 3, Pad: 1, Stride: 1}), BatchNorm{ReLU: true})
		z := b.Conv("c1", y, Conv{Out: 8, Kernel: 3, Pad: 1, Stride: 1})
		s := b.Skip("s", y, z)
		y = b.BatchNorm("n1", z, BatchNorm{ReLU: true, Residual: s})
		return b.Linear("fc", b.GlobalAvgPool("p", y), 5)
	}, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	if p.g, err = net.Graph(16, true); err != nil {
		t.Fatal(err)
	}
	b := p.g.Builder()
	p.other = gorgonia.NewMatrix(p.g.ExprGraph(), dtypeOf[float32](), gorgonia.WithName("other"), gorgonia.WithShape(16, 5))
	p.bind(t, 1)
	sum := &op[float32]{name: "sum", wrt: []bool{true, false}, run: func(in [][]float32, out []float32) error {
		for i := range out {
			out[i] = in[0][i] + in[1][i]
		}
		return p.fail
	}}
	sum.diff = func(dy *gorgonia.Node) gorgonia.Nodes { return gorgonia.Nodes{dy, nil} }
	out := b.apply(sum, []int{16, 5}, p.g.Output, p.other)
	_, err = p.g.Compile(b.SquaredError("l", out, make([]float32, 16*5)))
	require.NoError(t, err)
	return p
}

// bind gives the further input a new value.
func (p *probe) bind(t *testing.T, seed uint64) {
	t.Helper()
	v := make([]float32, 16*5)
	normal[float32](1)(v, rand.New(rand.NewPCG(seed, 5)))
	require.NoError(t, gorgonia.Let(p.other, valueOf(v, []int{16, 5})))
}

// run returns everything a run yields.
func (p *probe) run(t *testing.T, seed uint64) []float32 {
	t.Helper()
	x := make([]float32, 16*36)
	normal[float32](1)(x, rand.New(rand.NewPCG(seed, 6)))
	require.NoError(t, p.g.Run(x))
	out := append(slices.Clone(p.g.Result()), float32(p.g.Loss()))
	for _, l := range p.g.b.learned {
		out = append(out, l.param.Grad...)
	}
	return out
}

// Runs that replay the first one give the bits that the tape machine gives, with
// other examples and with leaves bound anew.
func TestReplayIsTheMachine(t *testing.T) {
	machine, replayed := newProbe(t), newProbe(t)
	if !machine.g.alone {
		t.Fatal("the graph cannot be replayed")
	}
	machine.g.alone = false
	var last []float32
	for seed := range uint64(4) {
		machine.bind(t, seed)
		replayed.bind(t, seed)
		want, got := machine.run(t, seed), replayed.run(t, seed)
		assert.Equalf(t, want, got, "run %d differs", seed)
		if slices.Equal(want, last) {
			t.Errorf("run %d is the one before", seed)
		}
		last = want
	}
}

// An error in the first run, or in a later one, does not spoil those after it.
func TestReplayAfterErrors(t *testing.T) {
	machine, p := newProbe(t), newProbe(t)
	machine.g.alone = false
	boom := errors.New("boom")
	for round := range 3 {
		p.fail = boom
		require.ErrorContainsf(t, p.g.Run(make([]float32, 16*36)), boom.Error(), "round %d", round)
		p.fail = nil
		assert.Equalf(t, machine.run(t, 7), p.run(t, 7), "round %d differs", round)
	}
}

// A graph with an op from elsewhere keeps the machine.
func TestForeignOpsKeepTheMachine(t *testing.T) {
	net, err := New([]int{6}, func(b *Builder[float32], x *gorgonia.Node) *gorgonia.Node {
		return b.Linear("fc", x, 5)
	}, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	g, err := net.Graph(4, true)
	require.NoError(t, err)
	square, err := gorgonia.Square(g.Output)
	require.NoError(t, err)
	_, err = g.Compile(gorgonia.Must(gorgonia.Sum(square)))
	require.NoError(t, err)
	if g.alone {
		t.Fatal("a graph with stock ops would be replayed")
	}
	for range 2 {
		require.NoError(t, g.Run(make([]float32, 4*6)))
	}
}
