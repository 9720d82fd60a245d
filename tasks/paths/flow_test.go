package paths

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/paths"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// dearest is what p = 1 costs more than p = 0.
const dearest = 3.0

// solve infers the path of costs in [0, 1].
func solve(t testing.TB, f *flow, costs []float64, fix func(*lcqp.Instance) error) (*infer.Result, *lcqp.Instance) {
	t.Helper()
	in, err := f.NewInstance(1e-6)
	require.NoError(t, err)
	g := make([]float64, f.Deep)
	for cell, cost := range costs {
		g[classes*cell], g[classes*cell+1] = 1-cost, cost
	}
	require.NoError(t, in.SetDeep(g))
	if fix != nil {
		require.NoError(t, fix(in))
	}
	res := new(infer.Result)
	if err := infer.Solve(in, nil, infer.Settings{GapAbsolute: 1e-9}, res); err != nil || !res.Status.OK() {
		t.Fatal(err, res.Status)
	}
	if r := lcqp.Residuals(in, &res.Solution); !(r.Max() < 1e-6) {
		t.Fatalf("the judge finds %v", r)
	}
	return res, in
}

func newTestFlow(t testing.TB, side int) *flow { return newFlowOf(t, side, rules) }

func newFlowOf(t testing.TB, side int, text []byte) *flow {
	t.Helper()
	f, err := newFlow(side, paths.Layouts(side*side, 1), "", "rules.psl", text)
	require.NoError(t, err)
	return f
}

// TestFlowIsShortest: the MAP state of the program of answers is the path of Dijkstra's
// algorithm, which shares nothing with it.
func TestFlowIsShortest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, side := range []int{2, 3, 5, 12} {
		f := newFlowOf(t, side, answers)
		for range 10 {
			costs, dear := make([]float64, side*side), make([]float64, side*side)
			for i := range costs {
				costs[i] = float64(rng.IntN(10)) / 30
				dear[i] = dearest*costs[i] + 0.1
			}
			res, _ := solve(t, f, costs, nil)
			path, least := f.follow(res.Y), 0.0
			_, least = paths.Shortest(f.next, dear)
			if path == nil || math.Abs(paths.Cost(dear, path)-least) > 1e-9 {
				t.Errorf("side %d: the flow takes %v at a cost of %v, least is %v", side, path, paths.Cost(dear, path), least)
			}
		}
	}
}

// loss is what the structured perceptron learns from: the label's energy less that of the
// MAP state, with its derivative by the outputs and the flow of the first grid's MAP state into
// each cell.
func loss(t *testing.T, f *flow, costs []float64, labels ...[]int) (v float64, dg, x []float64) {
	t.Helper()
	free, in := solve(t, f, costs, nil)
	fixed, latent := solve(t, f, costs, func(in *lcqp.Instance) error { return f.fix(in, labels...) })
	dg, b := make([]float64, f.Deep), make([]float64, f.Deep)
	latent.DeepGradient(&fixed.Solution, dg)
	in.DeepGradient(&free.Solution, b)
	for i := range dg {
		dg[i] -= b[i]
	}
	x = make([]float64, len(f.next))
	for from, steps := range f.step[0] {
		for k, to := range f.next[from] {
			if steps[k] >= 0 {
				x[to] += free.Y[steps[k]]
			}
		}
	}
	return fixed.DualValue - free.DualValue, dg, x
}

// TestLossIsRegret: where costs are far apart the loss is what the label costs more than
// the best path, a fifth of it, except for the squares of the flow.
func TestLossIsRegret(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	f := newTestFlow(t, 5)
	costs := make([]float64, 25)
	for i := range costs {
		costs[i] = rng.Float64()
	}
	label := []int{0, 5, 10, 15, 20, 21, 22, 23, 24}
	dear := make([]float64, len(costs))
	for i, p := range costs {
		dear[i] = dearest*p + 0.1
	}
	_, least := paths.Shortest(f.next, dear)
	got, _, _ := loss(t, f, costs, label)
	assert.InDelta(t, (paths.Cost(dear, label)-least)/5, got, 8./100)
}

// TestGradient compares the derivative of the loss by the outputs with differences, where
// paths nearly tie and share the flow: it is dearest/5 of the label's path less the
// flow.
func TestGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	f := newTestFlow(t, 4)
	costs := make([]float64, 16)
	for i := range costs {
		costs[i] = 0.2 + 0.003*rng.Float64()
	}
	costs[5], costs[10] = 0.3, 0.3 // off the diagonal there are many ways
	label := []int{0, 4, 9, 14, 15}
	_, dg, x := loss(t, f, costs, label)
	mixed := false
	for cell := range costs {
		const h = 1e-4
		moved := append([]float64(nil), costs...)
		moved[cell] += h
		high, _, _ := loss(t, f, moved, label)
		moved[cell] -= 2 * h
		low, _, _ := loss(t, f, moved, label)
		assert.InDeltaf(t, (high-low)/(2*h), dg[classes*cell+1], 1e-5, "cell %d", cell)
		if dg[classes*cell] != 0 {
			t.Errorf("cell %d: the belief that it is cheap counts", cell)
		}
		mixed = mixed || x[cell] > 0.1 && x[cell] < 0.9
		want := -dearest * x[cell] / 5
		if cell > 0 && slices.Contains(label, cell) {
			want += dearest / 5
		}
		assert.InDeltaf(t, want, dg[classes*cell+1], 1e-6, "cell %d", cell)
	}
	if !mixed {
		t.Errorf("one path has all the flow: %v", x)
	}
}

// TestLayouts: grids that show the same pictures in other ways learn together as each does
// alone: losses and derivatives by the pictures add up.
func TestLayouts(t *testing.T) {
	const side = 4
	rng := rand.New(rand.NewPCG(9, 9))
	ways := paths.Layouts(side*side, 3)
	all, err := newFlow(side, ways, "", "rules.psl", rules)
	require.NoError(t, err)
	pictures := make([]float64, side*side)
	for i := range pictures {
		pictures[i] = rng.Float64() / 2
	}
	alone, labels, sum, want := newTestFlow(t, side), [][]int{{0, 5, 10, 15}, {0, 1, 2, 7, 11, 15}, {0, 4, 9, 14, 15}}, 0.0, make([]float64, all.Deep)
	for k, way := range ways {
		shown := make([]float64, len(way))
		for cell, picture := range way {
			shown[cell] = pictures[picture]
		}
		v, dg, _ := loss(t, alone, shown, labels[k])
		sum += v
		for cell, picture := range way {
			want[classes*picture+1] += dg[classes*cell+1]
		}
	}
	v, dg, _ := loss(t, all, pictures, labels...)
	assert.InDelta(t, sum, v, 1e-6)
	for i := range want {
		assert.InDeltaf(t, want[i], dg[i], 1e-5, "output %d", i)
	}
}

// TestFollow: a flow without an end has no path, and of two arms the larger is taken.
func TestFollow(t *testing.T) {
	f := newTestFlow(t, 3)
	y := make([]float64, f.Targets)
	if f.follow(y) != nil {
		t.Error("no flow is a path")
	}
	set := func(from, to int, v float64) {
		for k, other := range f.next[from] {
			if other == to {
				y[f.step[0][from][k]] = v
			}
		}
	}
	set(0, 4, 0.6)
	set(4, 8, 0.6)
	set(0, 1, 0.4)
	set(1, 5, 0.4)
	set(5, 8, 0.4)
	if p := f.follow(y); len(p) != 3 || p[1] != 4 {
		t.Errorf("%v", p)
	}
	set(4, 8, 0)
	if p := f.follow(y); p != nil {
		t.Errorf("%v leads on from where nothing flows", p)
	}
	clear(y) // a circle that takes more than what leaves it
	set(0, 1, 0.3)
	set(1, 4, 0.7)
	set(4, 1, 0.4)
	set(4, 8, 0.3)
	assert.Equal(t, []int{0, 1, 4, 8}, f.follow(y))
}

// BenchmarkFlow solves a grid of 12×12 from nothing.
func BenchmarkFlow(b *testing.B) {
	f := newTestFlow(b, 12)
	rng := rand.New(rand.NewPCG(1, 2))
	costs := make([]float64, 144)
	for i := range costs {
		costs[i] = float64(1+rng.IntN(10)) / 10
	}
	in, err := f.NewInstance(1e-6)
	require.NoError(b, err)
	g := make([]float64, f.Deep)
	for cell, cost := range costs {
		g[classes*cell+1] = cost
	}
	require.NoError(b, in.SetDeep(g))
	var res infer.Result
	for b.Loop() {
		if err := infer.Solve(in, nil, infer.Settings{GapAbsolute: 1e-9, Workers: 1}, &res); err != nil || !res.Status.OK() {
			b.Fatal(err, res.Status)
		}
	}
}
