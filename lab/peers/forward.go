package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"hinge/models/onnx"
)

// outputTolerance is how far outputs, relative to the largest, may differ.
const outputTolerance = 1e-3

// forward is a network that no longer learns.
var forward = question{
	name: "forward", title: "A forward pass from an ONNX file",
	about: "ResNet18 of the MNIST-Addition experiments, LeNet with one linear layer as its head, and a perceptron with two hidden layers of 512 units, with fresh weights, on grey 28×28 images. " +
		"onnxruntime runs the ONNX file that Hinge writes of each, with all its optimisations. Weights do not change, and both sides keep them in forms of their own (`nn.Net.Hold` is Hinge's). " +
		fmt.Sprintf("Seconds are of a batch. An answer counts if its outputs are Hinge's to %.0e of the largest.", outputTolerance),
	unequal: "onnxruntime reads a file, outside the time.",
	behind: "onnxruntime is level in the perceptron, a hundredth ahead at batches of 64 and 256 on one thread: nearly all of it are products of two matrices, " +
		"in which both make some 180 billion operations a second. Convolutions are where Hinge saves multiplications.",
	groups: func(quick bool) []group {
		batches, threads := []int{1, 64, 256}, []int{1, 2}
		if quick {
			batches, threads = []int{1, 16}, []int{1}
		}
		var list []group
		for _, net := range []string{"ResNet18", "LeNet", "MLP"} {
			for _, t := range threads {
				g := group{name: net, threads: t, prepare: func(_ context.Context, dir string) (judge, error) { return prepareForward(dir, net) }}
				for _, b := range batches {
					g.cases = append(g.cases, ask{fmt.Sprintf("batch %d", b), fmt.Sprint(b)})
				}
				g.sides = []side{
					{name: "Hinge", args: []string{"forward", net, "DIR"}},
					{name: "onnxruntime", env: "onnxruntime", args: []string{"forward.py", "DIR"}},
				}
				list = append(list, g)
			}
		}
		return list
	},
}

// prepareForward writes a network as an ONNX file, and returns what compares the sides' outputs,
// which lie in the folder in files of their names.
func prepareForward(dir, name string) (judge, error) {
	net, define, err := makeNetwork(name)
	if err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(dir, "network.onnx"))
	if err != nil {
		return nil, err
	}
	return func(side string, _ ask, _ *answer) (string, error) {
		ours, err := readFloats(filepath.Join(dir, "Hinge"))
		theirs, err2 := readFloats(filepath.Join(dir, side))
		return disagree(ours, theirs), errors.Join(err, err2)
	}, errors.Join(onnx.Write(f, name, net, define), f.Close())
}

// disagree says where two sides' outputs are not those of one network.
func disagree(a, b []float64) string {
	if len(a) == 0 || len(a) != len(b) {
		return fmt.Sprintf("%d outputs, not %d", len(b), len(a))
	}
	var far, large float64
	for i := range a {
		far = worse(far, a[i]-b[i])
		large = max(large, math.Abs(a[i]))
	}
	if !(far <= outputTolerance*large) {
		return fmt.Sprintf("outputs are off by %.1e", far)
	}
	return ""
}

func init() { servers["forward"] = openForward }

// openForward computes outputs: its arguments are the network's name and the folder for answers.
func openForward(args []string) (func([]string, float64) (answer, error), error) {
	net, _, err := makeNetwork(args[0])
	if err != nil {
		return nil, err
	}
	net.Hold() // the other side's weights stay as they are, too
	return func(words []string, seconds float64) (answer, error) {
		batch, err := strconv.Atoi(words[0])
		if err != nil {
			return answer{}, err
		}
		x := make([]float32, batch*imageSide*imageSide)
		for i := range x { // numbers that forward.py makes too
			x[i] = float32(float64(uint32(i)*2654435761%1000) / 1000)
		}
		y, err := net.Forward(x, batch) // builds what the passes use
		if err != nil {
			return answer{}, err
		}
		a, err := repeat(seconds, func() (err error) {
			y, err = net.Forward(x, batch)
			return err
		})
		outputs := make([]float64, len(y))
		for i, v := range y {
			outputs[i] = float64(v)
		}
		return a, errors.Join(err, write(args[1], "Hinge", outputs))
	}, nil
}
