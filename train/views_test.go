package train

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/nn"
)

// TestMeanOfViews: by hand. √(.5·.9) : √(.5·.1) = 3 : 1, for a softmax as for a sigmoid; an output
// of zero counts as 1e-7; one view is its own mean.
func TestMeanOfViews(t *testing.T) {
	heads := []nn.Head{{From: 0, To: 2}, {From: 2, To: 4, Sigmoid: true}, {From: 4, To: 7}}
	got := MeanOfViews([][]float64{
		{0.5, 0.5, 0.5, 0.2, 0.25, 0.25, 0.5, 1, 0, 1, 0.5, 0, 0.5, 0.5},
		{0.9, 0.1, 0.9, 0.2, 0.25, 0.5, 0.25, 1, 0, 0, 0.5, 1, 0, 0},
	}, heads...)
	const least = 1e-7
	r2, tiny := 1.4142135623730951, 3.1622776601683795e-4 // √2, √1e-7
	side := 2.2360679774997896e-4                         // √(.5·1e-7)
	require.InDeltaSlice(t, []float64{
		0.75, 0.25, 0.75, 0.2, 1 / (1 + 2*r2), r2 / (1 + 2*r2), r2 / (1 + 2*r2),
		1 / (1 + least), least / (1 + least), 0.5, 0.5, tiny / (tiny + side + side), side / (tiny + 2*side), side / (tiny + 2*side),
	}, got, 1e-9)
	one := []float64{0.3, 0.7, 0.4, 0.9, 0.2, 0.3, 0.5}
	require.InDeltaSlice(t, one, MeanOfViews([][]float64{one}, heads...), 1e-12)
}
