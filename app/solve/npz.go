package solve

import (
	"archive/zip"
	"bufio"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"hinge/data/npy"
	"hinge/symbolic/qp/mps"
)

// arrays are those of a file of numpy.
type arrays map[string][]float64

// known are the names of the arrays.
var known = []string{"P_row", "P_col", "P_val", "q", "r", "A_row", "A_col", "A_val", "low", "high", "lower", "upper"}

// readNPZ reads a program from the arrays of numpy.savez or savez_compressed.
func readNPZ(file string) (*mps.Program, error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, err
	}
	defer z.Close() //nolint:errcheck // opened for reading
	all := arrays{}
	for _, f := range z.File {
		name := strings.TrimSuffix(f.Name, ".npy")
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("array %s is none of %v", name, known)
		}
		if all[name], err = readArray(f, name == "r"); err != nil {
			return nil, fmt.Errorf("array %s: %w", name, err)
		}
	}
	return all.program()
}

// readArray reads an array with one axis, or a number.
func readArray(f *zip.File, number bool) ([]float64, error) {
	in, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	shape, values, err := npy.ReadFloat64(bufio.NewReader(in))
	switch {
	case err != nil:
		return nil, err
	case number && len(values) != 1:
		return nil, fmt.Errorf("shape %v, want one number", shape)
	case !number && len(shape) != 1:
		return nil, fmt.Errorf("shape %v, want one axis", shape)
	}
	for i, v := range values {
		if math.IsNaN(v) {
			return nil, fmt.Errorf("number %d is NaN", i)
		}
	}
	return values, nil
}

// program makes the program of the arrays.
func (a arrays) program() (*mps.Program, error) {
	q, there := a["q"]
	if !there || len(q) == 0 {
		return nil, fmt.Errorf("array q is not there or empty; it has the cost of each variable, 0 if there is none")
	}
	n, m := len(q), max(len(a["low"]), len(a["high"]))
	p := &mps.Program{}
	p.Q = q
	if r := a["r"]; len(r) == 1 {
		p.R = r[0]
	}
	var err error
	for _, side := range []struct {
		name  string
		to    *[]float64
		count int
		none  float64
	}{{"low", &p.Low, m, math.Inf(-1)}, {"high", &p.High, m, math.Inf(1)}, {"lower", &p.Lower, n, math.Inf(-1)}, {"upper", &p.Upper, n, math.Inf(1)}} {
		if *side.to, err = a.sides(side.name, side.count, side.none); err != nil {
			return nil, err
		}
	}
	rows, err := a.triples("A", m, n)
	if err != nil {
		return nil, err
	}
	p.Ptr, p.Col, p.Val = byRow(rows, m)
	return p, a.hessian(p)
}

// sides returns an array of n sides; where it is not there all are none.
func (a arrays) sides(name string, n int, none float64) ([]float64, error) {
	v, there := a[name]
	if !there {
		return slices.Repeat([]float64{none}, n), nil
	}
	if len(v) != n {
		return nil, fmt.Errorf("array %s has %d numbers, want %d", name, len(v), n)
	}
	for i := range v {
		if math.Abs(v[i]) >= mps.Infinite {
			v[i] = math.Inf(int(math.Copysign(1, v[i])))
		}
	}
	return v, nil
}

// triple is a number of a sparse matrix.
type triple struct {
	row, col int32
	val      float64
}

// triples returns the numbers of a sparse matrix in order. Those of one place are added up.
func (a arrays) triples(name string, rows, columns int) ([]triple, error) {
	row, col, val := a[name+"_row"], a[name+"_col"], a[name+"_val"]
	if len(row) != len(val) || len(col) != len(val) {
		return nil, fmt.Errorf("arrays %s_row, %s_col and %s_val have %d, %d and %d numbers, want as many of each", name, name, name, len(row), len(col), len(val))
	}
	all := make([]triple, len(val))
	for k, v := range val {
		for _, index := range []struct {
			of   string
			at   float64
			size int
		}{{"row", row[k], rows}, {"col", col[k], columns}} {
			if !(index.at >= 0 && index.at < float64(index.size)) || index.at != math.Trunc(index.at) {
				return nil, fmt.Errorf("array %s_%s: number %d is %v, want a whole one from 0 to %d", name, index.of, k, index.at, index.size-1)
			}
		}
		if math.IsInf(v, 0) {
			return nil, fmt.Errorf("array %s_val: number %d is %v", name, k, v)
		}
		all[k] = triple{int32(row[k]), int32(col[k]), v}
	}
	slices.SortStableFunc(all, compare)
	merged := all[:0]
	for _, t := range all {
		if last := len(merged) - 1; last >= 0 && compare(merged[last], t) == 0 {
			merged[last].val += t.val
		} else {
			merged = append(merged, t)
		}
	}
	return merged, nil
}

func compare(a, b triple) int {
	return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col))
}

// byRow returns sorted triples by row.
func byRow(all []triple, rows int) (ptr, col []int32, val []float64) {
	ptr = make([]int32, rows+1)
	for _, t := range all {
		ptr[t.row+1]++
		col, val = append(col, t.col), append(val, t.val)
	}
	for k := range rows {
		ptr[k+1] += ptr[k]
	}
	return ptr, col, val
}

// hessian sets the Hessian: from all of it, or from one triangle.
func (a arrays) hessian(p *mps.Program) error {
	n := len(p.Q)
	all, err := a.triples("P", n, n)
	if err != nil {
		return err
	}
	p.P = make([]float64, n)
	var left, right []triple
	for _, t := range all {
		switch {
		case t.row == t.col:
			p.P[t.row] = t.val
		case t.col < t.row:
			left = append(left, t)
		default:
			right = append(right, triple{t.col, t.row, t.val})
		}
	}
	slices.SortFunc(right, compare)
	switch {
	case len(left) == 0:
		left = right
	case len(right) > 0 && !slices.Equal(left, right):
		return fmt.Errorf("arrays P_row, P_col and P_val are neither a symmetric matrix nor one triangle of it")
	}
	if len(left) > 0 {
		p.HPtr, p.HCol, p.HVal = byRow(left, n)
	}
	return nil
}
