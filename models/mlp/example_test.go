package mlp_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"gorgonia.org/gorgonia"

	"hinge/models/mlp"
	"hinge/nn"
)

// A classifier of 20 features into 3 classes.
func ExampleApply() {
	net, err := nn.New([]int{20}, func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node {
		logits := mlp.Apply(b, "mlp", x, mlp.Config{Hidden: []int{16}, Out: 3, Dropout: 0.5})
		return b.Softmax("classes", logits)
	}, rand.New(rand.NewPCG(1, 0)))
	if err != nil {
		log.Fatal(err)
	}
	p, err := net.Forward(make([]float32, 20), 1)
	if err != nil {
		log.Fatal(err)
	}
	for _, q := range net.Params().All() {
		fmt.Println(q.Name, q.Shape)
	}
	fmt.Printf("%d classes, total probability %.3f\n", len(p), p[0]+p[1]+p[2])
	// Output:
	// mlp.0.weight [16 20]
	// mlp.0.bias [16]
	// mlp.1.weight [3 16]
	// mlp.1.bias [3]
	// 3 classes, total probability 1.000
}
