package lcqp

import (
	"sync"

	"hinge/symbolic/hlmrf"
)

// Kind says what a row is and so which values its dual may take.
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
	// ColPtr, ColRow list the rows of each target, increasing.
	ColPtr []int32
	ColRow []int32
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
}

// Component is one connected component: targets and rows in increasing order.
type Component struct {
	Targets []int32
	Rows    []int32
}
