package optim

import (
	"math"
	"testing"
)

func clipParams() []Param {
	return []Param{
		{Value: make([]float32, 3), Grad: []float32{3, 0, 1e6}, Live: []Range{{Lo: 0, Hi: 2}}},
		{Value: make([]float32, 5), Grad: []float32{0, 4, 0, 12, 0}},
	}
}

func TestGradNormIsGlobalAndLive(t *testing.T) {
	if got := GradNorm(clipParams()); got != 13 {
		t.Errorf("norm %v, want 13", got)
	}
}

// The squares of float32 gradients overflow float32, but not the norm.
func TestGradNormDoesNotOverflow(t *testing.T) {
	p := []Param{{Value: make([]float32, 2), Grad: []float32{3e30, 4e30}}}
	if got := GradNorm(p); math.Abs(got/5e30-1) > 1e-6 {
		t.Errorf("norm %v, want 5e30", got)
	}
}
