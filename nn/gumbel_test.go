package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gorgonia.org/gorgonia"
)

func TestGumbelSoftmaxGradient(t *testing.T) {
	f := newFixture(t, 3, []int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return b.GumbelSoftmax("g", leaf(b, "x", 3, 4), 5)
	})
	f.net.State().Temperature = 0.8
	f.checkGradients(t, 100, 1e-7)
}

func TestGumbelNoise(t *testing.T) {
	for _, u := range []float64{0, 1e-300, .5, 1 - 0x1p-53} {
		if g := gumbel(u); math.IsNaN(g) || math.IsInf(g, 0) {
			t.Errorf("gumbel(%v) = %v", u, g)
		}
	}
	if got, want := gumbel(.5), -math.Log(math.Ln2); math.Abs(got-want) > 1e-11 {
		t.Errorf("gumbel(1/2) = %v, want %v", got, want)
	}
}

// TestGumbelMax checks the distribution: as τ → 0 a sample is one-hot with the
// probabilities of softmax(logits).
func TestGumbelMax(t *testing.T) {
	const k = 4000
	p := []float64{.5, .3, .15, .05}
	net, err := New([]int{4}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.GumbelSoftmax("g", x, k)
	}, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, 8)
	for i := range x {
		x[i] = math.Log(p[i%4])
	}
	net.State().Temperature = 1e-3
	y, err := net.Forward(x, 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(y) != k*8 {
		t.Fatalf("%d outputs, want [K][N][C] = %d", len(y), k*8)
	}
	count := make([]float64, 8)
	for i, v := range y {
		count[i%8] += v
	}
	for i, c := range count {
		q := p[i%4]
		if d := math.Abs(c - k*q); d > 5*math.Sqrt(k*q*(1-q)) {
			t.Errorf("example %d, class %d: frequency %v, want %v", i/4, i%4, c/k, q)
		}
	}
	if slices.Equal(y[:4], y[4:8]) {
		t.Error("two examples share their noise")
	}
}

// TestGumbelFollowsState checks resume: the noise is a function of seed, step
// and chunk, not of the runs before.
func TestGumbelFollowsState(t *testing.T) {
	f := newFixture(t, 3, []int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return b.GumbelSoftmax("g", leaf(b, "x", 3, 4), 2)
	})
	draw := func(seed, step, chunk uint64) []float64 {
		s := f.net.State()
		s.Seed, s.Step, s.chunk = seed, step, chunk
		f.loss(t)
		return slices.Clone(f.g.Result())
	}
	all := [][]float64{draw(1, 1, 0), draw(1, 2, 0), draw(2, 1, 0), draw(1, 1, 1)}
	for i := range all {
		for j := range i {
			if slices.Equal(all[i], all[j]) {
				t.Errorf("draws %d and %d are equal", i, j)
			}
		}
	}
	if !slices.Equal(all[0], draw(1, 1, 0)) {
		t.Error("the same seed and step drew other noise")
	}
}
