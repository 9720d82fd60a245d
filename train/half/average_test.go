package half

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/models/resnet18"
	"hinge/nn"
	"hinge/train/config"
	"hinge/train/learning"
)

// reading is a model that has a network and nothing else; embedding is one that is its own neural half.
type (
	reading struct {
		learning.Model
		net *Network
	}
	embedding struct {
		learning.Model
		*Network
	}
)

func (m reading) Neural() learning.NeuralHalf   { return m.net }
func (m embedding) Neural() learning.NeuralHalf { return m }

// classifier is a network of three classes.
func classifier(t *testing.T, seed uint64) *Network {
	t.Helper()
	logits := resnet18.Define[float32](resnet18.Config{Features: 3, Widths: [4]int{1, 1, 1, 1}})
	net, err := nn.New([]int{28, 28}, nn.Beliefs(logits, nn.Sampling{}), rand.New(rand.NewPCG(seed, 0)))
	require.NoError(t, err)
	return &Network{Net: net, Logits: logits}
}

// TestAverage: the outputs are the normalised geometric mean of those of the networks, which is the softmax
// of their mean logits; networks of another kind are refused.
func TestAverage(t *testing.T) {
	const rows, classes = 4, 3
	rng := rand.New(rand.NewPCG(9, 9))
	x := make([]float32, rows*28*28)
	for i := range x {
		x[i] = rng.Float32()
	}
	nets := []*Network{classifier(t, 1), classifier(t, 2), classifier(t, 3)}
	want := make([]float64, rows*classes)
	for i := range want {
		want[i] = 1
	}
	var own []float32
	for k, n := range nets {
		g, err := n.Forward(x, rows, 0.5)
		require.NoError(t, err)
		if k == 0 {
			own = append(own, g...)
		}
		for i, p := range g {
			want[i] *= math.Cbrt(float64(p))
		}
	}
	for r := 0; r < len(want); r += classes {
		total := want[r] + want[r+1] + want[r+2]
		for i := range classes {
			want[r+i] /= total
		}
	}
	model := reading{net: nets[0]}
	require.NoError(t, Average(model, embedding{Network: nets[1]}, reading{net: nets[2]}))
	got, err := nets[0].Forward(x, rows, 0.5)
	require.NoError(t, err)
	require.Len(t, got, len(want))
	assert.NotEqual(t, own, got)
	for i, v := range got {
		assert.InDelta(t, want[i], v, 1e-6, "output %d", i)
	}

	for name, bad := range map[string]*Network{"without logits": {Net: nets[1].Net}, "several": {Several: []NamedNet{{Name: "a", Net: nets[1].Net}}}} {
		var u *config.UsageError
		if err := Average(reading{net: bad}, model); !errors.As(err, &u) || u.Key != "beside" {
			t.Errorf("%s: %v", name, err)
		}
		if err := Average(model, reading{net: bad}); !errors.As(err, &u) {
			t.Errorf("%s as another: %v", name, err)
		}
	}
}
