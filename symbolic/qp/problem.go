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
	case len(p.High) != m || len(p.Ptr) != m+1 || p.Ptr[0] != 0 || int(p.Ptr[m]) != len(p.Col) || len(p.Col) != len(p.Val):
		return fmt.Errorf("qp: %d lower and %d upper sides, %d row pointers, %d columns and %d coefficients do not fit together",
			m, len(p.High), len(p.Ptr), len(p.Col), len(p.Val))
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
		high := p.High[k]
		if !(low <= high) || math.IsInf(low, 1) || math.IsInf(high, -1) {
			return fmt.Errorf("qp: row %d is to be between %v and %v", k, low, high)
		}
		if p.Ptr[k+1] < p.Ptr[k] || int(p.Ptr[k+1]) > len(p.Col) {
			return fmt.Errorf("qp: row %d ends at %d, before it begins or behind the last coefficient", k, p.Ptr[k+1])
		}
		last := int32(-1)
		col, val := p.row(k)
		for j, c := range col {
			if c <= last || int(c) >= n {
				return fmt.Errorf("qp: row %d has column %d after %d, of %d", k, c, last, n)
			}
			if math.IsNaN(val[j]) || math.IsInf(val[j], 0) {
				return fmt.Errorf("qp: row %d has the coefficient %v", k, val[j])
			}
			last = c
		}
	}
	return nil
}
