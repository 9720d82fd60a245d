package nn

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"gorgonia.org/gorgonia"
)

// TestFunction: a scalar function with its own gradient, alone and under stock
// arithmetic, where the incoming gradient is not one.
func TestFunction(t *testing.T) {
	fault := error(nil)
	f := lossGraph(t, 4, 3, func(g *Graph[float64]) *gorgonia.Node {
		y := g.Builder().Function("f", g.Output, func(x, dx []float64) (float64, error) {
			sum := 0.0
			for i, v := range x {
				sum += math.Sin(v) * float64(i+1)
				dx[i] = math.Cos(v) * float64(i+1)
			}
			return sum, fault
		})
		return gorgonia.Must(gorgonia.Mul(y, gorgonia.NewConstant(-2.5)))
	})
	f.checkGradients(t, 12, 1e-7)
	fault = errors.New("no such world")
	assert.ErrorContains(t, f.g.Run(f.x), "function f: no such world", "error of the function")
}

// TestReshape sends a gradient through a change of shape that a linear layer
// sees.
func TestReshape(t *testing.T) {
	f := newFixture(t, 2, []int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return b.Linear("fc", b.Reshape("pairs", leaf(b, "x", 4, 3), 2, 6), 5)
	})
	f.checkGradients(t, 12, 1e-7)
	_, err := New([]int{1}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.Reshape("odd", x, 3)
	}, rand.New(rand.NewPCG(1, 1)))
	assert.ErrorContains(t, err, "odd", "2 elements as 3")
}
