package problem

import (
	"math/rand/v2"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
)

// A problem filled from a list has exactly the rows that were added, whatever their
// order, with their starting multipliers and tags; also when the list is used again.
func TestRowList(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 1))
	var list RowList
	var p Problem
	var tags []int32
	for round := range 30 {
		n := 2 + rng.IntN(12)
		list.Reset(n)
		p.ResizeTargets(n)
		type added struct {
			kind               lcqp.Kind
			a                  []float64
			b, weight, curv, m float64
		}
		var rows []added
		for tag := range rng.IntN(60) {
			r := added{kind: lcqp.Kind(rng.IntN(4)), a: make([]float64, n), b: rng.NormFloat64(), weight: rng.Float64(), curv: rng.Float64(), m: rng.NormFloat64()}
			var col []int32
			var val []float64
			for i := range n {
				if rng.IntN(n) < 2 {
					col, val = append(col, int32(i)), append(val, float64(1+rng.IntN(3)))
				}
			}
			if len(col) == 0 {
				col, val = []int32{int32(rng.IntN(n))}, []float64{-2}
			}
			for j, c := range col {
				r.a[c] = val[j]
			}
			rows = append(rows, r)
			list.Add(r.kind, r.b, r.weight, r.curv, r.m, int32(tag), col, val)
		}
		tags = list.Fill(&p, tags)
		if p.Rows != len(rows) || len(tags) != len(rows) {
			t.Fatalf("round %d: %d rows and %d tags of %d", round, p.Rows, len(tags), len(rows))
		}
		p.Expand()
		y := make([]float64, n)
		for i := range y {
			y[i] = rng.NormFloat64()
		}
		seen := make([]bool, len(rows))
		for k, tag := range tags {
			r := rows[tag]
			if seen[tag] {
				t.Fatalf("round %d: row %d is there twice", round, tag)
			}
			seen[tag] = true
			want := r.b
			for i, v := range r.a {
				want += v * y[i]
			}
			if got := p.Activity(k, y); !infertest.Near(got, want, 1e-12) || p.Kind[k] != r.kind || p.Weight[k] != r.weight ||
				p.Curv[k] != r.curv || p.Dual[k] != r.m {
				t.Errorf("round %d: row %d: activity %v, want %v; %v, %v, %v, multiplier %v of %+v", round, tag, got, want, p.Kind[k], p.Weight[k], p.Curv[k], p.Dual[k], r)
			}
		}
		// The rows are sorted by left-hand side, and equalities have a form.
		for f := range len(p.SidePtr) - 1 {
			for k := p.SidePtr[f]; k < p.SidePtr[f+1]; k++ {
				if f < n && p.Kind[k] == lcqp.HardEQ {
					t.Errorf("round %d: equality %d is not a form", round, k)
				}
				if got, want := p.Coef[k]*p.Side(f, y)+p.B[k], p.Activity(int(k), y); !infertest.Near(got, want, 1e-12) {
					t.Errorf("round %d: row %d is %v by its side, %v by its entries", round, k, got, want)
				}
			}
		}
	}
}
