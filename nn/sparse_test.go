package nn

import (
	"iter"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

// randomSparse fills about a third of a matrix.
func randomSparse(rng *rand.Rand, rows, cols int) *Sparse[float64] {
	s := &Sparse[float64]{Rows: rows, Cols: cols, Ptr: []int{0}}
	for range rows {
		for c := range cols {
			if rng.IntN(3) == 0 {
				s.Col = append(s.Col, int32(c))
				s.Val = append(s.Val, rng.NormFloat64())
			}
		}
		s.Ptr = append(s.Ptr, len(s.Col))
	}
	return s
}

func (s *Sparse[T]) dense() [][]float64 {
	out := make([][]float64, s.Rows)
	for i := range out {
		out[i] = make([]float64, s.Cols)
		for k := s.Ptr[i]; k < s.Ptr[i+1]; k++ {
			out[i][s.Col[k]] = float64(s.Val[k])
		}
	}
	return out
}

// TestSparseGradients checks a network of all sparse layers, and thereby the
// propagation by a matrix that is not symmetric, against finite differences.
func TestSparseGradients(t *testing.T) {
	const n, words, classes = 6, 9, 3
	rng := rand.New(rand.NewPCG(2, 1))
	x, s := randomSparse(rng, n, words), randomSparse(rng, n, n)
	for _, c := range []struct {
		steps    int
		teleport float64
	}{{1, 0}, {2, 0}, {3, 0.2}, {4, 0.1}} {
		f := newFixture(t, n, []int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
			h := b.ReLU("relu", b.SparseLinear("in", x, 4, Drop{Entries: 0.3, Rows: 0.2}))
			return b.Propagate("ppr", s, b.Linear("out", h, classes), c.steps, c.teleport)
		})
		f.checkGradients(t, 50, 1e-5)
	}
}

// TestPropagateValue compares with the recursion on dense matrices.
func TestPropagateValue(t *testing.T) {
	const n, steps, teleport = 5, 3, 0.15
	rng := rand.New(rand.NewPCG(3, 1))
	s := randomSparse(rng, n, n)
	net, err := NewWhole([]int{2}, n, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.Propagate("p", s, x, steps, teleport)
	}, rng)
	require.NoError(t, err)
	g := forwardGraph(t, net, n, false)
	x := make([]float64, 2*n)
	normal[float64](1)(x, rng)
	require.NoError(t, g.Run(x))
	want := append([]float64(nil), x...)
	for range steps {
		next := make([]float64, len(want))
		for i, row := range s.dense() {
			for j, v := range row {
				next[2*i] += (1 - teleport) * v * want[2*j]
				next[2*i+1] += (1 - teleport) * v * want[2*j+1]
			}
		}
		for i, v := range x {
			next[i] += teleport * v
		}
		want = next
	}
	near(t, "propagated", g.Result(), want, 1e-12)
}

// TestSparseCouples: New refuses a network whose rows of examples are joined or are the same in every batch.
// Rows that are propagated may be something else.
func TestSparseCouples(t *testing.T) {
	mean := func(b *Builder[float64], x *gorgonia.Node, n int) *gorgonia.Node {
		s := &Sparse[float64]{Rows: n, Cols: n, Ptr: []int{0}}
		for i := range n {
			for j := range n {
				s.Col, s.Val = append(s.Col, int32(j)), append(s.Val, 1/float64(n))
			}
			s.Ptr = append(s.Ptr, n*(i+1))
		}
		return b.Propagate("mean", s, x, 1, 0)
	}
	_, err := New([]int{3}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return mean(b, x, b.Batch) }, rand.New(rand.NewPCG(1, 1)))
	require.ErrorContains(t, err, "nn: mean: propagation adds up the rows of the batch's examples")
	_, err = New([]int{1}, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return b.SparseLinear("bag", &Sparse[float64]{Rows: b.Batch, Cols: 1, Ptr: make([]int, b.Batch+1)}, 1, Drop{})
	}, rand.New(rand.NewPCG(1, 1)))
	require.ErrorContains(t, err, "nn: bag: the matrix has the rows of one batch")
	_, err = New([]int{3}, func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
		return b.MatMul("product", x, mean(b, b.Constant("table", []float64{1, 2, 3}, 3, 1), 3))
	}, rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
}

// TestSparseLinearIsLinear compares with the dense layer on the same parameters.
func TestSparseLinearIsLinear(t *testing.T) {
	const n, words = 4, 6
	rng := rand.New(rand.NewPCG(4, 1))
	x := randomSparse(rng, n, words)
	var dense []float64
	for _, row := range x.dense() {
		dense = append(dense, row...)
	}
	define := func(sparse bool) Definition[float64] {
		return func(b *Builder[float64], in *gorgonia.Node) *gorgonia.Node {
			if sparse {
				return b.SparseLinear("fc", x, 3, Drop{Entries: 0.5})
			}
			return b.Linear("fc", in, 3)
		}
	}
	run := func(def Definition[float64]) []float64 {
		net, err := NewWhole([]int{words}, n, def, rand.New(rand.NewPCG(5, 5)))
		require.NoError(t, err)
		g := forwardGraph(t, net, n, false)
		require.NoError(t, g.Run(dense))
		return g.Result()
	}
	near(t, "sparse linear", run(define(true)), run(define(false)), 1e-12)
}

// dropSteps is the number of steps over which the share of what is dropped is counted.
const dropSteps = 4000

// dropped is a layer of one output on the two rows of x, with its outputs step by step.
func dropped(t *testing.T, x *Sparse[float64], drop Drop) (*Net[float64], iter.Seq[[]float64]) {
	t.Helper()
	net, err := NewWhole([]int{1}, 2, func(b *Builder[float64], _ *gorgonia.Node) *gorgonia.Node {
		return b.SparseLinear("fc", x, 1, drop)
	}, rand.New(rand.NewPCG(6, 6)))
	require.NoError(t, err)
	g := forwardGraph(t, net, 2, true)
	return net, func(yield func([]float64) bool) {
		for step := range dropSteps {
			net.State().Step = uint64(step)
			require.NoError(t, g.Run([]float64{0, 0}))
			if !yield(g.Result()) {
				return
			}
		}
	}
}

// TestSparseDropout: on average the product is that without dropout, and the
// mask is a function of the step.
func TestSparseDropout(t *testing.T) {
	x := &Sparse[float64]{Rows: 2, Cols: 1, Ptr: []int{0, 1, 2}, Col: []int32{0, 0}, Val: []float64{1, 3}}
	net, results := dropped(t, x, Drop{Entries: 0.25})
	w, bias := net.Params().Get("fc.weight").Value[0], net.Params().Get("fc.bias").Value[0]
	sum, zeros := 0.0, 0
	for y := range results {
		v := (y[1] - bias) / (3 * w)
		sum += v
		if math.Abs(v) < 1e-9 {
			zeros++
		}
	}
	if math.Abs(sum/dropSteps-1) > 0.03 || math.Abs(float64(zeros)/dropSteps-0.25) > 0.03 {
		t.Errorf("mean %v, dropped %v of the entries; want 1 and 0.25", sum/dropSteps, float64(zeros)/dropSteps)
	}
}

// TestSparseRowsDropped: in a step a row is there as it is or not at all, and those that
// were dropped come back.
func TestSparseRowsDropped(t *testing.T) {
	x := &Sparse[float64]{Rows: 2, Cols: 2, Ptr: []int{0, 2, 3}, Col: []int32{0, 1, 1}, Val: []float64{1, 2, 3}}
	net, results := dropped(t, x, Drop{Rows: 0.25})
	w, bias := net.Params().Get("fc.weight").Value, net.Params().Get("fc.bias").Value[0]
	whole := []float64{bias + w[0] + 2*w[1], bias + 3*w[1]}
	zeros := 0
	for ys := range results {
		for i, y := range ys {
			switch {
			case math.Abs(y-bias) < 1e-12:
				zeros++
			case math.Abs(y-whole[i]) > 1e-12:
				t.Fatalf("row %d: %v, want %v or %v", i, y, bias, whole[i])
			}
		}
	}
	if share := float64(zeros) / (2 * dropSteps); math.Abs(share-0.25) > 0.03 {
		t.Errorf("%v of the rows dropped, want 0.25", share)
	}
}

// TestSparseErrors: what does not fit is reported with the layer's name.
func TestSparseErrors(t *testing.T) {
	good := &Sparse[float64]{Rows: 2, Cols: 2, Ptr: []int{0, 1, 2}, Col: []int32{0, 1}, Val: []float64{1, 1}}
	broken := &Sparse[float64]{Rows: 2, Cols: 2, Ptr: []int{0, 1, 2}, Col: []int32{0, 2}, Val: []float64{1, 1}}
	for name, def := range map[string]Definition[float64]{
		"rows": func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
			return b.SparseLinear("layer", good, 3, Drop{})
		},
		"column": func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node {
			return b.Propagate("layer", broken, x, 1, 0)
		},
		"steps":    func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return b.Propagate("layer", good, x, 0, 0) },
		"teleport": func(b *Builder[float64], x *gorgonia.Node) *gorgonia.Node { return b.Propagate("layer", good, x, 1, 1) },
	} {
		batch := 2
		if name == "rows" {
			batch = 3
		}
		_, err := NewWhole([]int{2}, batch, def, rand.New(rand.NewPCG(1, 1)))
		assert.ErrorContainsf(t, err, "layer", "%s", name)
	}
}
