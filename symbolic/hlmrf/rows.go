package hlmrf

import (
	"fmt"
	"math"
)

// Rows is a list of sparse affine functions a·y + d·g + k, stored row by row.
// The zero value is empty and ready for Append.
type Rows struct {
	// Ptr, Col and Val are the target part in compressed row form: row k is
	// Col[Ptr[k]:Ptr[k+1]]. Columns of a row are distinct and increasing. Ptr
	// may start above 0, where storage is shared with other rows (SetRows).
	Ptr []int32
	Col []int32
	Val []float64
	// DeepPtr, DeepCol and DeepVal are the neural part in the same form.
	DeepPtr []int32
	DeepCol []int32
	DeepVal []float64
	// Const is k, one number per row.
	Const []float64
}

// Len returns the number of rows.
func (r *Rows) Len() int { return len(r.Const) }

// Row returns the target columns and coefficients of row k. The slices alias
// the storage of r.
func (r *Rows) Row(k int) (col []int32, val []float64) {
	return r.Col[r.Ptr[k]:r.Ptr[k+1]], r.Val[r.Ptr[k]:r.Ptr[k+1]]
}

// DeepRow returns the neural columns and coefficients of row k. The slices
// alias the storage of r.
func (r *Rows) DeepRow(k int) (col []int32, val []float64) {
	return r.DeepCol[r.DeepPtr[k]:r.DeepPtr[k+1]], r.DeepVal[r.DeepPtr[k]:r.DeepPtr[k+1]]
}

// Append adds one row. The arguments are copied. It panics when the rows would
// have more than 2³¹ − 1 coefficients.
func (r *Rows) Append(col []int32, val []float64, deepCol []int32, deepVal []float64, k float64) {
	if len(r.Ptr) == 0 {
		r.Ptr = append(r.Ptr, 0)
		r.DeepPtr = append(r.DeepPtr, 0)
	}
	r.Col = append(r.Col, col...)
	r.Val = append(r.Val, val...)
	r.Ptr = append(r.Ptr, end(r.Col))
	r.DeepCol = append(r.DeepCol, deepCol...)
	r.DeepVal = append(r.DeepVal, deepVal...)
	r.DeepPtr = append(r.DeepPtr, end(r.DeepCol))
	r.Const = append(r.Const, k)
}

// end returns the length of a slice as a row pointer.
func end(col []int32) int32 {
	if len(col) > math.MaxInt32 {
		panic("hlmrf: more than 2³¹ − 1 coefficients")
	}
	return int32(len(col))
}

// slice returns rows from to to − 1. They share the storage of r; appending to them does not
// change r.
func (r *Rows) slice(from, to int) Rows {
	if from == to {
		return Rows{}
	}
	col, deep := r.Ptr[to], r.DeepPtr[to]
	return Rows{
		Ptr: r.Ptr[from : to+1 : to+1], Col: r.Col[:col:col], Val: r.Val[:col:col],
		DeepPtr: r.DeepPtr[from : to+1 : to+1], DeepCol: r.DeepCol[:deep:deep], DeepVal: r.DeepVal[:deep:deep],
		Const: r.Const[from:to:to],
	}
}

// shares reports whether r is s, in the same storage.
func (r *Rows) shares(s Rows) bool {
	return same(r.Ptr, s.Ptr) && same(r.Col, s.Col) && same(r.Val, s.Val) && same(r.Const, s.Const) &&
		same(r.DeepPtr, s.DeepPtr) && same(r.DeepCol, s.DeepCol) && same(r.DeepVal, s.DeepVal)
}

func same[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// At returns a·y + d·g + k for row k.
func (r *Rows) At(k int, y, g []float64) float64 {
	s := r.Const[k]
	col, val := r.Row(k)
	for j, c := range col {
		s += val[j] * y[c]
	}
	col, val = r.DeepRow(k)
	for j, c := range col {
		s += val[j] * g[c]
	}
	return s
}

func (r *Rows) check(targets, deep int) error {
	n := r.Len()
	if n == 0 {
		return nil
	}
	if len(r.Ptr) != n+1 || len(r.DeepPtr) != n+1 || len(r.Col) != len(r.Val) || len(r.DeepCol) != len(r.DeepVal) {
		return fmt.Errorf("rows: storage of unequal length")
	}
	for k := range n {
		if r.Ptr[k] < 0 || r.Ptr[k+1] < r.Ptr[k] || int(r.Ptr[k+1]) > len(r.Col) ||
			r.DeepPtr[k] < 0 || r.DeepPtr[k+1] < r.DeepPtr[k] || int(r.DeepPtr[k+1]) > len(r.DeepCol) {
			return fmt.Errorf("%d: it ends before it begins or behind the last coefficient", k)
		}
		col, val := r.Row(k)
		if err := checkRow(col, val, targets); err != nil {
			return fmt.Errorf("%d: target %w", k, err)
		}
		col, val = r.DeepRow(k)
		if err := checkRow(col, val, deep); err != nil {
			return fmt.Errorf("%d: deep %w", k, err)
		}
		if math.IsNaN(r.Const[k]) || math.IsInf(r.Const[k], 0) {
			return fmt.Errorf("%d: constant %v", k, r.Const[k])
		}
	}
	return nil
}

func checkRow(col []int32, val []float64, n int) error {
	last := int32(-1)
	for j, c := range col {
		if c <= last || int(c) >= n {
			return fmt.Errorf("column %d after %d of %d", c, last, n)
		}
		if math.IsNaN(val[j]) || math.IsInf(val[j], 0) {
			return fmt.Errorf("coefficient %v of column %d", val[j], c)
		}
		last = c
	}
	return nil
}
