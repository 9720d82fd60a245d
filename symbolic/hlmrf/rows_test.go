package hlmrf_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"hinge/symbolic/hlmrf"
)

func TestRows(t *testing.T) {
	var r hlmrf.Rows
	if r.Len() != 0 {
		t.Errorf("zero value has %d rows", r.Len())
	}
	r.Append(nil, nil, nil, nil, 7)
	col, val := []int32{1, 4}, []float64{2, -3}
	r.Append(col, val, []int32{0}, []float64{5}, -1)
	col[0], val[0] = 9, 9 // Append copies
	if r.Len() != 2 {
		t.Fatalf("%d rows", r.Len())
	}
	if c, v := r.Row(0); len(c) != 0 || len(v) != 0 {
		t.Errorf("row 0 is %v %v", c, v)
	}
	if c, v := r.Row(1); !slices.Equal(c, []int32{1, 4}) || !slices.Equal(v, []float64{2, -3}) {
		t.Errorf("row 1 is %v %v", c, v)
	}
	if c, v := r.DeepRow(1); !slices.Equal(c, []int32{0}) || !slices.Equal(v, []float64{5}) {
		t.Errorf("deep row 1 is %v %v", c, v)
	}
	y, g := []float64{9, 1, 9, 9, 10}, []float64{100}
	if v := r.At(0, y, g); v != 7 {
		t.Errorf("row 0 is %v", v)
	}
	if v := r.At(1, y, g); v != 2*1-3*10+5*100-1 {
		t.Errorf("row 1 is %v", v)
	}
}

// Whatever is appended comes back, and At is the affine function it stands
// for.
func TestRowsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r hlmrf.Rows
		type row struct {
			col  []int32
			val  []float64
			deep []int32
			dval []float64
			k    float64
		}
		columns := rapid.SliceOfNDistinct(rapid.Int32Range(0, 9), 0, 5, rapid.ID[int32])
		number := rapid.Float64Range(-4, 4)
		var rows []row
		for range rapid.IntRange(0, 12).Draw(t, "rows") {
			w := row{col: columns.Draw(t, "col"), deep: columns.Draw(t, "deep"), k: number.Draw(t, "k")}
			slices.Sort(w.col)
			slices.Sort(w.deep)
			for range w.col {
				w.val = append(w.val, number.Draw(t, "val"))
			}
			for range w.deep {
				w.dval = append(w.dval, number.Draw(t, "dval"))
			}
			rows = append(rows, w)
			r.Append(w.col, w.val, w.deep, w.dval, w.k)
		}
		y, g := make([]float64, 10), make([]float64, 10)
		for i := range y {
			y[i], g[i] = number.Draw(t, "y"), number.Draw(t, "g")
		}
		for k, w := range rows {
			c, v := r.Row(k)
			dc, dv := r.DeepRow(k)
			if !slices.Equal(c, w.col) || !slices.Equal(v, w.val) || !slices.Equal(dc, w.deep) || !slices.Equal(dv, w.dval) {
				t.Fatalf("row %d: %v %v %v %v, want %+v", k, c, v, dc, dv, w)
			}
			want := w.k
			for j, i := range w.col {
				want += w.val[j] * y[i]
			}
			for j, i := range w.deep {
				want += w.dval[j] * g[i]
			}
			if got := r.At(k, y, g); got != want {
				t.Fatalf("row %d is %v, want %v", k, got, want)
			}
		}
	})
}
