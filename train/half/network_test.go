package half

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"

	"hinge/models/mlp"
	"hinge/models/resnet18"
	"hinge/nn"
	"hinge/train/checkpoint"
	"hinge/train/config"
	"hinge/train/learning"
)

// small is a ResNet18 with one channel in every layer.
func small(t *testing.T, seed uint64) *nn.Net[float32] {
	t.Helper()
	net, err := nn.New([]int{28, 28}, resnet18.Define[float32](resnet18.Config{Features: 2, Widths: [4]int{1, 1, 1, 1}}), rand.New(rand.NewPCG(seed, 0)))
	require.NoError(t, err)
	return net
}

// tensors are those of a checkpoint, by name.
type tensors map[string]checkpoint.Tensor

var errNoTensor = errors.New("no such tensor")

func (x tensors) get(name string) (checkpoint.Tensor, error) {
	if t, ok := x[name]; ok {
		return t, nil
	}
	return checkpoint.Tensor{}, errNoTensor
}

func TestNetworkTensors(t *testing.T) {
	a, b := small(t, 1), small(t, 2)
	from, to := a.Params(), b.Params()
	saved := tensors{}
	for _, x := range (&Network{Net: a}).Export() {
		saved[x.Name] = x
	}
	if len(saved) != len(from.All()) || len(saved) < 60 {
		t.Fatalf("%d tensors of %d parameters and buffers", len(saved), len(from.All()))
	}
	require.NoError(t, (&Network{Net: b}).Import(saved.get))
	for i, p := range to.All() {
		for k, v := range p.Value {
			if v != from.All()[i].Value[k] {
				t.Fatalf("%s[%d] is %v, want %v", p.Name, k, v, from.All()[i].Value[k])
			}
		}
	}

	first, second := to.All()[0], to.All()[1]
	name, before := second.Name, first.Value[0]
	saved[first.Name] = checkpoint.NewTensor(first.Name, make([]float32, len(first.Value)), first.Shape...)
	saved[name] = checkpoint.NewTensor(name, make([]float64, len(second.Value)), second.Shape...)
	if err := (&Network{Net: b}).Import(saved.get); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "[]float64") {
		t.Errorf("float64 data: got %v", err)
	}
	delete(saved, name)
	assert.ErrorIs(t, (&Network{Net: b}).Import(saved.get), errNoTensor, "missing tensor")
	assert.Equal(t, before, first.Value[0], "a refused restore changed the network")
}

// The parameters are the network's own storage, split by what happens to them.
func TestNetworkParams(t *testing.T) {
	net := small(t, 1).Params()
	frozen := net.Trainable()[3]
	frozen.Trainable = false
	learned, buffers := NetworkParams(net)
	if len(learned) != len(net.Trainable()) || len(learned)+len(buffers)+1 != len(net.All()) || len(buffers) == 0 {
		t.Fatalf("%d learned and %d buffers of %d", len(learned), len(buffers), len(net.All()))
	}
	for i, p := range net.Trainable() {
		o := learned[i]
		if o.Name != p.Name || &o.Value[0] != &p.Value[0] || o.Decay != p.Decay || len(o.Live) != len(p.Live) {
			t.Errorf("%s became %s", p.Name, o.Name)
		}
		for k, r := range o.Live {
			if r.Lo != p.Live[k].Lo || r.Hi != p.Live[k].Hi {
				t.Errorf("%s: live range %d is %v, want %v", p.Name, k, r, p.Live[k])
			}
		}
	}
	for _, b := range buffers {
		if p := net.Get(b.Name); !p.Buffer || &b.Value[0] != &p.Value[0] {
			t.Errorf("%s is no buffer of the network", b.Name)
		}
	}
}

// TestNoiseOfEvaluations: an evaluation draws the same noise after any step as from a checkpoint, by a run that goes
// on or by -eval; else these tell other figures than the run.
func TestNoiseOfEvaluations(t *testing.T) {
	c := config.Defaults(config.Config{Task: "toy"})
	logits := func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
		return mlp.Apply(b, "mlp", x, mlp.Config{Out: 3})
	}
	x := []float32{1, -1, 2, 0.5}
	outputs := func(steps ...int) []float32 {
		n, err := NewNetwork(&c, []int{2}, 2, nn.Beliefs(logits, nn.Sampling{NoisyTest: true}), nil)
		require.NoError(t, err)
		_, err = n.Graph.Compile(nil)
		require.NoError(t, err)
		for _, number := range steps {
			require.NoError(t, n.Run(learning.Step{Number: number, Temperature: 1}, x))
		}
		out, err := n.Forward(x, 2, 1)
		require.NoError(t, err)
		return slices.Clone(out)
	}
	require.Equal(t, outputs(), outputs(0, 1, 2, 3))
}
