package subgradient

import (
	"math"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problemtest"
)

// The point handed out is the best one seen by F, never a later and worse one.
func TestSubgradientBest(t *testing.T) {
	p := problemtest.Raw(infertest.Soft(t))
	x := Subgradient{}.NewSolver().(*subgradient)
	x.Init(p)
	least := math.Inf(1)
	for range 200 {
		least = min(least, x.value(p, x.y))
		x.Iterate(p)
		x.Point(p)
		if f := x.value(p, p.Y); f > least+1e-12 {
			t.Fatalf("F = %v handed out, %v was seen", f, least)
		}
	}
}
