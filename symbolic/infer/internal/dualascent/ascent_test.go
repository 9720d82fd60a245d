package dualascent

import (
	"math"
	"testing"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/problemtest"
)

// A block step is exact: afterwards the partial derivative is 0.
func TestBlocksAreExact(t *testing.T) {
	problemtest.Each(t, 200, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		var x Ascent
		x.Init(p)
		for k := range x.lambda {
			f := x.slope(k)
			if f == 0 {
				continue
			}
			lambda := x.search.maximise(&x, k, f)
			delta := lambda - x.lambda[k]
			x.lambda[k] = lambda
			x.placeRow(k)
			g := x.groups
			for j := g.Ptr[k]; j < g.Ptr[k+1]; j++ {
				x.placeTarget(g.Col[j], x.u[g.Col[j]]+g.Val[j]*delta)
			}
			if rest := x.slope(k); math.Abs(rest) > 1e-9*(1+math.Abs(f)) {
				t.Fatalf("seed %d: block %d had derivative %v and has %v", seed, k, f, rest)
			}
			if delta*f < 0 {
				t.Fatalf("seed %d: block %d moved by %v against its derivative %v", seed, k, delta, f)
			}
		}
	})
}
