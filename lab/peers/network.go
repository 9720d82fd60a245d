package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"hinge/models/catalog"
	"hinge/nn"
	"hinge/optim"
)

const imageSide = 28

// networks are those of the digits' experiments.
var networks = map[string]catalog.Config{
	"ResNet18": {Model: "resnet18", Hidden: []int{64}, Out: 10},
	"LeNet":    {Model: "lenet", Out: 10},
	"MLP":      {Model: "mlp", Hidden: []int{512, 512}, Out: 10},
}

// makeNetwork returns the network of a name, with the same weights in every process, and its definition.
func makeNetwork(name string) (*nn.Net[float32], nn.Definition[float32], error) {
	config, ok := networks[name]
	if !ok {
		return nil, nil, fmt.Errorf("there is no network %q", name)
	}
	define, shape, err := catalog.Define[float32](config, []int{imageSide * imageSide})
	if err != nil {
		return nil, nil, err
	}
	net, err := nn.New(shape, define, rand.New(rand.NewPCG(1, 2)))
	return net, define, err
}

var network = question{
	name: "network", title: "A training step and a forward pass",
	about:   "ResNet18 with the head of the MNIST-Addition experiments, and LeNet with batch normalisation, on grey 28×28 images. A training step is forward, cross entropy, backward and Adam; forward is an evaluation with frozen statistics. Seconds are of a batch.",
	unequal: "Hinge has no compiler, and PyTorch's compilation is outside the time.", patience: 3,
	behind: "No peer is ahead. PyTorch is nearest in the training step of LeNet at batch 256, where half of Hinge's time are products with 6 and 16 channels, which fill a part of a vector, " +
		"and a seventh is the clearing of panels that hold so few (`go tool pprof` of a step).",
	groups: func(quick bool) []group {
		var list []group
		batches, threads := []int{64, 256}, []int{1, 2}
		if quick {
			batches, threads = []int{16}, []int{1}
		}
		for _, net := range []string{"ResNet18", "LeNet"} {
			for _, b := range batches {
				for _, t := range threads {
					g := group{name: fmt.Sprintf("%s, batch %d", net, b), threads: t, cases: []ask{{"training step", "train"}, {"forward pass", "forward"}}}
					g.sides = append(g.sides, side{name: "Hinge", args: []string{"network", net, fmt.Sprint(b)}})
					for _, mode := range []string{"eager", "channels_last", "compile"} {
						g.sides = append(g.sides, side{name: "PyTorch, " + mode, env: "torch", args: []string{"network.py", net, fmt.Sprint(b), mode}})
					}
					list = append(list, g)
				}
			}
		}
		return list
	},
}

func init() { servers["network"] = openNetwork }

// openNetwork makes a network and a batch: its arguments are the network's name and the batch.
func openNetwork(args []string) (func([]string, float64) (answer, error), error) {
	batch, err := strconv.Atoi(args[1])
	if err != nil {
		return nil, err
	}
	net, _, err := makeNetwork(args[0])
	if err != nil {
		return nil, err
	}
	x, labels, rng := make([]float32, batch*imageSide*imageSide), make([]int, batch), rand.New(rand.NewPCG(3, 4))
	for i := range x {
		x[i] = rng.Float32()
	}
	for i := range labels {
		labels[i] = i % networks[args[0]].Out
	}
	graph, err := net.Graph(batch, true)
	if err != nil {
		return nil, err
	}
	if _, err := graph.Compile(graph.Builder().CrossEntropy("loss", graph.Output, labels, nil)); err != nil {
		return nil, err
	}
	var params []optim.Param
	for _, p := range net.Params().Trainable() {
		params = append(params, optim.Param{Name: p.Name, Value: p.Value, Grad: p.Grad, Decay: p.Decay, Live: p.Live})
	}
	adam, err := optim.NewAdam(params, optim.AdamOptions{})
	if err != nil {
		return nil, err
	}
	return func(words []string, seconds float64) (answer, error) {
		return repeat(seconds, func() error {
			if words[0] == "forward" {
				_, err := net.Forward(x, batch)
				return err
			}
			err := graph.Run(x)
			adam.Step(1e-4)
			return err
		})
	}, nil
}
