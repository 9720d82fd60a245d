package qp

import (
	"fmt"
	"math"
)

// Problem is the program of the package comment with n variables and m rows.
type Problem struct {
	// P ≥ 0 is the diagonal of the Hessian, Q the linear and R the constant cost.
	P, Q []float64
	R    float64
	// HPtr, HCol, HVal are the entries of the Hessian left of its diagonal, by row,
	// len(HPtr) = n + 1; columns increase within a row. The Hessian has to be positive
	// semidefinite. Nil means that it is diagonal.
	HPtr, HCol []int32
	HVal       []float64
	// Ptr, Col, Val are A by row, len(Ptr) = m + 1; columns increase within a row.
	Ptr, Col []int32
	Val      []float64
	// Low ≤ A·x ≤ High, one a row; infinite where there is no bound.
	Low, High []float64
	// Lower ≤ x ≤ Upper, one a variable; infinite where there is no bound. Nil means
	// that no variable has one.
	Lower, Upper []float64
}

// bounds returns the bounds of variable i.
func (p *Problem) bounds(i int) (lower, upper float64) {
	lower, upper = math.Inf(-1), math.Inf(1)
	if p.Lower != nil {
		lower = p.Lower[i]
	}
	if p.Upper != nil {
		upper = p.Upper[i]
	}
	return lower, upper
}

// row returns the columns and coefficients of row k.
func (p *Problem) row(k int) ([]int32, []float64) {
	return p.Col[p.Ptr[k]:p.Ptr[k+1]], p.Val[p.Ptr[k]:p.Ptr[k+1]]
}

// check reports what the form cannot carry.
func (p *Problem) check() error {
	n, m := len(p.P), len(p.Low)
	switch {
	case len(p.Q) != n || p.Lower != nil && len(p.Lower) != n || p.Upper != nil && len(p.Upper) != n:
		return fmt.Errorf("qp: P, Q, Lower and Upper have %d, %d, %d and %d entries", n, len(p.Q), len(p.Lower), len(p.Upper))
	case len(p.High) != m:
		return fmt.Errorf("qp: rows have %d lower and %d upper sides", m, len(p.High))
	case math.IsNaN(p.R) || math.IsInf(p.R, 0):
		return fmt.Errorf("qp: the constant cost is %v", p.R)
	}
	for i, v := range p.P {
		lower, upper := p.bounds(i)
		switch {
		case !(v >= 0) || math.IsInf(v, 1):
			return fmt.Errorf("qp: P[%d] is %v: the Hessian has to be ≥ 0 and finite", i, v)
		case math.IsNaN(p.Q[i]) || math.IsInf(p.Q[i], 0):
			return fmt.Errorf("qp: Q[%d] is %v", i, p.Q[i])
		case !(lower <= upper) || math.IsInf(lower, 1) || math.IsInf(upper, -1):
			return fmt.Errorf("qp: variable %d is to be between %v and %v", i, lower, upper)
		}
	}
	for k, low := range p.Low {
		if high := p.High[k]; !(low <= high) || math.IsInf(low, 1) || math.IsInf(high, -1) {
			return fmt.Errorf("qp: row %d is to be between %v and %v", k, low, high)
		}
	}
	if err := checkRows("row", p.Ptr, p.Col, p.Val, m, func(int) int { return n }); err != nil || p.HPtr == nil {
		return err
	}
	return checkRows("Hessian row", p.HPtr, p.HCol, p.HVal, n, func(i int) int { return i })
}

// checkRows reports what is wrong with m sparse rows, of which row k has width(k) columns.
func checkRows(what string, ptr, col []int32, val []float64, m int, width func(k int) int) error {
	if len(ptr) != m+1 || ptr[0] != 0 || int(ptr[m]) != len(col) || len(col) != len(val) {
		return fmt.Errorf("qp: %d of a %s, %d row pointers, %d columns and %d coefficients do not fit together", m, what, len(ptr), len(col), len(val))
	}
	for k := range m {
		if ptr[k+1] < ptr[k] || int(ptr[k+1]) > len(col) {
			return fmt.Errorf("qp: %s %d ends at %d, before it begins or behind the last coefficient", what, k, ptr[k+1])
		}
		last := int32(-1)
		for j := ptr[k]; j < ptr[k+1]; j++ {
			if c := col[j]; c <= last || int(c) >= width(k) {
				return fmt.Errorf("qp: %s %d has column %d after %d, of %d", what, k, c, last, width(k))
			}
			if v := val[j]; math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("qp: %s %d has the coefficient %v", what, k, v)
			}
			last = col[j]
		}
	}
	return nil
}
