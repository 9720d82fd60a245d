package kernel_test

import (
	"fmt"

	"hinge/nn/kernel"
)

// A 3×3 filter that adds up the neighbourhood, on a 3×3 map of one channel.
func ExampleConv() {
	s := kernel.ConvShape{N: 1, H: 3, W: 3, InC: 1, OutC: 1, K: 3, Stride: 1, Pad: 1}
	if err := s.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	x := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}
	w := []float32{1, 1, 1, 1, 1, 1, 1, 1, 1}
	y := make([]float32, s.OutLen())
	conv := kernel.NewConv[float32](s)
	conv.Forward(x, w, y)
	fmt.Println(y)
	// Output: [12 21 16 27 45 33 24 39 28]
}

// The taps of a 3×3 filter that ever meet a 2×2 map at stride 2.
func ExampleConvShape_LiveTaps() {
	s := kernel.ConvShape{N: 64, H: 2, W: 2, InC: 256, OutC: 512, K: 3, Stride: 2, Pad: 1}
	fmt.Println(s.LiveTaps())
	fmt.Println(s.LiveRanges())
	// Output:
	// [4 5 7 8]
	// [{524288 786432} {917504 1179648}]
}

func ExampleGemm() {
	a := []float64{1, 2, 3, 4}
	b := []float64{5, 6, 7, 8}
	c := make([]float64, 4)
	kernel.Gemm(false, true, 2, 2, 2, 1, a, 2, b, 2, 0, c, 2)
	fmt.Println(c)
	// Output: [17 23 39 53]
}
