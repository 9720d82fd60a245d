package qp

import (
	"container/heap"
	"fmt"
	"maps"
	"math"
	"slices"
)

const (
	// A pivot of less than smallPivot of its diagonal entry comes after all larger ones,
	// and one of at most zeroPivot of it is 0. Entries in its row are then at most the root
	// of that, or the Hessian is not convex.
	smallPivot, zeroPivot = 1e-6, 1e-12
)

// offDiagonal returns the columns and entries of row i of the Hessian left of its diagonal.
func (p *Problem) offDiagonal(i int) ([]int32, []float64) {
	if p.HPtr == nil {
		return nil, nil
	}
	return p.HCol[p.HPtr[i]:p.HPtr[i+1]], p.HVal[p.HPtr[i]:p.HPtr[i+1]]
}

// diagonal returns the problem itself where its Hessian is diagonal, else a lifted one with
// the same optimum, whose Hessian is. With the factor H = L·D·Lᵀ and y = Lᵀ·x,
//
//	½ xᵀ·H·x = ½ Σ D_j y_j²,
//
// so that each y_j is an unbounded variable behind those of the problem, and
// (Lᵀ·x)_j − y_j = 0 a row behind its rows. None is needed where (Lᵀ·x)_j is x_j or D_j is 0.
func (p *Problem) diagonal() (*Problem, error) {
	if len(p.HVal) == 0 {
		return p, nil
	}
	d := &Problem{P: make([]float64, len(p.P)), Q: slices.Clone(p.Q), R: p.R,
		Ptr: slices.Clone(p.Ptr), Col: slices.Clone(p.Col), Val: slices.Clone(p.Val), Low: slices.Clone(p.Low), High: slices.Clone(p.High)}
	for i := range p.P {
		lower, upper := p.bounds(i)
		d.Lower, d.Upper = append(d.Lower, lower), append(d.Upper, upper)
	}
	for e := newElimination(p); e.Len() > 0; {
		i := heap.Pop(e).(candidate).row
		if e.eliminated[i] {
			continue
		}
		col, val, pivot, err := e.eliminate(i)
		if err != nil {
			return nil, err
		}
		if len(col) == 0 {
			d.P[i] = pivot
			continue
		}
		d.Col, d.Val = append(append(d.Col, i), col...), append(append(d.Val, 1), val...)
		from := d.Ptr[len(d.Ptr)-1]
		sortRow(d.Col[from:], d.Val[from:])
		d.Col, d.Val = append(d.Col, int32(len(d.P))), append(d.Val, -1)
		d.Ptr, d.Low, d.High = append(d.Ptr, int32(len(d.Col))), append(d.Low, 0), append(d.High, 0)
		d.P, d.Q = append(d.P, pivot), append(d.Q, 0)
		d.Lower, d.Upper = append(d.Lower, math.Inf(-1)), append(d.Upper, math.Inf(1))
	}
	return d, nil
}

// sortRow sorts the entries of a row whose first one may be out of order.
func sortRow(col []int32, val []float64) {
	for j := 1; j < len(col) && col[j-1] > col[j]; j++ {
		col[j-1], col[j], val[j-1], val[j] = col[j], col[j-1], val[j], val[j-1]
	}
}

// elimination is a Hessian from which rows are eliminated, those with few entries first.
// It is a heap of candidates, of which each row's latest counts: a row becomes one anew
// with each change.
type elimination struct {
	candidates
	first, diag []float64 // diagonal at the beginning and now
	rows        []map[int32]float64
	eliminated  []bool
}

func newElimination(p *Problem) *elimination {
	e := &elimination{first: p.P, diag: slices.Clone(p.P), rows: make([]map[int32]float64, len(p.P)), eliminated: make([]bool, len(p.P))}
	for i := range e.rows {
		e.rows[i] = map[int32]float64{}
		col, val := p.offDiagonal(i)
		for j, c := range col {
			e.rows[i][c], e.rows[c][int32(i)] = val[j], val[j]
		}
	}
	for i := range e.rows {
		e.enter(int32(i))
	}
	return e
}

// enter makes row i a candidate: by its entries, or behind all others by its pivot.
func (e *elimination) enter(i int32) {
	key := float64(len(e.rows[i]))
	if share := e.diag[i] / max(e.first[i], math.SmallestNonzeroFloat64); share < smallPivot {
		key = float64(len(e.rows)) + 1 - share
	}
	heap.Push(e, candidate{key, i})
}

// eliminate eliminates row i and returns its pivot and its row of Lᵀ without the diagonal.
func (e *elimination) eliminate(i int32) (col []int32, val []float64, pivot float64, err error) {
	col, pivot = slices.Sorted(maps.Keys(e.rows[i])), e.diag[i]
	least := zeroPivot * e.first[i]
	convex, zero := pivot >= -least, pivot <= least
	for _, c := range col {
		v := e.rows[i][c]
		val = append(val, v)
		delete(e.rows[c], i)
		convex = convex && (!zero || math.Abs(v) <= math.Sqrt(least*e.first[c]))
	}
	e.eliminated[i] = true
	switch {
	case !convex:
		return nil, nil, 0, fmt.Errorf("qp: the Hessian is not convex, as the part of variable %d shows; only problems with a positive semidefinite one are solved", i)
	case zero:
		pivot, col, val = 0, nil, nil
	}
	for j, c := range col {
		l := val[j] / pivot
		e.diag[c] -= l * val[j]
		for k, b := range col[:j] {
			v := e.rows[c][b] - l*val[k]
			e.rows[c][b], e.rows[b][c] = v, v
		}
	}
	for j, c := range col {
		val[j] /= pivot
		e.enter(c)
	}
	return col, val, pivot, nil
}

// candidate is a row with what orders it.
type candidate struct {
	key float64
	row int32
}

// candidates is a heap, see container/heap.
type candidates []candidate

func (h candidates) Len() int { return len(h) }
func (h candidates) Less(a, b int) bool {
	return h[a].key < h[b].key || h[a].key == h[b].key && h[a].row < h[b].row
}
func (h candidates) Swap(a, b int) { h[a], h[b] = h[b], h[a] }
func (h *candidates) Push(x any)   { *h = append(*h, x.(candidate)) }
func (h *candidates) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
