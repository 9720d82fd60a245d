package problem

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
)

// recoveryError is the worst product of a bound's multiplier with the distance from
// the bound, of the targets that presolve moved only, and lets NaN through.
func TestRecoveryError(t *testing.T) {
	in := infertest.New(3).EQ(0, 1, -1, 0).Square(1, -0.2, 1, 0, 1).Instance(t, 0.1)
	pre, p, _ := runPresolve(t, in, ReduceMerged)
	pre.Start(p, nil, nil)
	var sol lcqp.Solution
	sol.Resize(in.Template)
	set := func(i int, y, lower, upper float64) { sol.Y[i], sol.LowerDual[i], sol.UpperDual[i] = y, lower, upper }
	for _, c := range []struct {
		i               int
		y, lower, upper float64
		want            float64
	}{
		{0, 0, 5, 0, 0}, {0, 1, 0, 5, 0}, {0, 0.25, 2, 0, 0.5}, {1, 0.25, 0, 2, 1.5}, {1, 0.25, 2, 0.1, 0.5},
		{2, 0.5, 7, 0, 0}, // was left to the method
	} {
		for i := range 3 {
			set(i, 0, 0, 0)
		}
		set(c.i, c.y, c.lower, c.upper)
		assert.Equalf(t, c.want, pre.RecoveryError(&sol), "%+v", c)
	}
	set(0, math.NaN(), 1, 0)
	if got := pre.RecoveryError(&sol); !math.IsNaN(got) {
		t.Errorf("NaN became %v", got)
	}
}
