package hlmrf_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"hinge/symbolic/hlmrf"
)

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
			require.Equalf(t, want, r.At(k, y, g), "row %d", k)
		}
	})
}
