package sparse

import (
	"slices"
	"sync/atomic"
)

// LDL is a sparse factorisation P·K·Pᵀ = L·D·Lᵀ of a symmetric quasidefinite
// matrix: one with a positive definite and a negative definite diagonal block,
// in any arrangement, so that every symmetric permutation has such a
// factorisation. The zero value is ready for Reset. The pattern is analysed
// once; values may change as often as one likes. The package comment has the order of calls.
type LDL struct {
	// Diag is the diagonal and Sign the sign of its block, ±1, by row. Val
	// holds the entries off the diagonal by slot.
	Diag, Sign, Val []float64
	// Pivot replaces every pivot of D that is not at least this far on the side
	// of its sign.
	Pivot float64
	// Workers is the number of goroutines on a large matrix. The bits do not depend on it.
	Workers int
	// Late is asked within long work whether to stop, by several goroutines; nil is never.
	Late func() bool
	// Iterations is the number of iterations that solutions have taken since Approximate.
	Iterations int

	n    int
	need Limits
	analysis
	perm  []int32
	nodes supernodes

	val, d, y []float64 // blocks of L; D; scratch
	workers   []*worker
	branches  branches
	fronts    fronts
	gradients *gradients // in place of a factor
	stopped   atomic.Bool
}

// Stopped reports whether Late has ended the last Analyse or Factor, which then has no result.
func (s *LDL) Stopped() bool { return s.stopped.Load() }

// late reports whether to stop.
func (s *LDL) late() bool {
	if s.Late != nil && s.Late() {
		s.stopped.Store(true)
	}
	return s.stopped.Load()
}

// manyRows is the number of rows from which on an analysis is not kept for the next pattern.
const manyRows = 1 << 16

// analysis is the scratch of Analyse.
type analysis struct {
	edges        [][2]int32 // by slot
	table        []int32    // hash table of the edges: slot + 1
	order        orderer
	inv          []int32
	upPtr, upRow []int32 // permuted upper triangle by columns: column k holds rows < k
	upSlot       []int32
	parent, mark []int32 // elimination tree
}

// Reset starts a new pattern of n rows.
func (s *LDL) Reset(n int) {
	s.n = n
	s.edges = s.edges[:0]
	s.table = resize(s.table, 1024)
	clear(s.table)
	s.Diag, s.Sign = resize(s.Diag, n), resize(s.Sign, n)
}

// Edge returns the slot of the value at (i, j) and (j, i), i ≠ j, the same one
// each time.
func (s *LDL) Edge(i, j int32) int32 {
	if i < j {
		i, j = j, i
	}
	if 2*len(s.edges) >= len(s.table) {
		s.grow()
	}
	at := s.find(i, j)
	if s.table[at] == 0 {
		s.edges = append(s.edges, [2]int32{i, j})
		s.table[at] = int32(len(s.edges))
	}
	return s.table[at] - 1
}

// find returns the place of (i, j) in the table, or a free one for it.
func (s *LDL) find(i, j int32) int {
	mask := len(s.table) - 1
	hash := (uint64(i)<<32 | uint64(j)) * 0x9e3779b97f4a7c15
	for at := int(hash>>32) & mask; ; at = (at + 1) & mask {
		if n := s.table[at]; n == 0 || s.edges[n-1] == [2]int32{i, j} {
			return at
		}
	}
}

// grow doubles the table.
func (s *LDL) grow() {
	s.table = resize(s.table, 2*len(s.table))
	clear(s.table)
	for n, e := range s.edges {
		s.table[s.find(e[0], e[1])] = int32(n + 1)
	}
}

// Limits bound a factorisation. Zero means no bound.
type Limits struct {
	// Fill is the number of entries of L below its diagonal, 12 bytes each;
	// Work is the number of multiplications that make it.
	Fill, Work float64
}

// Within reports whether the needs of a factor are within the limits l.
func (need Limits) Within(l Limits) bool {
	return (l.Fill == 0 || need.Fill <= l.Fill) && (l.Work == 0 || need.Work <= l.Work)
}

// Need returns the size and work of the factor of the matrix analysed last. If they exceed the
// limits, it returns a lower bound that exceeds them too.
func (s *LDL) Need() Limits { return s.need }

// Analyse finds the order and the pattern of L. It returns false, and the
// matrix cannot be factored, when L would exceed the limits; that is known
// before L takes any room.
func (s *LDL) Analyse(l Limits) bool {
	s.gradients = nil
	s.stopped.Store(false)
	s.Val = resize(s.Val, len(s.edges))
	s.reorder(l)
	if s.Stopped() || !s.need.Within(l) {
		return false
	}
	s.permute()
	s.tree()
	s.postorder()
	s.permute()
	if !s.nodes.build(s, l) {
		return false
	}
	s.branch()
	s.front()
	n := s.n
	if n > manyRows {
		s.analysis = analysis{}
	}
	s.val, s.d, s.y = resize(s.val, s.nodes.size()+panelWidth), resize(s.d, n), resize(s.y, n)
	return true
}

// Approximate takes the place of Analyse for a positive definite matrix whose factor would be
// too large: Solve then comes near the solution by conjugate gradients, in
// room of the order of the matrix.
func (s *LDL) Approximate() {
	s.Val = resize(s.Val, len(s.edges))
	s.gradients, s.Iterations = new(gradients), 0
	s.gradients.start(s.n, s.edges)
	if s.n > manyRows {
		s.analysis = analysis{}
	}
}

// Nested dissection is tried on patterns of dissectRows rows and more whose factor takes
// dissectWork multiplications a row, unless hopeless times the limit would not do: with
// less its own time is not made good in twenty factorisations, and it halves the work at
// best.
const (
	dissectRows, dissectWork = 20000, 2e4
	hopeless                 = 3
)

// reorder finds the order of the rows, by minimum degree or, where that takes less work,
// by nested dissection.
func (s *LDL) reorder(l Limits) {
	n := s.n
	s.order.most, s.order.late = l, nil
	if n >= dissectRows {
		s.order.late = s.late
		s.order.most = Limits{hopeless * l.Fill, hopeless * l.Work}
	}
	s.perm = s.order.run(n, s.edges, nil, s.perm[:0])
	s.need = s.order.need()
	if n < dissectRows || s.Stopped() || s.need.Work < dissectWork*float64(n) || !s.need.Within(s.order.most) {
		return
	}
	s.order.most = Limits{Work: s.need.Work}
	if perm := s.order.run(n, s.edges, dissect(n, s.edges, s.Workers), nil); s.order.flops < s.need.Work && !s.Stopped() {
		s.perm, s.need = perm, s.order.need()
	}
}

// permute sorts the entries into the columns of the permuted upper triangle.
func (s *LDL) permute() {
	n := s.n
	s.inv = resize(s.inv, n)
	for k, i := range s.perm {
		s.inv[i] = int32(k)
	}
	s.upPtr = resize(s.upPtr, n+1)
	clear(s.upPtr)
	for _, e := range s.edges {
		s.upPtr[max(s.inv[e[0]], s.inv[e[1]])+1]++
	}
	for k := range n {
		s.upPtr[k+1] += s.upPtr[k]
	}
	s.upRow, s.upSlot = resize(s.upRow, len(s.edges)), resize(s.upSlot, len(s.edges))
	s.mark = resize(s.mark, n)
	copy(s.mark, s.upPtr[:n])
	for slot, e := range s.edges {
		a, b := s.inv[e[0]], s.inv[e[1]]
		k := max(a, b)
		s.upRow[s.mark[k]], s.upSlot[s.mark[k]] = min(a, b), int32(slot)
		s.mark[k]++
	}
}

// tree finds the elimination tree: the parent of k is the first row below the
// diagonal in column k of L.
func (s *LDL) tree() {
	s.parent = resize(s.parent, s.n)
	root := s.mark // a short cut to the present root
	for k := range int32(s.n) {
		s.parent[k], root[k] = -1, -1
		for _, i := range s.upRow[s.upPtr[k]:s.upPtr[k+1]] {
			for i != k && i >= 0 {
				up := root[i]
				root[i] = k
				if up < 0 {
					s.parent[i] = k
				}
				i = up
			}
		}
	}
}

// postorder renumbers the rows such that subtrees are contiguous, which changes
// nothing in L but the order of its columns.
func (s *LDL) postorder() {
	n := int32(s.n)
	// The children of k are chained from child[k] on, in increasing order.
	child, sibling := s.upRow, s.inv
	child = resize(child, s.n)
	for k := range n {
		child[k] = -1
	}
	for k := n - 1; k >= 0; k-- {
		if p := s.parent[k]; p >= 0 {
			sibling[k] = child[p]
			child[p] = k
		}
	}
	number := s.mark
	count := int32(0)
	for r := range n {
		if s.parent[r] < 0 {
			descend(r, s.parent, child, sibling, func(k int32) {
				number[k] = count
				count++
			})
		}
	}
	perm, parent := make([]int32, n), make([]int32, n)
	for k, to := range number[:n] {
		perm[to] = s.perm[k]
		parent[to] = -1
		if p := s.parent[k]; p >= 0 {
			parent[to] = number[p]
		}
	}
	s.perm, s.parent = perm, parent
	s.upRow = child
}

// descend calls visit for the vertices of the tree below a root, each after its children. The list of
// siblings begins with the child of their parent.
func descend(root int32, parent, child, sibling []int32, visit func(k int32)) {
	for k := root; ; k = sibling[k] {
		for child[k] >= 0 {
			k = child[k]
		}
		for ; k != root && sibling[k] < 0; k = parent[k] {
			visit(k)
		}
		visit(k)
		if k == root {
			return
		}
	}
}

func resize[T any](x []T, n int) []T { return slices.Grow(x[:0], n)[:n] }

func resizeAll[T any](n int, all ...*[]T) {
	for _, x := range all {
		*x = resize(*x, n)
	}
}
