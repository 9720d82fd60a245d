package onnxnet

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/models/onnx"
	"hinge/models/resnet18"
	"hinge/nn"
)

// BenchmarkResNet18 compares steps of a written ResNet18 and of the same from its ONNX
// file, one after the other: repeat with -count to see how the machine drifts.
func BenchmarkResNet18(b *testing.B) {
	const side, n = 28, 32
	define := resnet18.Define[float32](resnet18.MNISTAddition(1, 0))
	net, err := nn.New([]int{side, side}, define, rand.New(rand.NewPCG(1, 1)))
	require.NoError(b, err)
	var out bytes.Buffer
	require.NoError(b, onnx.Write(&out, "net", net, define))
	f, err := Parse(out.Bytes())
	require.NoError(b, err)
	again, err := nn.New([]int{side, side}, Define[float32](f), rand.New(rand.NewPCG(1, 1)))
	require.NoError(b, err)
	x := make([]float32, n*side*side)
	for _, c := range []struct {
		name string
		net  *nn.Net[float32]
	}{{"written", net}, {"onnx", again}} {
		g, err := c.net.Graph(n, true)
		if err == nil {
			_, err = g.Compile(g.Builder().SquaredError("loss", g.Output, make([]float32, n*10)))
		}
		if err == nil {
			err = g.Run(x)
		}
		require.NoError(b, err)
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				require.NoError(b, g.Run(x))
			}
		})
	}
}
