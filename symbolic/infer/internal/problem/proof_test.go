package problem

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/symbolic/lcqp"
)

// The rows 0.3·y + 1 ≤ 0 and c·y ≤ 0 with the multipliers 1 and 3 add up to (0.3 + 3c)·y + 1 ≤ 0.
// For c = −0.1 the coefficient is 0 but for rounding, −5.6e-17, and no y will do, however far its
// bounds are; a coefficient that is no rounding, of 3e-12, leaves room within far bounds.
func TestProofRounding(t *testing.T) {
	for _, c := range []struct {
		coef, bound, constant float64
		want                  bool
	}{
		{-0.1, 1, 1, true},
		{-0.1, 1e17, 1, true},
		{-0.1, 1e17, 0, false}, // 0 ≤ 0 holds
		{-0.1 + 1e-12, 1, 1, true},
		{-0.1 + 1e-12, 1e12, 1, false},
		{-0.1 - 1e-12, 1e12, 1, false},
		{-0.1 + 1e-14, 1e14, 1, false}, // 3e-14, just above what counts as rounding
		{-0.1 + 1e-15, 1e15, 1, true},  // 3e-15, just below
		{-0.1 + 1e-9, 1e15, 1e6, true}, // 3e-9 of terms of 1e6
	} {
		p := &Problem{Targets: 1, Rows: 2, Forms: new(Forms), SidePtr: []int32{0, 2}, Kind: []lcqp.Kind{lcqp.HardLE, lcqp.HardLE},
			B: []float64{c.constant, 0}, Coef: []float64{0.3, c.coef}, Lower: []float64{-c.bound}, Upper: []float64{c.bound}}
		s := Presolve{rows: []int32{0, 1}}
		assert.Equal(t, c.want, s.Proves(p, []float64{1, 3}, make([]float64, 1)), "%+v", c)
	}
}
