package primal

import (
	"testing"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// row is one row of a hand-made component.
type row struct {
	kind lcqp.Kind
	col  []int32
	val  []float64
	b    float64
	curv float64
}

// component makes a Problem of n targets in [0, 1] with Quad 0.01.
func component(n int, rows ...row) *problem.Problem {
	p := new(problem.Problem)
	p.ResizeTargets(n)
	for i := range n {
		p.Lower[i], p.Upper[i], p.Quad[i], p.Lin[i], p.Y[i] = 0, 1, 0.01, 0, 0
	}
	var list problem.RowList
	list.Reset(n)
	for k, r := range rows {
		list.Add(r.kind, r.b, 0, r.curv, 0, int32(k), r.col, r.val)
	}
	list.Fill(p, nil)
	p.Expand()
	return p
}

func hinge(col []int32, val []float64, b, curv float64) row {
	return row{lcqp.Square, col, val, b, curv}
}

// TestPairing: which rows make squares.
func TestPairing(t *testing.T) {
	link := []int32{0, 1}
	up, down := []float64{1, -1}, []float64{-1, 1}
	for name, c := range map[string]struct {
		rows      []row
		quadratic bool
	}{
		"a pair":                  {[]row{hinge(link, up, 0.2, 1), hinge(link, down, -0.2, 1)}, true},
		"the pair twice":          {[]row{hinge(link, up, 0, 1), hinge(link, up, 0, 1), hinge(link, down, 0, 1), hinge(link, down, 0, 1)}, true},
		"a pair, turned":          {[]row{hinge(link, down, -0.2, 1), hinge(link, up, 0.2, 1)}, true},
		"another constant":        {[]row{hinge(link, up, 0.2, 1), hinge(link, down, -0.1, 1)}, false},
		"another weight":          {[]row{hinge(link, up, 0, 1), hinge(link, down, 0, 2)}, false},
		"weights crosswise":       {[]row{hinge(link, up, 0, 1), hinge(link, up, 0, 2), hinge(link, down, 0, 2), hinge(link, down, 0, 1)}, true},
		"another coefficient":     {[]row{hinge(link, up, 0, 1), hinge(link, []float64{-1, 2}, 0, 1)}, false},
		"other targets":           {[]row{hinge(link, up, 0, 1), hinge([]int32{0, 2}, down, 0, 1)}, false},
		"longer":                  {[]row{hinge(link, up, 0, 1), hinge([]int32{0, 1, 2}, []float64{-1, 1, 1}, 0, 1)}, false},
		"alone, always active":    {[]row{hinge([]int32{0}, []float64{1}, 0, 1)}, true},
		"alone, never below -0.5": {[]row{hinge([]int32{0}, []float64{-1}, 0.5, 1)}, false},
		"alone by a rounding":     {[]row{hinge([]int32{0}, []float64{1}, -1e-9, 1)}, true},
		"alone of two targets":    {[]row{hinge(link, []float64{1, 2}, 0, 1)}, true},
	} {
		var m model
		if got := m.build(component(3, c.rows...)); got != c.quadratic {
			t.Errorf("%s: quadratic %v", name, got)
		}
	}
}
