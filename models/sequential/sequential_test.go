package sequential

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"

	"hinge/nn"
)

// small are networks of every kind of layer, with the shape of their examples and, counted by
// hand, their parameters.
var small = []struct {
	layers     []Layer
	shape      []int
	parameters int
}{
	{nil, []int{5}, 5*3 + 3},
	{[]Layer{{Kind: "linear", Out: 4}, {Kind: "norm"}, {Kind: "relu"}, {Kind: "dropout", Probability: .5}}, []int{2, 3}, 6*4 + 4 + 2*4 + 4*3 + 3},
	{[]Layer{
		{Kind: "conv", Out: 2, Padding: -1}, {Kind: "norm"}, {Kind: "relu"}, {Kind: "pool", Padding: -1}, {Kind: "conv", Out: 3, Size: 2, Stride: 2}, {Kind: "average"},
	}, []int{3, 6, 6}, 2*3*9 + 2*2 + 3*2*4 + 3 + 3*3 + 3},
	{[]Layer{{Kind: "conv", Out: 2, Size: 1}, {Kind: "conv", Out: 3, Size: 4}, {Kind: "average"}}, []int{4, 4}, 2 + 2 + 3*2*16 + 3 + 3*3 + 3},
	// The rows of images as a sequence.
	{[]Layer{{Kind: "relu"}, {Kind: "sequence", Length: 2}, {Kind: "linear", Out: 4}, {Kind: "average"}}, []int{2, 3}, 3*4 + 4 + 4*3 + 3},
	{[]Layer{{Kind: "sequence", Length: 3}, {Kind: "linear", Out: 4}, {Kind: "attention"}, {Kind: "average"}}, []int{6}, 2*4 + 4 + 4*(4*4+4) + 4*3 + 3},
}

// TestPlan: shapes and parameters are those of the network that is made.
func TestPlan(t *testing.T) {
	for _, c := range small {
		steps, err := Plan(c.layers, c.shape, 3)
		require.NoError(t, err)
		planned := 0
		for _, s := range steps {
			planned += s.Parameters
		}
		net, err := nn.New(c.shape, Define[float32](c.layers, 3), rand.New(rand.NewPCG(1, 1)))
		require.NoError(t, err)
		assert.Equal(t, c.parameters, planned)
		assert.Equal(t, c.parameters, net.Params().Count())
	}
	steps, err := Plan(small[2].layers, small[2].shape, 3)
	require.NoError(t, err)
	assert.Equal(t, "conv 2 3×3         2×6×6        54 parameters", steps[0].String())
	assert.Equal(t, "pool 2×2           2×3×3", steps[3].String())
	assert.Equal(t, []int{3, 1, 1}, steps[4].Shape, "(3 − 2)/2 + 1")
	assert.Equal(t, "outputs 3          3            12 parameters", steps[6].String())
}

// TestGradients: every network against differences.
func TestGradients(t *testing.T) {
	for i, c := range small {
		net, err := nn.New(c.shape, Define[float64](c.layers, 3), rand.New(rand.NewPCG(2, 2)))
		require.NoError(t, err)
		g, err := net.Graph(4, true)
		require.NoError(t, err)
		loss := gorgonia.Must(gorgonia.Sum(gorgonia.Must(gorgonia.Square(g.Output))))
		_, err = g.Compile(loss)
		require.NoError(t, err)
		random := rand.New(rand.NewPCG(3, uint64(i)))
		size := 4
		for _, d := range c.shape {
			size *= d
		}
		x := make([]float64, size)
		for i := range x {
			x[i] = random.NormFloat64()
		}
		assert.NoError(t, nn.CheckGradient(g, x), "network %d", i)
	}
}

// TestAttention: the values by hand, with the formula of the package comment.
func TestAttention(t *testing.T) {
	net, err := nn.New([]int{4}, Define[float64]([]Layer{{Kind: "sequence", Length: 2}, {Kind: "attention"}, {Kind: "average"}}, 1), rand.New(rand.NewPCG(4, 4)))
	require.NoError(t, err)
	state := map[string][]float64{}
	for _, p := range net.Params().Export() {
		state[p.Name] = p.Data
	}
	x := [2][2]float64{{.3, -1.2}, {.7, .4}}
	put := func(name string, v [2]float64) (y [2]float64) {
		w, b := state["1."+name+".weight"], state["1."+name+".bias"]
		for i := range y {
			y[i] = w[2*i]*v[0] + w[2*i+1]*v[1] + b[i]
		}
		return y
	}
	var mean [2]float64
	for i := range x {
		q := put("q", x[i])
		var p [2]float64
		sum := 0.
		for j := range x {
			k := put("k", x[j])
			p[j] = math.Exp((q[0]*k[0] + q[1]*k[1]) / math.Sqrt2)
			sum += p[j]
		}
		var taken [2]float64
		for j := range x {
			v := put("v", x[j])
			taken[0] += p[j] / sum * v[0]
			taken[1] += p[j] / sum * v[1]
		}
		y := put("w", taken)
		mean[0] += (x[i][0] + y[0]) / 2
		mean[1] += (x[i][1] + y[1]) / 2
	}
	want := state["out.weight"][0]*mean[0] + state["out.weight"][1]*mean[1] + state["out.bias"][0]
	got, err := net.Forward([]float64{.3, -1.2, .7, .4}, 1)
	require.NoError(t, err)
	assert.InDelta(t, want, got[0], 1e-12)
}

// TestRefuses: what does not fit is named by its layer and the shape that it meets.
func TestRefuses(t *testing.T) {
	for want, c := range map[string]struct {
		layers []Layer
		shape  []int
	}{
		"layer 2, conv: wants images, not a vector of 4":                              {[]Layer{{Kind: "average"}, {Kind: "conv", Out: 2}}, []int{4, 5, 5}},
		"layer 1, conv: squares of 9×9 pixels do not fit into images of 1×5×5":        {[]Layer{{Kind: "conv", Out: 2, Size: 9}}, []int{5, 5}},
		"layer 1, conv: 0 channels":                                                   {[]Layer{{Kind: "conv"}}, []int{5, 5}},
		"layer 1, linear: 0 outputs":                                                  {[]Layer{{Kind: "linear"}}, []int{5}},
		"layer 2, linear: wants a vector or a sequence":                               {[]Layer{{Kind: "pool"}, {Kind: "linear", Out: 2}}, []int{5, 5}},
		"layer 1, sequence: 4 parts, which must divide the width 6":                   {[]Layer{{Kind: "sequence", Length: 4}}, []int{6}},
		"layer 1, attention: wants a sequence, not a vector of 6":                     {[]Layer{{Kind: "attention"}}, []int{6}},
		"layer 2, norm: wants images or a vector, not a sequence of 2×3":              {[]Layer{{Kind: "sequence", Length: 2}, {Kind: "norm"}}, []int{6}},
		"layer 1, dropout: the probability 1.5 is not between 0 and 1":                {[]Layer{{Kind: "dropout", Probability: 1.5}}, []int{6}},
		"layer 1, cnv: there is no such layer; there are conv, norm":                  {[]Layer{{Kind: "cnv"}}, []int{6}},
		"the outputs need a vector, and the layers leave images of 1×2×2: end with a": {[]Layer{{Kind: "pool"}}, []int{5, 5}},
		"the outputs need a vector, and the layers leave images of 2×5×5: end with a": {[]Layer{{Kind: "conv", Out: 2, Padding: -1}}, []int{5, 5}},
		"the outputs need a vector, and the layers leave a sequence of 2×3: end with": {[]Layer{{Kind: "sequence", Length: 2}}, []int{6}},
		"layer 1, pool: size 2, stride -1, padding 0":                                 {[]Layer{{Kind: "pool", Stride: -1}}, []int{5, 5}},
	} {
		_, err := Plan(c.layers, c.shape, 3)
		assert.ErrorContains(t, err, want)
		_, err = nn.New(c.shape, Define[float32](c.layers, 3), rand.New(rand.NewPCG(1, 1)))
		assert.ErrorContains(t, err, want)
	}
}

// ExamplePlan draws a network before it is made.
func ExamplePlan() {
	layers := []Layer{{Kind: "conv", Out: 8, Padding: -1}, {Kind: "relu"}, {Kind: "pool"}, {Kind: "average"}}
	steps, err := Plan(layers, []int{28, 28}, 10)
	if err != nil {
		panic(err)
	}
	for _, s := range steps {
		fmt.Println(s)
	}
	// Output:
	// conv 8 3×3         8×28×28      80 parameters
	// relu               8×28×28
	// pool 2×2           8×14×14
	// average            8
	// outputs 10         10           90 parameters
}
