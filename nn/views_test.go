package nn

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMeanOfViews: by hand. √(.5·.9) : √(.5·.1) = 3 : 1, for a softmax as for a sigmoid; an output
// of zero counts as 1e-7; equal views are their own mean.
func TestMeanOfViews(t *testing.T) {
	heads := []Head{{From: 0, To: 2}, {From: 2, To: 4, Sigmoid: true}, {From: 4, To: 7}}
	views := [][]float64{
		{0.5, 0.5, 0.5, 0.2, 0.25, 0.25, 0.5, 1, 0, 1, 0.5, 0, 0.5, 0.5},
		{0.9, 0.1, 0.9, 0.2, 0.25, 0.5, 0.25, 1, 0, 0, 0.5, 1, 0, 0},
	}
	got, err := MeanOfViews(2, func(view int) ([]float64, error) { return views[view], nil }, heads...)
	require.NoError(t, err)
	const least = 1e-7
	r2, tiny := 1.4142135623730951, 3.1622776601683795e-4 // √2, √1e-7
	side := 2.2360679774997896e-4                         // √(.5·1e-7)
	require.InDeltaSlice(t, []float64{
		0.75, 0.25, 0.75, 0.2, 1 / (1 + 2*r2), r2 / (1 + 2*r2), r2 / (1 + 2*r2),
		1 / (1 + least), least / (1 + least), 0.5, 0.5, tiny / (tiny + side + side), side / (tiny + 2*side), side / (tiny + 2*side),
	}, got, 1e-9)
	one := []float64{0.3, 0.7, 0.4, 0.9, 0.2, 0.3, 0.5}
	got, err = MeanOfViews(2, func(int) ([]float64, error) { return one, nil }, heads...)
	require.NoError(t, err)
	require.InDeltaSlice(t, one, got, 1e-12)
}

// TestSoftmaxOfRows: 1 : 1 and 1 : 3 by hand, far from overflow; in place; invariant to shifts.
func TestSoftmaxOfRows(t *testing.T) {
	q := make([]float64, 4)
	Softmax(q, []float64{0, 0, 1000, 1000 + math.Log(3)}, 2)
	require.InDeltaSlice(t, []float64{0.5, 0.5, 0.25, 0.75}, q, 1e-12)
	z := []float64{1, 2, 3, -1, 0, 1}
	p := make([]float64, 6)
	Softmax(p, z, 3)
	Softmax(z, z, 3)
	for i := range p {
		require.Equal(t, z[i], p[i], "in place")
		// Both rows are the same up to a shift.
		require.InDeltaf(t, p[(i+3)%6], p[i], 1e-15, "not invariant to shifts: %v", p)
	}
	defer func() {
		if recover() == nil {
			t.Error("rows that do not fit gave no panic")
		}
	}()
	Softmax(p, z, 4)
}
