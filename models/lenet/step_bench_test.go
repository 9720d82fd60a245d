package lenet

import (
	"math/rand/v2"
	"testing"

	"hinge/models/mlp"
	"hinge/nn"
)

func BenchmarkStep(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	net, _ := nn.New([]int{28, 28}, Define[float32](Config{Head: mlp.Config{Out: 10}}), rng)
	const n = 256
	g, err := net.Graph(n, true)
	if err != nil {
		b.Fatal(err)
	}
	y := make([]int, n)
	if _, err = g.Compile(g.Builder().CrossEntropy("loss", g.Output, y, nil)); err != nil {
		b.Fatal(err)
	}
	x := make([]float32, n*28*28)
	for i := range x {
		x[i] = rng.Float32()
	}
	for b.Loop() {
		if err := g.Run(x); err != nil {
			b.Fatal(err)
		}
	}
}
