package bilevel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"hinge/nn"
)

// TestLikelihood: value by the formula, gradient by finite differences, for outputs
// in float64 and in float32, above and below where the logarithm is cut off.
func TestLikelihood(t *testing.T) {
	g := []float64{0.2, 0.5, 0.3, 1, 0, 0, 5e-5, 0.9, 0.1}
	labels, weights := []int{1, -1, 0}, []float64{2, 0, 0.5}
	value := func(g []float64) float64 {
		return 2*-math.Log(g[1]) + 0.5*(1-math.Log(logFloor)-g[6]/logFloor)
	}
	narrow := make([]float32, len(g))
	for i, v := range g {
		narrow[i] = float32(v)
	}
	for _, c := range []struct {
		backing any
		kind    tensor.Dtype
	}{{g, tensor.Float64}, {narrow, tensor.Float32}} {
		graph := gorgonia.NewGraph()
		x := gorgonia.NewMatrix(graph, c.kind, gorgonia.WithName("g"), gorgonia.WithShape(3, 3),
			gorgonia.WithValue(tensor.New(tensor.WithShape(3, 3), tensor.WithBacking(c.backing))))
		loss, err := Likelihood(x, labels, weights)
		require.NoError(t, err)
		// Three times the loss: what comes back from above it has to count.
		tripled, err := gorgonia.Add(loss, gorgonia.Must(gorgonia.Add(loss, loss)))
		require.NoError(t, err)
		grads, err := gorgonia.Grad(tripled, x)
		require.NoError(t, err)
		vm := nn.NewMachine(graph)
		defer vm.Close()
		require.NoError(t, vm.RunAll())
		if got, want := loss.Value().Data().(float64), value(g); math.Abs(got-want) > 1e-6*want {
			t.Errorf("%v: value %v, want %v", c.kind, got, want)
		}
		for i := range g {
			want := 3 * difference(&g[i], 1e-6, func() float64 { return value(g) })
			var got float64
			switch dx := grads[0].Value().Data().(type) {
			case []float64:
				got = dx[i]
			case []float32:
				got = float64(dx[i])
			}
			if math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("%v: derivative %d is %v, differences %v", c.kind, i, got, want)
			}
		}
	}
}

func TestLikelihoodErrors(t *testing.T) {
	graph := gorgonia.NewGraph()
	x := gorgonia.NewMatrix(graph, tensor.Float64, gorgonia.WithName("g"), gorgonia.WithShape(2, 3), gorgonia.WithInit(gorgonia.Ones()))
	for _, labels := range [][]int{nil, {1}, {0, 0, 0, 0}} {
		_, err := Likelihood(x, labels, make([]float64, 2))
		assert.Errorf(t, err, "labels %v of two rows were taken", labels)
	}
	_, err := Likelihood(x, []int{3, 0}, []float64{1, 0})
	require.NoError(t, err)
	vm := nn.NewMachine(graph)
	defer vm.Close()
	assert.ErrorContains(t, vm.RunAll(), "label 3 of row 0", "a label out of range")
}

// TestAttachMore: a further loss is added, value and gradients.
func TestAttachMore(t *testing.T) {
	o, g, net, w, _ := attached(t, LossEnergy, 5)
	labels, weights := []int{0, 1, 2, 3}, []float64{1, 0, 2, 0.5}
	again, err := net.Graph(rigSamples, true)
	require.NoError(t, err)
	t.Cleanup(func() { again.Close() })
	both, err := NewObjective(o.Problem(), o.Settings())
	require.NoError(t, err)
	_, err = Attach(both, again, w, KnownLabels(labels, weights))
	require.NoError(t, err)
	x := uniform(rand.New(rand.NewPCG(1, 2)), 3*rigSamples, -1, 1)
	run := func(o *Objective, g *nn.Graph[float64]) float64 {
		require.NoError(t, o.Load([]int{0, 1, 2, 3}))
		require.NoError(t, g.Run(x))
		return g.Loss()
	}
	alone, sum := run(o, g), run(both, again)
	p := again.Result()
	classes := len(p) / rigSamples
	want := alone
	for i, l := range labels {
		want -= weights[i] * math.Log(p[i*classes+l])
	}
	if math.Abs(sum-want) > 1e-9*math.Abs(want) || sum == alone {
		t.Errorf("loss %v, want %v; alone %v", sum, want, alone)
	}
	for _, param := range net.Params().Trainable() {
		checkGradient(t, param.Name, param.Value, param.Grad, func() float64 { return run(both, again) }, 1e-4)
	}
}

// Labelled rows are learned from their label, whatever rules say of the others.
func ExampleLikelihood() {
	graph := gorgonia.NewGraph()
	g := gorgonia.NewMatrix(graph, tensor.Float64, gorgonia.WithName("g"), gorgonia.WithShape(2, 2),
		gorgonia.WithValue(tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{0.25, 0.75, 0.5, 0.5}))))
	loss, err := Likelihood(g, []int{0, 0}, []float64{1, 0})
	if err != nil {
		panic(err)
	}
	vm := gorgonia.NewTapeMachine(graph)
	defer vm.Close()
	if err := vm.RunAll(); err != nil {
		panic(err)
	}
	fmt.Printf("%.4f\n", loss.Value().Data())
	// Output: 1.3863
}
