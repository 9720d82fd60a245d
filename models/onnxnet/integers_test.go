package onnxnet

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestIntegers: what is computed of integers of 32 bits is one. Values by onnxruntime 1.32.0,
// whose sums and products of an axis are wider and end at the largest number, and whose matrices wrap.
func TestIntegers(t *testing.T) {
	w := &tensor{name: "w", shape: []int{3, 2}, kind: kindInt32, doubles: []float64{100000, 1, 2, 3, 4, 5}}
	for _, c := range []struct {
		op      string
		x, want []float64
	}{
		{"ReduceMean", []float64{1, 2, 5}, []float64{2}},
		{"ReduceMean", []float64{-1, -2, -2}, []float64{-1}},
		{"ReduceL2", []float64{1, 2, 5}, []float64{5}},
		{"ReduceLogSumExp", []float64{5, -5, 2}, []float64{5}},
		{"MatMul", []float64{50000, -5, 2}, []float64{705032702, 49995}},
		{"ReduceSum", []float64{2e9, 1e9, 1e9}, []float64{math.MaxInt32}},
		{"ReduceSum", []float64{2e9, 2e9, -2e9}, []float64{2e9}},
		{"ReduceSum", []float64{-2e9, -2e9, 1}, []float64{math.MinInt32}},
		{"ReduceProd", []float64{50000, 50000, 2}, []float64{math.MaxInt32}},
		{"ReduceProd", []float64{-50000, 50000, 2}, []float64{math.MinInt32}},
		{"ReduceSumSquare", []float64{50000, 50000, 2}, []float64{math.MaxInt32}},
		{"ReduceL1", []float64{2e9, -2e9, 2}, []float64{math.MaxInt32}},
		{"ReduceL2", []float64{65536, 65536, 0}, []float64{92681}},
	} {
		node := of(c.op, "r", []string{"i"}, "axes", []int{1})
		if c.op == "MatMul" {
			node.in = append(node.in, "w")
		}
		f, err := small(12, []int{3}, []*tensor{w}, of("Cast", "i", []string{"x"}, "to", kindInt32), node, of("Cast", "y", []string{"r"}, "to", kindFloat))
		require.NoError(t, err)
		assert.Equal(t, c.want, answer(t, f, 1, c.x...), c.op)
	}
}
