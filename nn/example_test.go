package nn_test

import (
	"fmt"
	"log"
	"math/rand/v2"
	"strings"

	"gorgonia.org/gorgonia"

	"hinge/nn"
)

// A network with one hidden layer learns the exclusive or by plain gradient
// descent. The loss here is a layer of this package, but any scalar gorgonia
// expression over g.Output would do.
func Example() {
	net, err := nn.New([]int{2}, func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
		return b.Linear("out", b.ReLU("act", b.Linear("hidden", x, 16)), 2)
	}, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		log.Fatal(err)
	}
	x := []float32{0, 0, 0, 1, 1, 0, 1, 1}
	labels := []int{0, 1, 1, 0}

	g, err := net.Graph(4, true)
	if err != nil {
		log.Fatal(err)
	}
	loss := g.Builder().CrossEntropy("loss", g.Output, labels, nil)
	if _, err := g.Compile(loss); err != nil {
		log.Fatal(err)
	}
	for range 500 {
		if err := g.Run(x); err != nil {
			log.Fatal(err)
		}
		for _, p := range net.Params().Trainable() {
			for i, d := range p.Grad {
				p.Value[i] -= 0.5 * d
			}
		}
	}

	y, err := net.Forward(x, 4)
	if err != nil {
		log.Fatal(err)
	}
	for i := range 4 {
		class := 0
		if y[2*i+1] > y[2*i] {
			class = 1
		}
		fmt.Printf("%v xor %v = %d\n", x[2*i], x[2*i+1], class)
	}
	fmt.Println("loss below 0.01:", g.Loss() < 0.01)
	// Output:
	// 0 xor 0 = 0
	// 0 xor 1 = 1
	// 1 xor 0 = 1
	// 1 xor 1 = 0
	// loss below 0.01: true
}

// A layer computes x² by Map, with a derivative that forgets the factor 2. CheckGradient finds
// the wrong gradients below it; the layer above is right.
func ExampleCheckGradient() {
	square := nn.Scalar{
		Name:         "square",
		Value:        func(x float64) float64 { return x * x },
		Differential: func(x, _ float64) float64 { return x }, // want 2 * x
	}
	net, err := nn.New([]int{2}, func(b *nn.Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.Linear("out", b.Map("square", b.Linear("hidden", x, 3), square), 2)
	}, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		log.Fatal(err)
	}
	g, err := net.Graph(2, true)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := g.Compile(g.Builder().CrossEntropy("loss", g.Output, []int{0, 1}, nil)); err != nil {
		log.Fatal(err)
	}
	err = nn.CheckGradient(g, []float64{1, -0.5, 0.3, 2})
	for line := range strings.Lines(fmt.Sprint(err)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), "[")
		fmt.Println(name)
	}
	// Output:
	// nn: the gradients by 2 of 4 parameters are wrong:
	// hidden.weight
	// hidden.bias
}
