package qp

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer"
)

// TestFarStart: after a step that was not solved the next one begins far from the costs; if
// that is not solved either, its point is dropped, scales stay, and it is not tried again.
func TestFarStart(t *testing.T) {
	p := &Problem{P: []float64{1}, Q: []float64{-1}, Ptr: []int32{0, 1}, Col: []int32{0}, Val: []float64{1}, Low: []float64{0}, High: []float64{math.Inf(1)}}
	x := &stepper{p: p, diagonal: p, s: Settings{Tolerance: 1e-6, MaxSteps: 9}, scale: newScaling(p), box: firstBox, curvature: mostCurvature, feasible: 1e-9, begin: time.Now()}
	require.NoError(t, x.rebuild())
	adapt := func() {
		t.Helper()
		require.NoError(t, x.step())
		x.res.Status = infer.IterationLimit
		stale := 1
		if again, err := x.adapt(Residual{Gap: 1}, &stale); !again || err != nil {
			t.Fatal(again, err)
		}
	}
	adapt()
	if x.method.Start != farStart {
		t.Fatalf("the start is %v", x.method.Start)
	}
	z, price := x.z[0], x.scale.price
	x.z[0] += 0.25 // a step from here ends elsewhere
	adapt()
	if x.method.Start != 0 || x.z[0] != z+0.25 || x.scale.price != price {
		t.Errorf("start %v, z %v, price %v; want 0, %v, %v", x.method.Start, x.z[0], x.scale.price, z+0.25, price)
	}
	adapt()
	if x.method.Start != 0 {
		t.Error("it is tried again")
	}
}
