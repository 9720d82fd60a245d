package onnxnet

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/nn"
)

// The files of these networks are in testdata; reference.py makes them and larger ones.
var committed = []string{"mlp", "small", "encoder"}

// rounding bounds how far gradients of 32 bits are from those of 64. Batch normalisation
// over four images amplifies it.
var rounding = map[string]float64{"mlp": 1e-5, "encoder": 1e-5, "small": 1e-3}

// reference is what PyTorch has computed.
type reference map[string][]float64

func readReference(t *testing.T, base string) reference {
	t.Helper()
	text, err := os.ReadFile(base + ".json")
	require.NoError(t, err)
	raw, err := os.ReadFile(base + ".bin")
	require.NoError(t, err)
	places := map[string][2]int{}
	require.NoError(t, json.Unmarshal(text, &places))
	r := reference{}
	for name, at := range places {
		r[name] = make([]float64, at[1])
		_, err := binary.Decode(raw[8*at[0]:], binary.LittleEndian, r[name])
		require.NoError(t, err)
	}
	return r
}

// compare holds a network against PyTorch: logits in evaluation, also of the folded file,
// and logits and gradients of a step.
func compare[T nn.Float](t *testing.T, base string, logits, gradients float64) {
	t.Helper()
	want := readReference(t, base)
	x := make([]T, len(want["x"]))
	for i, v := range want["x"] {
		x[i] = T(v)
	}
	var whole *nn.Net[T]
	const n = 4
	for _, file := range []string{".onnx", ".eval.onnx"} {
		f, err := Load(base + file)
		require.NoError(t, err)
		net, err := nn.New(f.input.shape[1:], Define[T](f), rand.New(rand.NewPCG(1, 1)))
		require.NoError(t, err)
		got, err := net.Forward(x, n)
		require.NoError(t, err)
		if worst := apart(got, want["evaluation"]); worst > logits {
			t.Errorf("%s: logits differ by %.2g", base+file, worst)
		} else {
			t.Logf("%s: logits differ by %.2g", base+file, worst)
		}
		if whole == nil {
			whole = net
		}
	}
	g, err := whole.Graph(n, true)
	if err == nil {
		_, err = g.Compile(g.Builder().SquaredError("loss", g.Output, make([]T, n*g.Output.Shape()[1])))
	}
	if err == nil {
		err = g.Run(x)
	}
	require.NoError(t, err)
	if worst := apart(g.Result(), want["training"]); worst > logits {
		t.Errorf("%s: logits in training differ by %.2g", base, worst)
	}
	// Some gradients are zero up to rounding, such as those of biases before a batch
	// normalisation: all are measured against the largest.
	top := 0.0
	for name, v := range want {
		if len(name) > 5 && name[:5] == "grad " {
			for _, d := range v {
				top = max(top, math.Abs(d))
			}
		}
	}
	// SquaredError may be another multiple of |logits|² than the reference's half.
	factor := 0.5 * sum2(want["training"]) / g.Loss()
	matched, worst, at := 0, 0.0, ""
	for _, p := range whole.Params().Trainable() {
		ref := want["grad "+p.Name]
		if ref == nil { // an exporter's own name, of a transposed weight of a linear layer
			ref = transposed(want, p.Shape, p, factor)
		}
		if ref == nil {
			t.Errorf("%s: PyTorch has no gradient of %s %v", base, p.Name, p.Shape)
			continue
		}
		matched++
		got := make([]T, len(p.Grad))
		p.ExportOrder(got, p.Grad)
		own := 0.0
		for _, d := range ref {
			own = max(own, math.Abs(d))
		}
		for i, d := range ref {
			if e := math.Abs(float64(got[i])*factor-d) / max(own, 1e-3*top); e > worst {
				worst, at = e, p.Name
			}
		}
	}
	t.Logf("%s: %d gradients differ by %.2g at most, of %s", base, matched, worst, at)
	if worst > gradients {
		t.Errorf("%s: gradients differ by %.2g, of %s", base, worst, at)
	}
	if count := len(want) - 3; matched != count {
		t.Errorf("%s: %d gradients, PyTorch has %d", base, matched, count)
	}
}

// transposed finds the gradient of a matrix that the exporter has transposed and named
// anew: the one that is nearest.
func transposed[T nn.Float](want reference, shape []int, p *nn.Param[T], factor float64) []float64 {
	var best []float64
	least := math.Inf(1)
	for name, v := range want {
		if len(shape) != 2 || len(v) != shape[0]*shape[1] || len(name) < 5 || name[:5] != "grad " {
			continue
		}
		turned := make([]float64, len(v))
		d := 0.0
		for i := range shape[0] {
			for j := range shape[1] {
				turned[i*shape[1]+j] = v[j*shape[0]+i]
				d += math.Abs(float64(p.Grad[i*shape[1]+j])*factor - v[j*shape[0]+i])
			}
		}
		if d < least {
			best, least = turned, d
		}
	}
	return best
}

func sum2(v []float64) (sum float64) {
	for _, x := range v {
		sum += x * x
	}
	return sum
}

// apart is the largest difference, against the largest magnitude.
func apart[T nn.Float](got []T, want []float64) float64 {
	worst, top := 0.0, 1e-12
	for i, v := range want {
		worst, top = max(worst, math.Abs(float64(got[i])-v)), max(top, math.Abs(v))
	}
	return worst / top
}

// TestReference: the committed networks are PyTorch's, in both precisions.
func TestReference(t *testing.T) {
	for _, name := range committed {
		t.Run(name, func(t *testing.T) {
			base := filepath.Join("testdata", name)
			compare[float64](t, base, 1e-6, 1e-6) // weights are of 32 bits in both
			compare[float32](t, base, 1e-5, rounding[name])
		})
	}
}
