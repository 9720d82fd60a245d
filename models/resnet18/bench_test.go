package resnet18

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"hinge/nn"
)

func benchNet(b *testing.B, batch int) (*nn.Net[float32], []float32) {
	b.Helper()
	net, err := New[float32](MNISTAddition(1, 0), 28, 28, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	x := make([]float32, batch*28*28)
	for i := range x {
		x[i] = rng.Float32()
	}
	return net, x
}

// BenchmarkTrainStep is forward and backward of a cross-entropy loss.
func BenchmarkTrainStep(b *testing.B) {
	for _, batch := range []int{32, 64, 128, 256} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			net, x := benchNet(b, batch)
			g, err := net.Graph(batch, true)
			if err != nil {
				b.Fatal(err)
			}
			labels := make([]int, batch)
			for i := range labels {
				labels[i] = i % 10
			}
			if _, err := g.Compile(g.Builder().CrossEntropy("loss", g.Output, labels)); err != nil {
				b.Fatal(err)
			}
			if err := g.Run(x); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := g.Run(x); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N*batch), "ms/image")
		})
	}
}

// BenchmarkForward is the evaluation of one batch.
func BenchmarkForward(b *testing.B) {
	for _, batch := range []int{32, 64, 128, 256} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			net, x := benchNet(b, batch)
			if _, err := net.Forward(x, batch); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := net.Forward(x, batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N*batch), "ms/image")
		})
	}
}
