package kernel

import (
	"reflect"
	"strings"
	"testing"
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
		dw := refConv{s}.weight(ones(s.InLen()), ones(s.OutLen()))
		var want []int
		for tap, v := range dw {
			if v != 0 {
				want = append(want, tap)
			}
		}
		if got := s.LiveTaps(); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: live taps %v, want %v", s, got, want)
		}
	}
}

func TestLiveRangesMergeNeighbours(t *testing.T) {
	s := ConvShape{H: 2, W: 2, InC: 3, OutC: 5, K: 3, Stride: 2, Pad: 1}
	if got, want := s.LiveRanges(), [][2]int{{60, 90}, {105, 135}}; !reflect.DeepEqual(got, want) {
		t.Errorf("live ranges %v, want %v", got, want)
	}
}

// With several panels of output channels, the ranges hold exactly the indices of
// live taps, and nothing is adjacent.
func TestLiveRangesOfPanels(t *testing.T) {
	for _, s := range []ConvShape{
		{H: 1, W: 1, InC: 3, OutC: 70, K: 3, Stride: 1, Pad: 1},
		{H: 2, W: 2, InC: 5, OutC: 64, K: 3, Stride: 2, Pad: 1},
		{H: 3, W: 3, InC: 2, OutC: 33, K: 3, Stride: 1, Pad: 1},
	} {
		live := make([]bool, s.WeightLen())
		for _, tap := range s.LiveTaps() {
			for in := range s.InC {
				for out := range s.OutC {
					live[s.WeightIndex(tap, in, out)] = true
				}
			}
		}
		last := -1
		for _, r := range s.LiveRanges() {
			if r[0] <= last || r[1] <= r[0] {
				t.Errorf("%+v: range %v after index %d", s, r, last)
			}
			for i := max(last, 0); i < r[1]; i++ {
				if live[i] != (i >= r[0]) {
					t.Fatalf("%+v: weight %d: live %v", s, i, live[i])
				}
			}
			last = r[1]
		}
		for i := last; i < len(live); i++ {
			if live[i] {
				t.Fatalf("%+v: weight %d left out", s, i)
			}
		}
	}
}

func TestConvShapeValidate(t *testing.T) {
	good := ConvShape{N: 1, H: 4, W: 4, InC: 1, OutC: 1, K: 3, Stride: 1}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for want, edit := range map[string]func(*ConvShape){
		"Stride = 0": func(s *ConvShape) { s.Stride = 0 },
		"Pad = -1":   func(s *ConvShape) { s.Pad = -1 },
		"5×5 filter": func(s *ConvShape) { s.K = 5 },
		"OutC = -2":  func(s *ConvShape) { s.OutC = -2 },
	} {
		s := good
		edit(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want one about %q", s, err, want)
		}
	}
}
