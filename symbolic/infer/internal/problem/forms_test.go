package problem

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
)

// randomForms makes many left-hand sides, among them multiples of earlier ones, and
// returns them with the forms they were found to be.
func randomForms(rng *rand.Rand, targets, sides int) (g *Forms, col [][]int32, val [][]float64, of []int32) {
	g = new(Forms)
	var table formTable
	table.reset(g)
	for n := range sides {
		c, v := []int32{}, []float64{}
		if n > 0 && rng.IntN(3) == 0 {
			k := rng.IntN(n)
			factor := float64(int(1)<<rng.IntN(4)) * float64(1-2*rng.IntN(2)) // exact
			c = slices.Clone(col[k])
			for _, x := range val[k] {
				v = append(v, factor*x)
			}
		} else {
			for i := range targets {
				if rng.IntN(targets) < 3 {
					c, v = append(c, int32(i)), append(v, float64(1+rng.IntN(6))*float64(1-2*rng.IntN(2)))
				}
			}
			if len(c) == 0 {
				c, v = []int32{0}, []float64{1}
			}
		}
		col, val = append(col, c), append(val, v)
		of = append(of, table.find(c, v))
	}
	g.finish(targets)
	return g, col, val, of
}

// Two left-hand sides are one form exactly if one is a multiple of the other, and a
// form times the first coefficient is the left-hand side, however many there are.
func TestFormsAreProportional(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 1))
	g, col, val, of := randomForms(rng, 8, 1200) // the table grows several times
	if g.Len() < 100 || g.Len() >= len(of) {
		t.Fatalf("%d forms of %d left-hand sides", g.Len(), len(of))
	}
	for n, k := range of {
		from, to := g.Ptr[k], g.Ptr[k+1]
		if g.Val[from] != 1 || !slices.Equal(g.Col[from:to], col[n]) {
			t.Fatalf("form %d: %v of %v", k, g.Val[from:to], val[n])
		}
		for j, v := range val[n] {
			if math.Abs(val[n][0]*g.Val[from+int32(j)]-v) > 1e-14*math.Abs(v) {
				t.Fatalf("form %d times %v is not %v", k, val[n][0], val[n])
			}
		}
	}
	proportional := func(n, m int) bool {
		if !slices.Equal(col[n], col[m]) {
			return false
		}
		for j := range val[n] {
			if val[n][j]*val[m][0] != val[m][j]*val[n][0] {
				return false
			}
		}
		return true
	}
	for range 20000 {
		n, m := rng.IntN(len(of)), rng.IntN(len(of))
		if proportional(n, m) != (of[n] == of[m]) {
			t.Fatalf("%v %v and %v %v are forms %d and %d", col[n], val[n], col[m], val[m], of[n], of[m])
		}
	}
}

// apply and spread are adjoint, and both are products by the rows; by target the
// forms are the same matrix.
func TestFormsApply(t *testing.T) {
	rng := rand.New(rand.NewPCG(72, 1))
	const targets = 9
	g, _, _, _ := randomForms(rng, targets, 60)
	dense := make([][targets]float64, g.Len())
	for k := range dense {
		for j := g.Ptr[k]; j < g.Ptr[k+1]; j++ {
			dense[k][g.Col[j]] += g.Val[j]
		}
	}
	for i := range targets {
		seen := 0
		for j := g.ColPtr[i]; j < g.ColPtr[i+1]; j++ {
			seen++
			if dense[g.ColRow[j]][i] != g.ColVal[j] {
				t.Errorf("entry (%d, %d) is %v by target, %v by form", g.ColRow[j], i, g.ColVal[j], dense[g.ColRow[j]][i])
			}
		}
		for k := range dense {
			if dense[k][i] != 0 {
				seen--
			}
		}
		if seen != 0 {
			t.Errorf("target %d has %d entries too many", i, seen)
		}
	}
	for k := range dense {
		y := make([]float64, targets)
		want := 0.0
		for i := range y {
			y[i] = rng.NormFloat64()
			want += dense[k][i] * y[i]
		}
		if got := g.Apply(k, y); !infertest.Near(got, want, 1e-13) {
			t.Errorf("a·y = %v, want %v", got, want)
		}
		out, v := slices.Clone(y), rng.NormFloat64()
		g.Spread(k, v, out)
		for i := range out {
			if !infertest.Near(out[i], y[i]+v*dense[k][i], 1e-13) {
				t.Errorf("target %d: %v, want %v", i, out[i], y[i]+v*dense[k][i])
			}
		}
	}
}

// The range over a box is that over its corners.
func TestFormsBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 1))
	const targets = 6
	g, _, _, _ := randomForms(rng, targets, 40)
	lower, upper, y := make([]float64, targets), make([]float64, targets), make([]float64, targets)
	for i := range lower {
		lower[i] = rng.Float64() - 0.5
		upper[i] = lower[i] + rng.Float64()
	}
	for k := range g.Len() {
		least, most := math.Inf(1), math.Inf(-1)
		for corner := range 1 << targets {
			for i := range y {
				y[i] = lower[i]
				if corner>>i&1 == 1 {
					y[i] = upper[i]
				}
			}
			v := g.Apply(k, y)
			least, most = min(least, v), max(most, v)
		}
		if low, up := g.bounds(k, lower, upper); !infertest.Near(low, least, 1e-13) || !infertest.Near(up, most, 1e-13) {
			t.Errorf("form %d: range [%v, %v], want [%v, %v]", k, low, up, least, most)
		}
	}
}
