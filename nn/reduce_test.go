package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

// TestReduce compares with numpy 2.3.4 and scipy 1.16.3, along a middle axis, along the first
// and the last, and over all numbers:
//
//	x = ((7*numpy.arange(24)) % 11 - 5).reshape(2, 3, 4) / 4
//	x.sum(a), x.mean(a), x.max(a), x.min(a), x.prod(a), scipy.special.logsumexp(x, a), abs(x).sum(a), (x*x).sum(a)**.5
func TestReduce(t *testing.T) {
	x := make([]float64, 24)
	for i := range x {
		x[i] = float64((7*i)%11-5) / 4
	}
	for f, want := range map[Reduction][3][]float64{
		ReduceSum:  {{-2, 0.5, 0.25, 0, 0.5, 0.25, 0, -0.25}, {1.5, -0.25, -2}, {-0.75}},
		ReduceMean: {{-0.6666666666667, 0.1666666666667, 0.08333333333333, 0, 0.1666666666667, 0.08333333333333, 0, -0.08333333333333}, {0.1875, -0.03125, -0.25}, {-0.03125}},
		ReduceMax:  {{0.25, 0.75, 1, 1.25, 0.75, 1, 1.25, 0.5}, {1.25, 1, 0.75}, {1.25}},
		ReduceMin:  {{-1.25, -0.75, -0.5, -1.25, -0.75, -0.5, -1.25, -1}, {-1.25, -1, -1.25}, {-1.25}},
		ReduceProduct: {{0.3125, -0.28125, 0.125, 0, -0.28125, 0.125, 0, -0.125},
			{-0.030517578125, 0, -0.0274658203125}, {0}},
		ReduceLogSumExp: {{0.6618678712751, 1.444112186402, 1.411867871275, 1.563780863337, 1.444112186402, 1.411867871275, 1.563780863337, 1.194112186402},
			{2.569685814204, 2.305899755452, 2.125992522768}, {3.449229592452}},
		ReduceL1: {{2.5, 2, 1.75, 2.5, 2, 1.75, 2.5, 1.75}, {6, 4.75, 6}, {16.75}},
		ReduceL2: {{1.620185174602, 1.172603939956, 1.145643923739, 1.767766952966, 1.172603939956, 1.145643923739, 1.767766952966, 1.145643923739},
			{2.397915761656, 2.046338192968, 2.371708245126}, {3.944933459515}},
	} {
		for i, axes := range [][]int{{1}, {2, 0}, nil} {
			f := newFixture(t, 1, []int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
				return b.Reshape("row", b.Reduce("r", f, leaf(b, "x", 2, 3, 4), axes...), 1, len(want[i]))
			})
			f.checkGradients(t, 24, 1e-7)
			copy(f.net.Params().Get("x").Value, x)
			f.loss(t)
			near(t, f.g.Output.Name(), f.g.Result(), want[i], 1e-12)
		}
	}
}

// TestReduceEdges: sums of exponentials neither overflow nor lose −∞, a NaN stays one, and axes
// that do not fit are refused.
func TestReduceEdges(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		f       Reduction
		x, want []float64
	}{
		{ReduceLogSumExp, []float64{1000, 1000, -inf, -inf, 2, inf}, []float64{1000 + math.Ln2, -inf, inf}},
		{ReduceMax, []float64{inf, math.NaN(), math.NaN(), 1, -inf, -inf}, []float64{math.NaN(), math.NaN(), -inf}},
		{ReduceMin, []float64{-inf, math.NaN(), math.NaN(), 1, inf, inf}, []float64{math.NaN(), math.NaN(), inf}},
	} {
		f := lossGraph(t, 3, 2, func(g *Graph[float64]) *gorgonia.Node {
			b := g.Builder()
			g.Output = b.Reduce("rows", c.f, g.Output, 1)
			return b.Reduce("loss", ReduceSum, g.Output)
		})
		copy(f.net.Params().Get("x").Value, c.x)
		f.loss(t)
		assert.Equal(t, fmt.Sprint(c.want), fmt.Sprint(f.g.Result()), c.f)
		if c.f == ReduceLogSumExp {
			near(t, "gradient", f.net.Params().Get("x").Grad[:4], []float64{0.5, 0.5, 0, 0}, 1e-12)
		}
	}
	for _, axes := range [][]int{{2}, {-1}, {0, 0}} {
		_, err := New([]int{3}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
			return b.Reduce("r", ReduceSum, x, axes...)
		}, rand.New(rand.NewPCG(1, 1)))
		assert.ErrorContains(t, err, "nn: r: a sum over the axes")
	}
}

// TestLogSoftmax: on the last of three axes, finite where a probability is 0.
func TestLogSoftmax(t *testing.T) {
	f := newFixture(t, 3, []int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return b.LogSoftmax("ls", leaf(b, "x", 2, 3, 4))
	})
	f.checkGradients(t, 24, 1e-7)
	x := f.net.Params().Get("x").Value
	copy(x, []float64{0, -1000, 0, -1000, 0, math.Log(2), math.Log(3), math.Log(4)})
	require.NoError(t, f.g.Run(f.x))
	near(t, "log softmax", f.g.Result()[:8], []float64{-math.Ln2, -1000 - math.Ln2, -math.Ln2, -1000 - math.Ln2,
		math.Log(0.1), math.Log(0.2), math.Log(0.3), math.Log(0.4)}, 1e-12)
}

// TestGradientsNearTheLimits: in single precision, of products whose parts overflow and quotients by numbers whose
// squares do; by arithmetic.
func TestGradientsNearTheLimits(t *testing.T) {
	dx := make([]float32, 5)
	products([]float32{1e30, 1e30, 1, 1e-30, 1e-30}, []float32{0.5}, dx, make([]int32, 5))
	for i, want := range []float64{5e-31, 5e-31, 0.5, 5e29, 5e29} {
		assert.InEpsilon(t, want, float64(dx[i]), 1e-6, i)
	}
	for _, c := range [][2]float64{{1e20, 1e20}, {1e-30, 1e-25}, {1e-23, 1e-23}} {
		assert.InEpsilon(t, -c[0]/c[1]/c[1], float64(byDivisor(float32(c[0]), float32(c[1]))), 1e-6, c)
	}
}

// TestWindowMaxOfInfinity: where a window is −Inf alone, the first of its equal entries has the gradient.
func TestWindowMaxOfInfinity(t *testing.T) {
	inf := math.Inf(-1)
	f := newFixture(t, 1, []int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return b.WindowMax("max", leaf(b, "x", 1, 4, 1, 1), Window{Kernel: [2]int{1, 2}, Stride: [2]int{1, 2}})
	})
	x := f.net.Params().Get("x")
	copy(x.Value, []float64{1, 2, inf, inf})
	f.loss(t)
	assert.Zero(t, x.Grad[0])
	assert.NotZero(t, x.Grad[1])
	assert.Equal(t, []float64{inf, 0}, x.Grad[2:], "twice −Inf less a target")
}
