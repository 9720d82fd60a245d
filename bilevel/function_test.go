package bilevel

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestFunction: the derivative of a function written in Go is weighed with what
// comes from above, for each input; other types are refused.
func TestFunction(t *testing.T) {
	graph := gorgonia.NewGraph()
	x, y := input(graph, "x", []float64{1, 2}), input(graph, "y", []float64{3, 4, 5})
	run := func(in []gorgonia.Value) (gorgonia.Value, error) { // x₀² + x₁·(y₀ + y₁ + y₂)
		x, y := in[0].Data().([]float64), in[1].Data().([]float64)
		return gorgonia.NewF64(x[0]*x[0] + x[1]*(y[0]+y[1]+y[2])), nil
	}
	f := &function{name: "f", in: gorgonia.Nodes{x, y}, out: tensor.Float64, dims: tensor.ScalarShape(), run: run, back: []backward{
		func(df, dx []float64) { dx[0], dx[1] = df[0]*2*1, df[0]*12 },
		func(df, dy []float64) { dy[0], dy[1], dy[2] = df[0]*2, df[0]*2, df[0]*2 },
	}}
	node, err := f.apply()
	require.NoError(t, err)
	loss := gorgonia.Must(gorgonia.Square(node))
	grads, err := gorgonia.Grad(loss, x, y)
	require.NoError(t, err)
	vm := gorgonia.NewTapeMachine(graph)
	defer vm.Close()
	require.NoError(t, vm.RunAll())
	// f = 1 + 2·12 = 25, d f² = 2·25·df.
	if got := loss.Value().Data().(float64); got != 625 {
		t.Errorf("f² = %v, want 625", got)
	}
	assert.Equal(t, []float64{100, 600}, copied(grads[0]), "d/dx")
	assert.Equal(t, []float64{100, 100, 100}, copied(grads[1]), "d/dy")
	if _, err := float64s(gorgonia.NewF32(1)); err == nil || !strings.Contains(err.Error(), "want float64") {
		t.Errorf("float32 accepted as float64: %v", err)
	}
}
