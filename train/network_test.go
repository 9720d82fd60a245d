package train

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"gorgonia.org/gorgonia"

	"hinge/nn"
	"hinge/train/checkpoint"
)

// perceptron is a network of two linear layers.
func perceptron(t *testing.T, seed uint64) *nn.Params[float32] {
	t.Helper()
	net, err := nn.New([]int{3}, func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
		return b.Linear("second", b.Linear("first", x, 5), 2)
	}, rand.New(rand.NewPCG(seed, 0)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := net.Graph(1, false); err != nil {
		t.Fatal(err)
	}
	return net.Params()
}

func TestNetworkTensors(t *testing.T) {
	from, to := perceptron(t, 1), perceptron(t, 2)
	saved := map[string]checkpoint.Tensor{}
	for _, x := range NetworkTensors(from) {
		saved[x.Name] = x
	}
	if len(saved) != 4 {
		t.Fatalf("%d tensors of two linear layers, want 4", len(saved))
	}
	missing := errors.New("no such tensor")
	get := func(name string) (checkpoint.Tensor, error) {
		x, ok := saved[name]
		if !ok {
			return x, missing
		}
		return x, nil
	}
	if err := RestoreNetwork(to, get); err != nil {
		t.Fatal(err)
	}
	for i, p := range to.All() {
		for k, v := range p.Value {
			if v != from.All()[i].Value[k] {
				t.Fatalf("%s[%d] is %v, want %v", p.Name, k, v, from.All()[i].Value[k])
			}
		}
	}

	name := to.All()[1].Name
	before := to.All()[0].Value[0]
	saved[to.All()[0].Name] = checkpoint.NewTensor(to.All()[0].Name, make([]float32, 15), 5, 3)
	saved[name] = checkpoint.NewTensor(name, make([]float64, 5), 5)
	if err := RestoreNetwork(to, get); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "[]float64") {
		t.Errorf("float64 data: got %v", err)
	}
	delete(saved, name)
	if err := RestoreNetwork(to, get); !errors.Is(err, missing) {
		t.Errorf("missing tensor: got %v", err)
	}
	if to.All()[0].Value[0] != before {
		t.Error("a refused restore changed the network")
	}
}
