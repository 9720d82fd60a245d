package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"hinge/models/onnx"
	"hinge/models/resnet18"
	"hinge/nn"
)

// The network that is compared: that of the MNIST-Addition experiments on grey images.
const (
	channels = 1
	size     = 28
)

// network makes it with the same weights in every process.
func network() (*nn.Net[float32], error) {
	return resnet18.New[float32](resnet18.MNISTAddition(channels, 0), size, size, rand.New(rand.NewPCG(1, 2)))
}

// export writes it as an ONNX file.
func export(w io.Writer) error {
	net, err := network()
	if err != nil {
		return err
	}
	return onnx.Write(w, "resnet18", net, resnet18.Define[float32](resnet18.MNISTAddition(channels, 0)))
}

// input fills a batch with numbers that forward.js makes too.
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

// serve is our side, with the protocol of forward.js.
func serve(in io.Reader, out io.Writer) error {
	net, err := network()
	if err != nil {
		return err
	}
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
		x := input(batch * channels * size * size)
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
