package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"hinge/models/catalog"
	"hinge/models/onnx"
	"hinge/nn"
)

// network is one that is compared.
type network struct {
	name, what string
	config     catalog.Config
	shape      []int // of an example, as onnxruntime sees it
}

// networks see grey images of 28 × 28 pixels and have ten outputs.
var networks = []network{
	{"ResNet18", "models/resnet18 of the MNIST-Addition experiments", catalog.Config{Model: "resnet18", Hidden: []int{64}, Out: 10}, []int{1, 28, 28}},
	{"LeNet", "models/lenet with one linear layer as its head", catalog.Config{Model: "lenet", Out: 10}, []int{1, 28, 28}},
	{"MLP", "a perceptron with two hidden layers of 512 units", catalog.Config{Model: "mlp", Hidden: []int{512, 512}, Out: 10}, []int{28 * 28}},
}

// size is the number of pixels of an example.
const size = 28 * 28

// make returns the network with the same weights in every process, and its definition.
func (n *network) make() (*nn.Net[float32], nn.Definition[float32], error) {
	define, shape, err := catalog.Define[float32](n.config, []int{size})
	if err != nil {
		return nil, nil, err
	}
	net, err := nn.New(shape, define, rand.New(rand.NewPCG(1, 2)))
	return net, define, err
}

// export writes it as an ONNX file.
func (n *network) export(w io.Writer) error {
	net, define, err := n.make()
	if err != nil {
		return err
	}
	return onnx.Write(w, n.name, net, define)
}

// input fills a batch with numbers that forward.py makes too.
func input(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(float64(uint32(i)*2654435761%1000) / 1000)
	}
	return x
}

// answer is what a side says to a line "batch seconds".
type answer struct {
	// MS is the median time of a pass over the batch in milliseconds, Passes how many there were.
	MS     float64 `json:"ms"`
	Passes int     `json:"passes"`
	// Out are the first outputs.
	Out []float32 `json:"out"`
	// Version is that of the other side's runtime, in its first line alone.
	Version string `json:"version,omitempty"`
}

// serve is our side, with the protocol of forward.py.
func (n *network) serve(in io.Reader, out io.Writer) error {
	net, _, err := n.make()
	if err != nil {
		return err
	}
	net.Hold() // the other side's weights stay as they are, too
	e := json.NewEncoder(out)
	if err := e.Encode(answer{}); err != nil {
		return err
	}
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var batch int
		var seconds float64
		if _, err := fmt.Sscan(lines.Text(), &batch, &seconds); err != nil {
			return fmt.Errorf("%q is not a batch and seconds: %w", lines.Text(), err)
		}
		x := input(batch * size)
		y, err := net.Forward(x, batch) // builds what the passes use
		var took []float64
		for began := time.Now(); err == nil && (len(took) == 0 || time.Since(began).Seconds() < seconds); {
			start := time.Now()
			y, err = net.Forward(x, batch)
			took = append(took, time.Since(start).Seconds()*1e3)
		}
		if err != nil {
			return err
		}
		slices.Sort(took)
		if err := e.Encode(answer{MS: took[len(took)/2], Passes: len(took), Out: y[:min(10, len(y))]}); err != nil {
			return err
		}
	}
	return nil
}
