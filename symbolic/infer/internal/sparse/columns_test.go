package sparse

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Larger finds the rows with a sum above their bound, in all registers with the same bits of the
// sums, and writes nothing behind the room of all rows.
func TestLarger(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 10))
	kept, all := 0, 0
	for m := range 20 {
		for k := range 6 {
			g := make([]float64, 7*Columns)
			for i := range g {
				g[i] = rng.NormFloat64()
			}
			terms := make([]float64, 3*(k+2))
			for i := range terms {
				if terms[i] = rng.NormFloat64(); i%(k+2) == 0 {
					terms[i] = 1.5 * math.Sqrt(float64(k)+1) * (1 + terms[i]/4)
				}
			}
			var rows []int32
			for range m {
				rows = append(rows, int32(8*(k+2)*rng.IntN(3)))
				for range k {
					rows = append(rows, int32(8*Columns*rng.IntN(7)))
				}
			}
			eachWidth(t, func(name string) {
				found, out := make([]int, m+1), make([]float64, m*Columns+1)
				found[m], out[m*Columns] = 7, 7
				n := Larger(k, 5, rows, terms, g, found[:m], out[:m*Columns])
				if found[m] != 7 || out[m*Columns] != 7 {
					t.Fatalf("%s, %d × %d: wrote beside the room", name, m, k)
				}
				at := 0
				for r := range m {
					row := rows[r*(k+1) : (r+1)*(k+1)]
					x := terms[row[0]/8:]
					var sums [Columns]float64
					larger := false
					for l := range sums {
						sums[l] = x[1]
						for j, at := range row[1:] {
							sums[l] = math.FMA(x[2+j], g[int(at)/8+l], sums[l])
						}
						larger = larger || sums[l] > x[0]
					}
					if all++; !larger {
						continue
					}
					kept++
					if at >= n || found[at] != 5+r {
						t.Fatalf("%s, %d × %d: row %d is not found: %v", name, m, k, r, found[:n])
					}
					for l, want := range sums {
						v, off := out[at*Columns+l], 1e-14
						if vector() {
							off = 0
						}
						if !(math.Abs(v-want) <= off) {
							t.Fatalf("%s, %d × %d: sum %d of row %d is %v, want %v", name, m, k, l, r, v, want)
						}
					}
					at++
				}
				if at != n {
					t.Fatalf("%s, %d × %d: found %d rows, %d are larger", name, m, k, n, at)
				}
			})
		}
	}
	if kept < all/8 || kept > all-all/8 {
		t.Errorf("%d of %d rows are kept: too few or too many for a test", kept, all)
	}
}
