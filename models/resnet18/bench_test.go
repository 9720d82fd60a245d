package resnet18

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hinge/nn"
	"hinge/optim"
)

var benchBatches = []int{32, 64, 128, 256, 1024}

// trainer is a network with everything one training step needs.
type trainer struct {
	graph *nn.Graph[float32]
	adam  *optim.Adam
	x     []float32
}

// newTrainer makes the network of the MNIST-Addition experiments for grey
// images, with cross-entropy and Adam.
func newTrainer(tb testing.TB, batch int) *trainer {
	tb.Helper()
	net, x := benchNet(tb, batch)
	g, err := net.Graph(batch, true)
	require.NoError(tb, err)
	labels := make([]int, batch)
	for i := range labels {
		labels[i] = i % 10
	}
	_, err = g.Compile(g.Builder().CrossEntropy("loss", g.Output, labels, nil))
	require.NoError(tb, err)
	var params []optim.Param
	for _, p := range net.Params().Trainable() {
		params = append(params, optim.Param{Name: p.Name, Value: p.Value, Grad: p.Grad, Decay: p.Decay, Live: p.Live})
	}
	adam, err := optim.NewAdam(params, optim.AdamOptions{})
	require.NoError(tb, err)
	return &trainer{graph: g, adam: adam, x: x}
}

// step is forward, backward and Adam.
func (s *trainer) step(tb testing.TB) {
	require.NoError(tb, s.graph.Run(s.x))
	s.adam.Step(1e-4)
}

func benchNet(tb testing.TB, batch int) (*nn.Net[float32], []float32) {
	tb.Helper()
	net, err := nn.New([]int{28, 28}, Define[float32](MNISTAddition(1, 0)), rand.New(rand.NewPCG(1, 2)))
	require.NoError(tb, err)
	rng := rand.New(rand.NewPCG(3, 4))
	x := make([]float32, batch*28*28)
	for i := range x {
		x[i] = rng.Float32()
	}
	return net, x
}

// perImage runs f, which takes batch images, b.N times and reports the mean and
// the median time an image took. Other load on the machine moves the median less.
func perImage(b *testing.B, batch int, f func()) {
	f() // allocates
	took := make([]float64, 0, 1<<14)
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		f()
		took = append(took, time.Since(start).Seconds()*1e3/float64(batch))
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N*batch), "ms/image")
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2], "median-ms/image")
}

// BenchmarkTrainStep is forward and backward of a cross-entropy loss, and Adam.
func BenchmarkTrainStep(b *testing.B) {
	for _, batch := range benchBatches {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			s := newTrainer(b, batch)
			perImage(b, batch, func() { s.step(b) })
		})
	}
}

// BenchmarkForward is the evaluation of one batch.
func BenchmarkForward(b *testing.B) {
	for _, batch := range benchBatches {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			net, x := benchNet(b, batch)
			perImage(b, batch, func() {
				_, err := net.Forward(x, batch)
				require.NoError(b, err)
			})
		})
	}
}
