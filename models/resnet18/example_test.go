package resnet18_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"hinge/models/resnet18"
	"hinge/nn"
)

// The network of the MNIST-Addition experiments evaluates images of any number.
func ExampleDefine() {
	net, err := nn.New([]int{28, 28}, resnet18.Define[float32](resnet18.MNISTAddition(3, 0)), rand.New(rand.NewPCG(1, 0)))
	if err != nil {
		log.Fatal(err)
	}
	logits, err := net.Forward(make([]float32, 5*28*28), 5)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(logits), "logits,", net.Params().Count(), "parameters")
	// Output: 50 logits, 11251082 parameters
}
