package citation

import (
	"math"
	"slices"
)

// Matrix is a sparse matrix in compressed row form; the columns of a row are
// increasing.
type Matrix struct {
	Rows, Cols int
	Ptr        []int
	Col        []int32
	Val        []float32
}

// Features returns the word matrix X [nodes × words], each row divided by its
// sum: every word of a paper with k words has the value 1/k. Papers without words
// have a row of zeros.
func (g *Graph) Features() *Matrix {
	m := &Matrix{
		Rows: g.Nodes(), Cols: g.Words,
		Ptr: append([]int(nil), g.WordPtr...), Col: append([]int32(nil), g.WordCol...),
		Val: make([]float32, len(g.WordCol)),
	}
	for i := range m.Rows {
		lo, hi := m.Ptr[i], m.Ptr[i+1]
		for k := lo; k < hi; k++ {
			m.Val[k] = 1 / float32(hi-lo)
		}
	}
	return m
}

// Propagation returns S = D^(−1/2)·(A + I)·D^(−1/2) [nodes × nodes]: A is the
// symmetric 0/1 matrix of Links, D the degrees with the self-link counted. S is
// symmetric and its eigenvalues lie in (−1, 1].
func (g *Graph) Propagation() *Matrix {
	n := g.Nodes()
	links := g.Links()
	degree := slices.Repeat([]int{1}, n)
	for _, l := range links {
		degree[l[0]]++
		degree[l[1]]++
	}
	m := &Matrix{Rows: n, Cols: n, Ptr: make([]int, n+1)}
	for i, d := range degree {
		m.Ptr[i+1] = m.Ptr[i] + d
	}
	m.Col = make([]int32, m.Ptr[n])
	m.Val = make([]float32, m.Ptr[n])
	next := append([]int(nil), m.Ptr[:n]...)
	put := func(i, j int32) {
		m.Col[next[i]] = j
		m.Val[next[i]] = float32(1 / math.Sqrt(float64(degree[i])*float64(degree[j])))
		next[i]++
	}
	// Links are sorted by (u, v), u < v. Writing the smaller neighbours of each node first,
	// then the node, then the larger neighbours keeps the columns increasing.
	for _, l := range links {
		put(l[1], l[0])
	}
	for i := range int32(n) {
		put(i, i)
	}
	for _, l := range links {
		put(l[0], l[1])
	}
	return m
}

// dense writes the matrix, row by row, to a slice of Rows·Cols.
func (m *Matrix) dense() []float32 {
	out := make([]float32, m.Rows*m.Cols)
	for i := range m.Rows {
		row := out[i*m.Cols : (i+1)*m.Cols]
		for k := m.Ptr[i]; k < m.Ptr[i+1]; k++ {
			row[m.Col[k]] = m.Val[k]
		}
	}
	return out
}

// mul writes M·x to y for dense x [Cols × width] and y [Rows × width], which must
// not overlap. Sums run in the order of the columns.
func (m *Matrix) mul(y, x []float32, width int) {
	for i := range m.Rows {
		dst := y[i*width : (i+1)*width]
		clear(dst)
		for k := m.Ptr[i]; k < m.Ptr[i+1]; k++ {
			v := m.Val[k]
			src := x[int(m.Col[k])*width:][:width]
			for j, s := range src {
				dst[j] += v * s
			}
		}
	}
}

// Smoothed returns Sᵏ·X as a dense matrix, row by row: the features of the
// paper's citation networks with k = 2.
func (g *Graph) Smoothed(k int) []float32 {
	s := g.Propagation()
	x := g.Features().dense()
	y := make([]float32, len(x))
	for range k {
		s.mul(y, x, g.Words)
		x, y = y, x
	}
	return x
}
