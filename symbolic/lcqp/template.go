package lcqp

import (
	"encoding/binary"
	"io"
	"sync"

	"hinge/symbolic/hlmrf"
)

// Kind is the kind of a row. It determines the permitted values of the row's dual.
type Kind uint8

const (
	// HardLE is a hard constraint a·y + b ≤ 0: μ ≥ 0.
	HardLE Kind = iota
	// HardEQ is a hard constraint a·y + b = 0: μ is free.
	HardEQ
	// Linear is a linear hinge: a·y + b − s ≤ 0, s ≥ 0, cost w·s + ε·s².
	Linear
	// Square is a squared hinge: a·y + b − s ≤ 0, cost (w + ε)·s².
	Square
)

// Template is the part of an LCQP that does not change while learning: the
// sparse matrix A, the sparse matrix B and the constant b₀ of b = b₀ + B·g,
// the kinds of the rows, the rule of each potential and the connected
// components. Rows are the q hard constraints first, then the m potentials,
// each in the order of the program. The slack columns (−1 in the row of their
// potential) and the bound rows of the paper's A are implied.
//
// A Template is immutable after Compile and may be shared by goroutines. It
// shares the storage of rows with its program where it can.
type Template struct {
	// Targets n_y, Deep n_g, Rules r, Constraints q, Potentials m are sizes.
	Targets, Deep, Rules, Constraints, Potentials int
	// Ptr, Col, Val are A restricted to y, by row; len(Ptr) = q + m + 1.
	Ptr []int32
	Col []int32
	Val []float64
	// DeepPtr, DeepCol, DeepVal are B by row.
	DeepPtr []int32
	DeepCol []int32
	DeepVal []float64
	// B0 is b₀, Kinds the kind and RuleOf the rule (−1 for constraints) of
	// each row.
	B0     []float64
	Kinds  []Kind
	RuleOf []int32
	// Components partition targets and rows: two targets are together exactly
	// when a chain of rows with non-zero coefficients joins them (paper,
	// appendix on dual BCD). They are ordered by their smallest target. Rows without
	// targets are constants of the energy: all of them form one last component
	// that has no targets.
	Components []Component
	// Local is the position of each target in its component, RowLocal the position of each
	// row in its component.
	Local, RowLocal []int32

	program *hlmrf.Program
	derived sync.Map // of Derived

	byTarget       sync.Once
	colPtr, colRow []int32 // see RowsOf
}

// RowsOf returns the rows of a target, increasing. They are listed on first use.
func (t *Template) RowsOf(target int32) []int32 {
	t.byTarget.Do(func() {
		t.colPtr, t.colRow = make([]int32, t.Targets+1), make([]int32, len(t.Col))
		Transpose(t.Targets, t.Ptr, t.Col, t.colPtr, t.colRow)
	})
	return t.colRow[t.colPtr[target]:t.colPtr[target+1]]
}

// Transpose writes the pattern of a sparse matrix of n columns, given by rows, by columns. The
// rows of each column are increasing.
func Transpose(n int, ptr, col, colPtr, colRow []int32) {
	clear(colPtr)
	for _, c := range col {
		colPtr[c]++
	}
	end := int32(0)
	for i := range n {
		end += colPtr[i]
		colPtr[i] = end
	}
	colPtr[n] = end
	// Filled from the back, the pointers end at the starts of the columns.
	for k := len(ptr) - 2; k >= 0; k-- {
		for j := ptr[k+1] - 1; j >= ptr[k]; j-- {
			c := col[j]
			colPtr[c]--
			colRow[colPtr[c]] = int32(k)
		}
	}
}

// Component is one connected component: targets and rows in increasing order.
type Component struct {
	Targets []int32
	Rows    []int32
}

// Digest writes the rows, without names. Templates that differ only in names write equal bytes.
func (t *Template) Digest(w io.Writer) {
	put := func(data any) { _ = binary.Write(w, binary.LittleEndian, data) } // neither buffers nor sums fail
	put([]int32{int32(t.Targets), int32(t.Deep), int32(t.Constraints)})
	for _, x := range [][]int32{t.Ptr, t.Col, t.DeepPtr, t.DeepCol, t.RuleOf} {
		put(int64(len(x)))
		put(x)
	}
	for _, x := range [][]float64{t.Val, t.DeepVal, t.B0} {
		put(int64(len(x)))
		put(x)
	}
	put(t.Kinds)
}

// Derived returns the value for key, which make returns on the first call. Packages keep with
// it what they compute from a template, such as the analysis of its pattern, for as long as
// the template lives. Keys are compared like keys of a map; a package uses a key type of its
// own. Goroutines may call it at once: all get the same value, though make may then run more
// than once.
func (t *Template) Derived(key any, make func() any) any {
	if v, ok := t.derived.Load(key); ok {
		return v
	}
	v, _ := t.derived.LoadOrStore(key, make())
	return v
}
