package kernel

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A tap is live exactly if its gradient can be non-zero.
func TestLiveTapsAreThoseWithGradient(t *testing.T) {
	rng := newRand(8)
	for range 60 {
		s := randomConv(rng)
		s.N, s.InC, s.OutC = 1, 1, 1
		ones := func(n int) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = 1
			}
			return x
		}
		_, _, dw := refConv{s}.all(ones(s.InLen()), ones(s.WeightLen()), ones(s.OutLen()))
		var want []int
		for tap, v := range dw {
			if v != 0 {
				want = append(want, tap)
			}
		}
		assert.Equalf(t, want, s.LiveTaps(), "%+v: live taps", s)
	}
}

func TestLiveRangesMergeNeighbours(t *testing.T) {
	s := ConvShape{H: 2, W: 2, InC: 3, OutC: 5, K: 3, Stride: 2, Pad: 1}
	if got, want := s.LiveRanges(), []Range{{60, 90}, {105, 135}}; !reflect.DeepEqual(got, want) {
		t.Errorf("live ranges %v, want %v", got, want)
	}
}

func TestConvShapeValidate(t *testing.T) {
	good := ConvShape{N: 1, H: 4, W: 4, InC: 1, OutC: 1, K: 3, Stride: 1}
	assert.NoError(t, good.Validate())
	for want, edit := range map[string]func(*ConvShape){
		"Stride = 0": func(s *ConvShape) { s.Stride = 0 },
		"Pad = -1":   func(s *ConvShape) { s.Pad = -1 },
		"5×5 filter": func(s *ConvShape) { s.K = 5 },
		"OutC = -2":  func(s *ConvShape) { s.OutC = -2 },
	} {
		s := good
		edit(&s)
		assert.ErrorContainsf(t, s.Validate(), want, "%+v", s)
	}
}
