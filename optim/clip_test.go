package optim

import (
	"math"
	"testing"
)

func clipParams() []Param {
	return []Param{
		{Value: make([]float32, 3), Grad: []float32{3, 0, 1e6}, Live: []Range{{0, 2}}},
		{Value: make([]float32, 5), Grad: []float32{0, 4, 0, 12, 0}},
	}
}

func TestGradNormIsGlobalAndLive(t *testing.T) {
	if got := GradNorm(clipParams()); got != 13 {
		t.Errorf("norm %v, want 13", got)
	}
}

func TestClipGrads(t *testing.T) {
	for _, c := range []struct{ limit, factor float64 }{{0, 1}, {13, 1}, {26, 1}, {6.5, 0.5}, {1.3, 0.1}} {
		p := clipParams()
		if norm := ClipGrads(p, c.limit); norm != 13 {
			t.Errorf("limit %v: norm %v, want 13", c.limit, norm)
		}
		if got, want := p[1].Grad[3], float32(12*c.factor); math.Abs(float64(got-want)) > 1e-6 {
			t.Errorf("limit %v: gradient %v, want %v", c.limit, got, want)
		}
		if p[0].Grad[2] != 1e6 {
			t.Errorf("limit %v: a dead gradient was changed", c.limit)
		}
		if c.limit > 0 {
			if after := GradNorm(p); after > c.limit*(1+1e-6) {
				t.Errorf("limit %v: norm afterwards %v", c.limit, after)
			}
		}
	}
}

func TestClipGradsNotFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		p := clipParams()
		p[1].Grad[0] = float32(bad)
		norm := ClipGrads(p, 1)
		if !math.IsNaN(norm) && !math.IsInf(norm, 0) {
			t.Errorf("%v: norm %v", bad, norm)
		}
		if p[1].Grad[3] != 12 {
			t.Errorf("%v: gradients were changed", bad)
		}
	}
}

// The squares of float32 gradients overflow float32, but not the norm.
func TestGradNormDoesNotOverflow(t *testing.T) {
	p := []Param{{Value: make([]float32, 2), Grad: []float32{3e30, 4e30}}}
	if got := GradNorm(p); math.Abs(got/5e30-1) > 1e-6 {
		t.Errorf("norm %v, want 5e30", got)
	}
}
