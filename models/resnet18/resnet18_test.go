package resnet18

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/nn"
)

func newNet[T nn.Float](t testing.TB, c Config, side int) *nn.Net[T] {
	t.Helper()
	net, err := nn.New([]int{side, side}, Define[T](c), rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	return net
}

// pixels are smooth random images: a few sine waves, in 0..1.
func pixels[T nn.Float](n, side int) []T { return seededPixels[T](n, side, 8) }

func seededPixels[T nn.Float](n, side int, seed uint64) []T {
	rng := rand.New(rand.NewPCG(7, seed))
	x := make([]T, n*side*side)
	for i := range n {
		a, b, c := rng.Float64(), rng.Float64(), 6*rng.Float64()
		for p := range side * side {
			x[i*side*side+p] = T(.5 + .5*math.Sin(a*float64(p%side)+b*float64(p/side)+c))
		}
	}
	return x
}

func TestParameterCounts(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		want int
	}{
		{Config{Channels: 3, Features: 1000}, 11_689_512}, // torchvision.models.resnet18
		{Config{Channels: 3}, 11_242_176},
		{Config{}, 11_242_176 - 2*49*64},
		{MNISTAddition(3, 0), 11_242_176 + 128*64 + 64 + 64*10 + 10},
	} {
		assert.Equalf(t, c.want, newNet[float32](t, c.cfg, 28).Params().Count(), "%+v", c.cfg)
	}
}

func TestNames(t *testing.T) {
	var want []string
	norm := func(prefix string) {
		for _, s := range []string{".weight", ".bias", ".running_mean", ".running_var"} {
			want = append(want, prefix+s)
		}
	}
	want = append(want, "conv1.weight")
	norm("bn1")
	for _, stage := range []string{"layer1", "layer2", "layer3", "layer4"} {
		for _, block := range []string{".0", ".1"} {
			want = append(want, stage+block+".conv1.weight")
			norm(stage + block + ".bn1")
			want = append(want, stage+block+".conv2.weight")
			norm(stage + block + ".bn2")
			if stage != "layer1" && block == ".0" {
				want = append(want, stage+block+".downsample.0.weight")
				norm(stage + block + ".downsample.1")
			}
		}
	}
	want = append(want, "fc.weight", "fc.bias", "head.0.weight", "head.0.bias", "head.1.weight", "head.1.bias")
	var got []string
	for _, p := range newNet[float32](t, MNISTAddition(3, 0), 28).Params().All() {
		got = append(got, p.Name)
	}
	slices.Sort(got)
	slices.Sort(want)
	assert.Equal(t, want, got, "names")
}

// gradients runs one training step with a linear loss Σ y∘r/N, whose gradient
// by the output is known, and returns the output and exported gradients.
func gradients[T nn.Float](t *testing.T, net *nn.Net[T], x []T, n int, target []T) ([]T, map[string][]T) {
	t.Helper()
	g, err := net.Graph(n, true)
	require.NoError(t, err)
	_, err = g.Compile(g.Builder().SquaredError("loss", g.Output, target))
	require.NoError(t, err)
	require.NoError(t, g.Run(x))
	out := make(map[string][]T)
	for _, p := range net.Params().Trainable() {
		out[p.Name] = make([]T, len(p.Grad))
		p.ExportOrder(out[p.Name], p.Grad)
	}
	return g.Result(), out
}

// distance is ‖a - b‖ / ‖b‖.
func distance[A, B nn.Float](a []A, b []B) float64 {
	var num, den float64
	for i := range b {
		d := float64(a[i]) - float64(b[i])
		num += d * d
		den += float64(b[i]) * float64(b[i])
	}
	return math.Sqrt(num / den)
}

// newReference has the weights of a network.
func newReference[T nn.Float](net *nn.Net[T]) *reference {
	ref := &reference{w: make(map[string]nn.Tensor[float64])}
	for _, p := range net.Params().Export() {
		t := nn.Tensor[float64]{Name: p.Name, Shape: p.Shape, Data: make([]float64, len(p.Data))}
		for i, v := range p.Data {
			t.Data[i] = float64(v)
		}
		ref.w[p.Name] = t
	}
	return ref
}

// against runs a step of a network and of the reference, and returns how far the output and
// the gradients are apart.
func against[T nn.Float](t *testing.T, c Config, net *nn.Net[T], x []T, n int) (output float64, grads map[string]float64) {
	t.Helper()
	x64, target := make([]float64, len(x)), make([]T, n*10)
	for i, v := range x {
		x64[i] = float64(v)
	}
	for i := range target {
		target[i] = T(i % 7)
	}
	ref := newReference(net)
	want := ref.run(c, x64, n, 28, 28, func(y []float64) []float64 {
		d := make([]float64, len(y))
		for i, v := range y {
			d[i] = 2. / float64(n) * (v - float64(target[i]))
		}
		return d
	})
	y, own := gradients(t, net, x, n, target)
	if len(own) != len(ref.grad) || len(own) != 66 {
		t.Fatalf("%d gradients, the reference has %d, want 66", len(own), len(ref.grad))
	}
	grads = make(map[string]float64)
	for name, g := range own {
		grads[name] = distance(g, ref.grad[name])
	}
	return distance(y, want), grads
}

// TestAgainstReference compares output and every gradient of a narrow network, on three channels,
// in float64 with an independent implementation.
func TestAgainstReference(t *testing.T) {
	c := MNISTAddition(3, 0)
	c.Widths = [4]int{16, 32, 48, 64}
	c = c.WithDefaults()
	output, grads := against(t, c, newNet[float64](t, c, 28), pixels[float64](2, 28), 2)
	if output > 1e-10 {
		t.Errorf("output differs by %.2g", output)
	}
	for name, d := range grads {
		if !(d < 1e-8) {
			t.Errorf("gradient of %s differs by %.2g", name, d)
		}
	}
}

// TestFastAgainstReference compares the whole network on the fast kernels, in float32.
//
// Where a unit is within rounding of zero, the two precisions may disagree on
// the ReLU's derivative, which moves the gradients below it by some 1e-3. With
// about half a million units that happens in some batches, so each parameter has to agree
// in one batch of several; a wrong kernel would fail in all.
func TestFastAgainstReference(t *testing.T) {
	const n = 8
	c := MNISTAddition(1, 0).WithDefaults()
	net := newNet[float32](t, c, 28)
	best, far := make(map[string]float64), 1
	for seed := uint64(0); seed < 3 && far > 0; seed++ {
		output, grads := against(t, c, net, seededPixels[float32](n, 28, seed), n)
		if output > 1e-5 {
			t.Errorf("output differs by %.2g", output)
		}
		far = 0
		for name, d := range grads {
			if old, ok := best[name]; ok {
				d = min(d, old)
			}
			if best[name] = d; !(d < 1e-4) {
				far++
			}
		}
	}
	for name, d := range best {
		if !(d < 1e-4) {
			t.Errorf("gradient of %s differs by %.2g", name, d)
		}
	}
}

// TestEvaluation compares evaluation, in which convolutions and normalisations
// are computed as one, with the reference, in which they are not: with fresh
// running statistics and after a step has moved them and the weights.
func TestEvaluation(t *testing.T) {
	const n = 3
	c := MNISTAddition(1, 0).WithDefaults()
	net := newNet[float32](t, c, 28)
	x, x64 := seededPixels[float32](n, 28, 1), seededPixels[float64](n, 28, 1)
	for i, v := range x {
		x64[i] = float64(v)
	}
	var last []float32
	for step := range 2 {
		if step > 0 {
			gradients(t, net, x, n, make([]float32, n*10))
			for _, p := range net.Params().Trainable() {
				for i, g := range p.Grad {
					p.Value[i] -= .01 * g
				}
			}
		}
		ref := newReference(net)
		ref.eval = true
		want := ref.run(c, x64, n, 28, 28, nil)
		got, err := net.Forward(x, n)
		require.NoError(t, err)
		if d := distance(got, want); !(d < 1e-5) {
			t.Errorf("step %d: output differs by %.2g", step, d)
		}
		if step > 0 && distance(got, last) < 1e-3 {
			t.Errorf("step %d: the step did not move the output", step)
		}
		last = got
	}
}

// TestLive checks which weights a 28×28 image can move, and that the gradient
// is zero on all others.
func TestLive(t *testing.T) {
	net := newNet[float32](t, Config{}, 28)
	_, grads := gradients(t, net, pixels[float32](4, 28), 4, make([]float32, 4*128))
	count := func(p *nn.Param[float32]) (n int) {
		for _, r := range p.Live {
			n += r.Len()
		}
		return n
	}
	live := 0
	for _, p := range net.Params().Trainable() {
		live += count(p)
		inside := make([]bool, len(p.Value))
		for _, r := range p.Live {
			for i := r.Lo; i < r.Hi; i++ {
				inside[i] = true
			}
		}
		for i, v := range p.Grad {
			if v != 0 && !inside[i] {
				t.Fatalf("%s[%d] has the gradient %v outside its live ranges", p.Name, i, v)
			}
		}
	}
	if p := net.Params().Get("layer4.1.conv2.weight"); count(p) != 512*512 {
		t.Errorf("layer4.1.conv2 has %d live weights, want the centre tap", count(p))
	}
	if p := net.Params().Get("layer3.1.conv2.weight"); count(p) != 9*256*256 {
		t.Errorf("layer3.1.conv2 has %d live weights, want all", count(p))
	}
	// layer4.0.conv1 sees a 2×2 map with stride 2: 4 of 9 taps; then three 3×3
	// convolutions on 1×1 maps.
	dead := 5*256*512 + 3*8*512*512
	assert.Equal(t, net.Params().Count()-dead, live)
	_ = grads
}

func TestImageTooSmallForBatchOfOne(t *testing.T) {
	net := newNet[float32](t, Config{}, 28)
	if _, err := net.Graph(1, true); err == nil {
		t.Error("training on one image was accepted although the last map is 1×1")
	}
	y, err := net.Forward(make([]float32, 28*28), 1)
	if err != nil || len(y) != 128 {
		t.Errorf("evaluating one image: %d outputs, %v", len(y), err)
	}
}

// TestSameBits runs two training steps twice, on one thread and on several, and
// checks that weights and running statistics agree bit for bit.
func TestSameBits(t *testing.T) {
	const n = 8
	run := func(threads int) []nn.Tensor[float32] {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		net := newNet[float32](t, MNISTAddition(1, .1), 28)
		x := pixels[float32](n, 28)
		for step := range 2 {
			net.State().Step = uint64(step)
			gradients(t, net, x, n, make([]float32, n*10))
			for _, p := range net.Params().Trainable() {
				for _, r := range p.Live {
					for i := r.Lo; i < r.Hi; i++ {
						p.Value[i] -= .01 * p.Grad[i]
					}
				}
			}
		}
		return net.Params().Export()
	}
	want := run(1)
	for i, p := range run(3) {
		if !slices.Equal(p.Data, want[i].Data) {
			t.Errorf("three threads: %s differs", p.Name)
		}
	}
}
