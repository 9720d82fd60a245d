package subgradient

import (
	"math"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problemtest"
)

// The point handed out is the best one seen by F, never a later and worse one.
func TestSubgradientBest(t *testing.T) {
	b := infertest.New(12) // without hard constraints: the 1/t rate has a constant that does not hide it
	pull, push := b.Rule(1, false), b.Rule(0.7, true)
	for i := range int32(12) {
		b.Soft(pull, 0.1+0.05*float64(i), []int32{i}, -1)
		if i > 0 {
			b.Soft(push, -0.2, []int32{i - 1, i}, 1, 1)
		}
	}
	p := problemtest.Raw(b.Instance(t, 0.5))
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
