package infer

import (
	"slices"
	"testing"

	"hinge/symbolic/lcqp"
)

func TestGroups(t *testing.T) {
	p := Problem{Targets: 3}
	p.resizeTargets(3)
	p.resizeRows()
	add := func(col []int32, val []float64) {
		p.addRow(lcqp.Linear, 0, 1, 1)
		p.Col = append(p.Col, col...)
		p.Val = append(p.Val, val...)
		p.Ptr = append(p.Ptr, int32(len(p.Col)))
	}
	add([]int32{0, 1}, []float64{2, -2})   // group 0, coefficient 2
	add([]int32{1}, []float64{3})          // alone on target 1
	add([]int32{0, 1}, []float64{-1, 1})   // group 0, coefficient −1
	add([]int32{0, 1}, []float64{1, 1})    // group 1
	add([]int32{0, 2}, []float64{1, -1})   // group 2
	add([]int32{1}, []float64{-4})         // alone on target 1
	add([]int32{0, 1}, []float64{0.5, .5}) // group 1
	p.Rows = len(p.Kind)
	p.transpose()
	var g grouping
	for range 2 { // storage is reused
		g.build(&p)
		if g.len() != 3 {
			t.Fatalf("%d groups, want 3", g.len())
		}
		for k, want := range [][]member{{{0, 2}, {2, -1}}, {{3, 1}, {6, 0.5}}, {{4, 1}}} {
			if got := g.members(k); !slices.Equal(got, want) {
				t.Errorf("group %d has members %v, want %v", k, got, want)
			}
		}
		for i, want := range [][]member{nil, {{1, 3}, {5, -4}}, nil} {
			if got := g.single(int32(i)); !slices.Equal(got, want) {
				t.Errorf("target %d has rows %v, want %v", i, got, want)
			}
		}
		if want := []float64{1, -1, 1, 1, 1, -1}; !slices.Equal(g.val, want) {
			t.Errorf("left-hand sides %v, want %v", g.val, want)
		}
		if want := []int32{0, 1, 2, 0, 1, 2}; !slices.Equal(g.colRow, want) {
			t.Errorf("groups by target %v, want %v", g.colRow, want)
		}
	}
}

// Every row of a random problem must be found again, exactly.
func TestGroupsKeepRows(t *testing.T) {
	problems(t, 100, false, func(t *testing.T, seed uint64, p *Problem) {
		var g grouping
		g.build(p)
		seen := 0
		for i := range p.Targets {
			for _, m := range g.single(int32(i)) {
				seen++
				if p.Ptr[m.row+1]-p.Ptr[m.row] != 1 || p.Col[p.Ptr[m.row]] != int32(i) || p.Val[p.Ptr[m.row]] != m.coef {
					t.Fatalf("seed %d: row %d is not alone on target %d", seed, m.row, i)
				}
			}
		}
		for k := range g.len() {
			for _, m := range g.members(k) {
				seen++
				col, val := p.Col[p.Ptr[m.row]:p.Ptr[m.row+1]], p.Val[p.Ptr[m.row]:p.Ptr[m.row+1]]
				if !slices.Equal(col, g.col[g.ptr[k]:g.ptr[k+1]]) {
					t.Fatalf("seed %d: row %d has other targets than its group", seed, m.row)
				}
				for j, v := range g.val[g.ptr[k]:g.ptr[k+1]] {
					if !near(v*m.coef, val[j], 1e-15) {
						t.Fatalf("seed %d: row %d has coefficient %v, its group %v·%v", seed, m.row, val[j], m.coef, v)
					}
				}
			}
		}
		if seen != p.Rows {
			t.Fatalf("seed %d: %d of %d rows grouped", seed, seen, p.Rows)
		}
	})
}
