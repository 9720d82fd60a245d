package kernel

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"hinge/nn/kernel/internal/peaktest"
)

// measure runs f b.N times and reports, beside the mean time, what the fastest
// run achieved, which other load on the machine does not disturb: the rate in
// GFLOP/s and, on amd64, its fraction of the peak of the threads in use, all at once. Set the
// threads by GOMAXPROCS in the environment: before a loop of this kind the
// testing package applies the first value of -cpu too late.
func measure(b *testing.B, flops float64, f func()) {
	f() // workspaces
	best := time.Duration(math.MaxInt64)
	for b.Loop() {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	b.ReportMetric(float64(best.Nanoseconds())/1e3, "best-µs")
	if flops == 0 {
		return
	}
	rate := flops / float64(best.Nanoseconds())
	b.ReportMetric(rate, "GFLOP/s")
	if top := peaktest.GFlops(runtime.GOMAXPROCS(0), 40*time.Millisecond); top > 0 {
		b.ReportMetric(100*rate/top, "%peak")
	}
}

// gemmShapes are m, n, k of y = x·w and of its gradients, which have the same
// three numbers in other places: first the linear layers of ResNet18 at batch 64 and a
// wide one, then the convolutions' taps, then larger ones.
var gemmShapes = [][3]int{
	{64, 10, 64}, {64, 64, 128}, {64, 128, 512}, {1, 512, 784}, {64, 512, 784}, {256, 512, 784},
	{64, 64, 64}, {64, 128, 128}, {64, 256, 256}, {64, 512, 512},
	{256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024}, {3136, 64, 64},
}

// BenchmarkGEMM measures forward (NN), the gradient of x (NT) and that of w (TN).
func BenchmarkGEMM(b *testing.B) {
	for _, s := range gemmShapes {
		n, out, in := s[0], s[1], s[2]
		rng := newRand(1)
		x, w, y := big(rng, n*in), big(rng, in*out), big(rng, n*out)
		flops := 2 * float64(n*in*out)
		b.Run(label("%dx%dx%d/NN", n, out, in), func(b *testing.B) {
			measure(b, flops, func() { Gemm(false, false, n, out, in, 1, x, in, w, out, 0, y, out) })
		})
		b.Run(label("%dx%dx%d/NT", n, in, out), func(b *testing.B) {
			measure(b, flops, func() { Gemm(false, true, n, in, out, 1, y, out, w, out, 0, x, in) })
		})
		b.Run(label("%dx%dx%d/TN", in, out, n), func(b *testing.B) {
			measure(b, flops, func() { Gemm(true, false, in, out, n, 1, x, in, y, out, 0, w, out) })
		})
	}
}

// resnetLayers are the convolutions of ResNet18 on 28×28 maps, batch 64, with
// the number of times each occurs.
var resnetLayers = []struct {
	name  string
	count int
	s     ConvShape
}{
	{"stem1", 1, ConvShape{N: 64, H: 28, W: 28, InC: 1, OutC: 64, K: 7, Stride: 2, Pad: 3}},
	{"stem3", 0, ConvShape{N: 64, H: 28, W: 28, InC: 3, OutC: 64, K: 7, Stride: 2, Pad: 3}},
	{"7x7x64", 4, ConvShape{N: 64, H: 7, W: 7, InC: 64, OutC: 64, K: 3, Stride: 1, Pad: 1}},
	{"7to4", 1, ConvShape{N: 64, H: 7, W: 7, InC: 64, OutC: 128, K: 3, Stride: 2, Pad: 1}},
	{"7to4skip", 1, ConvShape{N: 64, H: 7, W: 7, InC: 64, OutC: 128, K: 1, Stride: 2}},
	{"4x4x128", 3, ConvShape{N: 64, H: 4, W: 4, InC: 128, OutC: 128, K: 3, Stride: 1, Pad: 1}},
	{"4to2", 1, ConvShape{N: 64, H: 4, W: 4, InC: 128, OutC: 256, K: 3, Stride: 2, Pad: 1}},
	{"4to2skip", 1, ConvShape{N: 64, H: 4, W: 4, InC: 128, OutC: 256, K: 1, Stride: 2}},
	{"2x2x256", 3, ConvShape{N: 64, H: 2, W: 2, InC: 256, OutC: 256, K: 3, Stride: 1, Pad: 1}},
	{"2to1", 1, ConvShape{N: 64, H: 2, W: 2, InC: 256, OutC: 512, K: 3, Stride: 2, Pad: 1}},
	{"2to1skip", 1, ConvShape{N: 64, H: 2, W: 2, InC: 256, OutC: 512, K: 1, Stride: 2}},
	{"1x1x512", 3, ConvShape{N: 64, H: 1, W: 1, InC: 512, OutC: 512, K: 3, Stride: 1, Pad: 1}},
}

// flops counts the multiply-adds of the plain sum on pixels of the map, two
// operations each. Layers that are computed with fewer products may pass the peak;
// BenchmarkWinograd compares both ways.
func (s ConvShape) flops() float64 {
	taps := 0
	s.eachTap(func(_, _, _ int) { taps++ })
	return 2 * float64(taps*s.N*s.InC*s.OutC)
}

func BenchmarkConv(b *testing.B) {
	for _, l := range resnetLayers {
		s := l.s
		rng := newRand(2)
		x, w, y := big(rng, s.InLen()), big(rng, s.WeightLen()), big(rng, s.OutLen())
		conv := NewConv[float32](s)
		for _, op := range []struct {
			name string
			run  func()
		}{
			{"forward", func() { conv.Forward(x, w, y) }},
			{"input", func() { conv.BackwardInput(y, w, x) }},
			{"weight", func() { conv.BackwardWeight(x, y, w) }},
		} {
			if op.name == "input" && conv.stem {
				continue
			}
			b.Run(l.name+"/"+op.name, func(b *testing.B) { measure(b, s.flops(), op.run) })
		}
	}
}

// big is normals in memory as a network has it.
func big(rng *rand.Rand, n int) []float32 {
	x := Alloc[float32](n)
	copy(x, normals[float32](rng, n))
	return x
}
