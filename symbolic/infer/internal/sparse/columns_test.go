package sparse

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Products are those of the rows in turn, with the same bits in all registers and nothing
// written beside them.
func TestProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 10))
	for m := range 6 {
		for k := 1; k < 6; k++ {
			g := make([]float64, 7*Columns)
			for i := range g {
				g[i] = rng.NormFloat64()
			}
			at, val := make([]int, m*k), make([]float64, m*k)
			for i := range at {
				at[i], val[i] = 8*Columns*rng.IntN(7), rng.NormFloat64()
			}
			eachWidth(t, func(name string) {
				out := make([]float64, m*Columns+1)
				out[m*Columns] = 7
				Products(k, at, val, g, out[:m*Columns])
				if out[m*Columns] != 7 {
					t.Fatalf("%s, %d × %d: wrote beside the products", name, m, k)
				}
				for i, v := range out[:m*Columns] {
					want, off := 0.0, 1e-14
					for j := i / Columns * k; j < (i/Columns+1)*k; j++ {
						want = math.FMA(val[j], g[at[j]/8+i%Columns], want)
					}
					if vector() {
						off = 0
					}
					if !(math.Abs(v-want) <= off) {
						t.Fatalf("%s, %d × %d: product %d is %v, want %v", name, m, k, i, v, want)
					}
				}
			})
		}
	}
}
