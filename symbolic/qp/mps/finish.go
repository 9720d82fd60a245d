package mps

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// finish makes the program of what was read.
func (r *reader) finish() (*Program, error) {
	p := &r.p
	if len(p.Columns) == 0 {
		return nil, &Error{r.file, r.line, 0, "there are no variables"}
	}
	for c, line := range r.bounded {
		p.Lower[c], p.Upper[c] = side(p.Lower[c]), side(p.Upper[c])
		if !(p.Lower[c] <= p.Upper[c]) || math.IsInf(p.Lower[c], 1) || math.IsInf(p.Upper[c], -1) {
			return nil, &Error{r.file, line, 0, fmt.Sprintf("variable %s is to be between %v and %v", p.Columns[c], p.Lower[c], p.Upper[c])}
		}
	}
	for k, kind := range r.kinds {
		low, high, span := r.rhs[k], r.rhs[k], math.Abs(r.ranges[k])
		switch {
		case kind == 'E' && r.ranges[k] < 0:
			low -= span
		case kind == 'E':
			high += span
		case kind == 'L' && r.ranged[k]:
			low -= span
		case kind == 'L':
			low = math.Inf(-1)
		case r.ranged[k]:
			high += span
		default:
			high = math.Inf(1)
		}
		if low, high = side(low), side(high); math.IsInf(low, 1) || math.IsInf(high, -1) {
			return nil, &Error{r.file, 0, 0, fmt.Sprintf("row %s is to be between %v and %v", p.Rows[k], low, high)}
		}
		p.Low, p.High = append(p.Low, low), append(p.High, high)
	}
	var err error
	if p.Ptr, p.Col, p.Val, err = r.compress(r.a, len(p.Rows), "of row and variable"); err != nil {
		return nil, err
	}
	if err := r.curvature(); err != nil {
		return nil, err
	}
	if p.Maximise {
		for _, v := range [][]float64{p.P, p.Q, p.HVal} {
			for i := range v {
				v[i] = -v[i]
			}
		}
		p.R = -p.R
	}
	return p, nil
}

// side makes what stands for infinite infinite.
func side(v float64) float64 {
	if math.Abs(v) >= Infinite {
		return math.Inf(int(math.Copysign(1, v)))
	}
	return v
}

// compress sorts entries by row and column and returns them by row.
func (r *reader) compress(all []entry, rows int, what string) (ptr, col []int32, val []float64, err error) {
	slices.SortStableFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col))
	})
	ptr = make([]int32, rows+1)
	for k, e := range all {
		if k > 0 && all[k-1].row == e.row && all[k-1].col == e.col {
			return nil, nil, nil, &Error{r.file, int(e.line), int(e.at), fmt.Sprintf("a second number %s, after line %d", what, all[k-1].line)}
		}
		ptr[e.row+1]++
		col, val = append(col, e.col), append(val, e.val)
	}
	for k := range rows {
		ptr[k+1] += ptr[k]
	}
	return ptr, col, val, nil
}

// curvature makes the Hessian of its entries.
func (r *reader) curvature() error {
	n := len(r.p.Columns)
	ptr, col, val, err := r.compress(r.h, n, "of two variables")
	if err != nil {
		return err
	}
	at := func(i, j int32) float64 {
		k, there := slices.BinarySearch(col[ptr[i]:ptr[i+1]], j)
		if !there {
			return 0
		}
		return val[int(ptr[i])+k]
	}
	var left []entry
	for _, e := range r.h {
		switch {
		case e.row == e.col:
			r.p.P[e.row] = e.val
		case r.whole && at(e.col, e.row) != e.val:
			return &Error{r.file, int(e.line), int(e.at), fmt.Sprintf("QMATRIX is not symmetric: %v here, %v for %s and %s",
				e.val, at(e.col, e.row), r.p.Columns[e.col], r.p.Columns[e.row])}
		case e.row > e.col:
			left = append(left, e)
		}
	}
	if len(left) > 0 {
		r.p.HPtr, r.p.HCol, r.p.HVal, err = r.compress(left, n, "")
	}
	return err
}
