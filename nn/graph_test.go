package nn

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

func classifier(b *Builder[float32], x *gorgonia.Node) *gorgonia.Node {
	y := b.Images("i", x, 1)
	y = b.BatchNorm("bn", b.Conv("c", y, Conv{Out: 8, Kernel: 3, Stride: 2, Pad: 1}), BatchNorm{ReLU: true})
	y = b.Dropout("d", b.GlobalAvgPool("p", y), .2)
	return b.GumbelSoftmax("g", b.Linear("fc", y, 4), Sampling{Draws: 3})
}

// trained runs the steps from..to of plain gradient descent on a network that
// starts at the given values (nil: freshly initialised) and returns its values.
func trained(t *testing.T, start []Tensor[float32], from, to int) []Tensor[float32] {
	t.Helper()
	net, err := New([]int{8, 8}, classifier, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	if start != nil {
		require.NoError(t, net.Params().Import(start))
	}
	g := trainingGraph(t, net, 16, nil)
	x := make([]float32, 16*64)
	for step := from; step < to; step++ {
		normal[float32](1)(x, rand.New(rand.NewPCG(3, uint64(step))))
		net.State().Step = uint64(step)
		require.NoError(t, g.Run(x))
		for _, p := range net.Params().Trainable() {
			for i, d := range p.Grad {
				p.Value[i] -= .1 * d
			}
		}
	}
	return net.Params().Export()
}

func sameBits(t *testing.T, what string, a, b []Tensor[float32]) {
	t.Helper()
	for i := range a {
		assert.Equalf(t, b[i].Data, a[i].Data, "%s: %s differs", what, a[i].Name)
	}
}

func TestSameSeedSameBits(t *testing.T) {
	two := trained(t, nil, 0, 2)
	sameBits(t, "the same run again", trained(t, nil, 0, 2), two)
	old := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(old)
	sameBits(t, "one thread", trained(t, nil, 0, 2), two)
	runtime.GOMAXPROCS(3)
	sameBits(t, "three threads", trained(t, nil, 0, 2), two)
	if one := trained(t, nil, 0, 1); slices.Equal(one[0].Data, two[0].Data) {
		t.Error("the second step changed nothing")
	}
}

// TestResume goes on from exported values in a new network: dropout masks,
// Gumbel noise and running statistics must be those of the unbroken run.
func TestResume(t *testing.T) {
	sameBits(t, "resumed", trained(t, trained(t, nil, 0, 2), 2, 4), trained(t, nil, 0, 4))
}

// TestStepAllocations keeps a step from allocating tensors: what remains are
// the tape machine's argument lists, some hundred bytes a node.
func TestStepAllocations(t *testing.T) {
	net, err := New([]int{32, 32}, classifier, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	g := trainingGraph(t, net, 64, nil)
	x := make([]float32, 64*32*32)
	run := func() {
		require.NoError(t, g.Run(x))
	}
	run()
	run()
	const steps = 20
	goroutines := runtime.NumGoroutine()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range steps {
		run()
	}
	runtime.ReadMemStats(&after)
	// One activation of the convolution alone is 64·16·16·8·4 = 524,288 bytes.
	if got := (after.TotalAlloc - before.TotalAlloc) / steps; got > 50_000 {
		t.Errorf("a step allocates %d bytes", got)
	}
	// A helper of the last parallel loop may still be on its way out.
	for range 100 {
		if runtime.NumGoroutine() <= goroutines {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines after %d steps, %d before", runtime.NumGoroutine(), steps, goroutines)
}

func TestGraphMisuse(t *testing.T) {
	net := smallNet(t, 1)
	if _, err := net.Graph(0, true); err == nil {
		t.Error("a batch of zero was accepted")
	}
	g, err := net.Graph(2, true)
	require.NoError(t, err)
	assert.ErrorContains(t, g.Run(make([]float32, 72)), "Compile", "Run before Compile")
	if _, err := g.Compile(g.Output); err == nil || !strings.Contains(err.Error(), "scalar") {
		t.Errorf("a matrix as loss: %v", err)
	}
	_, err = g.Compile(nil)
	require.NoError(t, err)
	if _, err := g.Compile(nil); err == nil {
		t.Error("Compile twice was accepted")
	}
	if err := g.Run(make([]float32, 71)); err == nil {
		t.Error("a short input was accepted")
	}
	assert.NoError(t, g.Close())
	if err := g.Run(make([]float32, 72)); err == nil {
		t.Error("a closed graph ran")
	}
}

// TestGradAddress checks that all graphs leave their gradients in one slice, in
// use from Compile on, and that a parameter gorgonia sees used twice gets the
// sum there.
func TestGradAddress(t *testing.T) {
	net := smallNet(t, 1)
	x := make([]float32, 6*36)
	normal[float32](1)(x, rand.New(rand.NewPCG(5, 6)))
	bias, weight := net.Params().Get("fc.bias"), net.Params().Get("conv.weight")
	var first *float32
	for i, penalty := range []float64{0, 3} {
		n := 2 + 4*i
		g, err := net.Graph(n, true)
		require.NoError(t, err)
		loss := g.Builder().SquaredError("l", g.Output, make([]float32, 5*n))
		if penalty > 0 { // 3/2 |bias|², by gorgonia's own ops on the parameter
			for _, node := range g.Nodes() {
				if node.Name() == "fc.bias" {
					sq := gorgonia.Must(gorgonia.Sum(gorgonia.Must(gorgonia.Square(node))))
					loss = gorgonia.Must(gorgonia.Add(loss, gorgonia.Must(gorgonia.Mul(sq, gorgonia.NewConstant(float32(penalty/2))))))
				}
			}
		}
		_, err = g.Compile(loss)
		require.NoError(t, err)
		if i == 0 {
			first = &bias.Grad[0]
		}
		require.NoError(t, g.Run(x[:36*n]))
		if &bias.Grad[0] != first || len(weight.Grad) != len(weight.Value) {
			t.Fatal("Grad moved")
		}
		for j, d := range bias.Grad {
			want := penalty * float64(bias.Value[j])
			for k := range n {
				want += 2 / float64(n) * float64(g.Result()[k*5+j])
			}
			if math.Abs(float64(d)-want) > 1e-5 {
				t.Errorf("penalty %v: gradient[%d] = %v, want %v", penalty, j, d, want)
			}
		}
	}
}

// Compile names the parameters that the loss does not depend on, and takes the graph where they
// are frozen, and all others too.
func TestCompileApart(t *testing.T) {
	net, err := New([]int{3}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		b.Linear("aside", x, 2)
		return b.Linear("fc", x, 2)
	}, rand.New(rand.NewPCG(1, 2)))
	require.NoError(t, err)
	compile := func() error {
		g, err := net.Graph(2, true)
		require.NoError(t, err)
		_, err = g.Compile(g.Builder().CrossEntropy("loss", g.Output, []int{0, 1}, nil))
		if err == nil {
			require.NoError(t, g.Run([]float64{1, 2, 3, 4, 5, 6}))
			y := g.Result()
			want := (math.Log(1+math.Exp(y[1]-y[0])) + math.Log(1+math.Exp(y[2]-y[3]))) / 2
			assert.InDelta(t, want, g.Loss(), 1e-12)
		}
		return err
	}
	assert.EqualError(t, compile(), "nn: differentiating the loss: it does not depend on aside.bias, aside.weight; freeze such parameters (Params.Freeze) before the graph is built")
	require.NoError(t, net.Params().Freeze("", "aside"))
	require.NoError(t, compile())
	require.NoError(t, net.Params().Freeze("", "fc"))
	require.NoError(t, compile())
}
