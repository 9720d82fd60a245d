package lcqp_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// At planted optima the forces on every target balance, and are those of its rows.
func TestForcesBalance(t *testing.T) {
	pushed := 0
	for seed := range uint64(50) {
		k := lcqptest.Random(rand.New(rand.NewPCG(seed, 7)), lcqptest.Shape{Targets: 8, Rows: 24})
		in, sol := k.Instance, &k.Solution
		for i := range in.Targets {
			b := lcqp.Forces(in, sol, i)
			y := sol.Y[i]
			want := 2*in.Epsilon*y + 2*in.Prox[i]*(y-in.Center[i])
			if d := b.Up + b.Down + b.Bound - want; math.Abs(d) > 1e-8*(1+b.Up-b.Down) {
				t.Errorf("seed %d, target %d: %+v is out of balance by %g", seed, i, b, d)
			}
			if rows := len(in.RowsOf(int32(i))); b.Idle+len(b.Forces) != rows {
				t.Errorf("seed %d, target %d: %d idle and %d forces of %d rows", seed, i, b.Idle, len(b.Forces), rows)
			}
			for n, f := range b.Forces {
				if n > 0 && math.Abs(f.Force) > math.Abs(b.Forces[n-1].Force) {
					t.Errorf("seed %d, target %d: force %d is stronger than the one before", seed, i, n)
				}
				pushed++
			}
		}
	}
	if pushed < 500 {
		t.Errorf("only %d forces were seen", pushed)
	}
}
