package nn

import (
	"fmt"
	"math/rand/v2"

	"gorgonia.org/gorgonia"

	"hinge/nn/kernel"
)

// Sparse is a constant sparse matrix in compressed row form: row i has the
// entries Val[Ptr[i]:Ptr[i+1]] in the columns Col[Ptr[i]:Ptr[i+1]]. It must not
// change once a graph uses it.
type Sparse[T Float] struct {
	Rows, Cols int
	Ptr        []int
	Col        []int32
	Val        []T
}

// sparseGrain is the number of multiplications that justifies another thread.
const sparseGrain = 1 << 14

// grain is the number of rows of s that justifies another thread, for products
// of the given width.
func (s *Sparse[T]) grain(width int) int {
	perRow := max(1, len(s.Val)/max(1, s.Rows)) * width
	return max(1, sparseGrain/perRow)
}

// transposed returns sᵀ and, for each of its entries, the position of the same
// entry in s.
func (s *Sparse[T]) transposed() (*Sparse[T], []int32) {
	t := &Sparse[T]{Rows: s.Cols, Cols: s.Rows, Ptr: make([]int, s.Cols+1), Col: make([]int32, len(s.Col)), Val: make([]T, len(s.Val))}
	for _, c := range s.Col {
		t.Ptr[c+1]++
	}
	for c := range s.Cols {
		t.Ptr[c+1] += t.Ptr[c]
	}
	at := make([]int32, len(s.Col))
	next := append([]int(nil), t.Ptr[:s.Cols]...)
	for i := range s.Rows {
		for k := s.Ptr[i]; k < s.Ptr[i+1]; k++ {
			j := next[s.Col[k]]
			next[s.Col[k]]++
			t.Col[j], t.Val[j], at[j] = int32(i), s.Val[k], int32(k)
		}
	}
	return t, at
}

// mul writes s·x to y, x [Cols][width].
func (s *Sparse[T]) mul(y, x []T, width int) {
	kernel.Parallel(s.Rows, s.grain(width), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			dst := y[i*width : (i+1)*width]
			clear(dst)
			for k := s.Ptr[i]; k < s.Ptr[i+1]; k++ {
				v, src := s.Val[k], x[int(s.Col[k])*width:][:width]
				for j, u := range src {
					dst[j] += v * u
				}
			}
		}
	})
}

// check reports a matrix whose storage does not fit together.
func (s *Sparse[T]) check() error {
	if s.Rows < 1 || s.Cols < 1 || len(s.Ptr) != s.Rows+1 || s.Ptr[0] != 0 || s.Ptr[s.Rows] != len(s.Col) || len(s.Col) != len(s.Val) {
		return fmt.Errorf("a sparse matrix %d×%d with %d row pointers, %d columns and %d values", s.Rows, s.Cols, len(s.Ptr), len(s.Col), len(s.Val))
	}
	for i := range s.Rows {
		if s.Ptr[i] > s.Ptr[i+1] {
			return fmt.Errorf("the row pointers of a sparse matrix decrease at row %d", i)
		}
	}
	for _, c := range s.Col {
		if c < 0 || int(c) >= s.Cols {
			return fmt.Errorf("column %d of a sparse matrix with %d", c, s.Cols)
		}
	}
	return nil
}

// Propagate computes for x [N][C] and a square matrix s of N rows
//
//	h₀ = x,  h_{k+1} = (1 − teleport)·s·h_k + teleport·x,  y = h_steps,
//
// personalised PageRank cut off after some steps (Gasteiger et al., Predict then
// propagate, 2019). With one step and no teleport it is the plain product s·x. Where the rows are the
// examples, the network is one of NewWhole.
func (b *Builder[T]) Propagate(name string, s *Sparse[T], x *gorgonia.Node, steps int, teleport float64) *gorgonia.Node {
	if b.failed(name, x) {
		return nil
	}
	shape := x.Shape()
	if err := s.check(); err != nil {
		return b.Fail(name, "%v", err)
	}
	if len(shape) != 2 || s.Rows != s.Cols || s.Rows != shape[0] || steps < 1 || !(teleport >= 0 && teleport < 1) {
		return b.Fail(name, "propagation of shape %v by a %d×%d matrix, %d steps, teleport %v", shape, s.Rows, s.Cols, steps, teleport)
	}
	if s.Rows == b.Batch {
		b.Couple(name, "propagation adds up the rows of the batch's examples, so NewWhole makes the network")
	}
	width := shape[1]
	back, _ := s.transposed()
	scratch := make([]T, size(shape))
	run := func(m *Sparse[T], x, out []T) {
		// Alternate so that the last step writes to out.
		h, next, other := x, out, scratch
		if steps%2 == 0 {
			next, other = other, next
		}
		for range steps {
			m.mul(next, h, width)
			if teleport > 0 {
				stay, keep := T(teleport), T(1-teleport)
				for i, v := range x {
					next[i] = keep*next[i] + stay*v
				}
			}
			h, next, other = next, other, next
		}
	}
	return b.unary("propagate "+name, x, shape, func(x, y []T) error {
		run(s, x, y)
		return nil
	}, 0, func(dy, _, _, dx []T) { run(back, dy, dx) }) // y is a polynomial of s times x, so dx is that of sᵀ times dy
}

// Drop describes the dropout of a layer's input in training graphs. Entries is the probability
// of dropping an entry; the kept ones are divided by 1 − Entries. Rows is the probability of
// dropping a whole row; the kept ones stay unchanged, as no sum is over rows.
type Drop struct{ Entries, Rows float64 }

func (d Drop) valid() bool {
	return d.Entries >= 0 && d.Entries < 1 && d.Rows >= 0 && d.Rows < 1
}

// SparseLinear computes y = x·Wᵀ + b for a constant sparse x [N][In], N being
// the batch size, giving [N][out]. Training graphs drop some of x, see Drop. Parameters
// as for Linear. The network is one of NewWhole.
func (b *Builder[T]) SparseLinear(name string, x *Sparse[T], out int, drop Drop) *gorgonia.Node {
	if b.failed(name) {
		return nil
	}
	if err := x.check(); err != nil {
		return b.Fail(name, "%v", err)
	}
	if x.Rows != b.Batch || out < 1 || !drop.valid() {
		return b.Fail(name, "a linear layer with %d outputs and dropout %v on %d rows, the batch size is %d", out, drop, x.Rows, b.Batch)
	}
	b.Couple(name, "the matrix has the rows of one batch, so NewWhole makes the network")
	in := x.Cols
	pw, pb, w, bias := b.linearParams(name, in, out)
	if !b.Training {
		drop = Drop{}
	}
	// The entries after dropout, by rows for the product and by columns for the
	// gradient of W.
	now := &Sparse[T]{Rows: x.Rows, Cols: x.Cols, Ptr: x.Ptr, Col: x.Col, Val: append([]T(nil), x.Val...)}
	columns, at := x.transposed()
	keep, limit := T(1/(1-drop.Entries)), uint64(drop.Entries*(1<<63)*2)
	limitRow := uint64(drop.Rows * (1 << 63) * 2)
	pcg, purpose, rowPurpose := rand.NewPCG(0, 0), purposeOf("dropout "+name), purposeOf("dropout of rows "+name)
	o := &op[T]{
		name: "sparse linear " + name,
		run: func(v [][]T, y []T) error {
			if drop.Entries > 0 {
				b.state.stream(pcg, purpose)
				for k, value := range x.Val {
					now.Val[k] = keep * value
					if pcg.Uint64() < limit {
						now.Val[k] = 0
					}
				}
			}
			if drop.Rows > 0 {
				if drop.Entries == 0 {
					copy(now.Val, x.Val)
				}
				b.state.stream(pcg, rowPurpose)
				for i := range now.Rows {
					if pcg.Uint64() < limitRow {
						clear(now.Val[now.Ptr[i]:now.Ptr[i+1]])
					}
				}
			}
			now.mul(y, v[0], out)
			kernel.AddBias(y, v[1], false, now.Rows, out)
			return nil
		},
	}
	o.diff = func(dy *gorgonia.Node) gorgonia.Nodes {
		return gorgonia.Nodes{
			b.paramGradient("dw "+name, pw, func(v [][]T, dw []T) {
				for j, k := range at {
					columns.Val[j] = now.Val[k]
				}
				columns.mul(dw, v[0], out)
			}, dy),
			b.paramGradient("db "+name, pb, func(v [][]T, db []T) { kernel.ColumnSums(v[0], db, now.Rows, out) }, dy),
		}
	}
	return b.apply(o, []int{x.Rows, out}, w, bias)
}
