package problem

import (
	"math"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
)

func runPresolve(t *testing.T, in *lcqp.Instance, level Reduction) (*Presolve, *Problem, bool) {
	t.Helper()
	pre, p := &Presolve{Tol: NeverActive}, new(Problem)
	ok := pre.Run(in, 0, level, p)
	return pre, p, ok
}

// Contradictions that presolve finds come with a valid proof.
func TestPresolveContradictions(t *testing.T) {
	for name, b := range map[string]*infertest.Build{
		"one row":             infertest.New(2).LE(0.5, 1, 1),
		"equality too small":  infertest.New(2).EQ(-3, 1, 1),
		"equality too big":    infertest.New(2).EQ(3, 1, -1),
		"two equalities":      infertest.New(1).EQ(-0.25, 1).EQ(-0.5, 1),
		"chain":               infertest.New(3).EQ(-1, 1, 0, 0).EQ(0, 1, -1, 0).EQ(0, 0, 1, -1).LE(-0.5, 0, 0, 1),
		"chain of equalities": infertest.New(3).EQ(-0.3, 1, 0, 0).EQ(-1, 1, 2, 0).EQ(-1, 0, 1, 1).EQ(-0.1, 0, 0, 1),
	} {
		in := b.Square(1, -0.5, 1).Instance(t, 0.1)
		pre, _, ok := runPresolve(t, in, ReduceMerged)
		if ok {
			t.Errorf("%s: not noticed", name)
			continue
		}
		c := pre.Certificate()
		if m := c.Margin(in); !(m > 1e-9) {
			t.Errorf("%s: margin %v of %+v", name, m, c)
		}
	}
}

// The range of a form over a box is that over its corners.
func TestFormsBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 1))
	const targets = 6
	g := new(Forms)
	var table formTable
	table.reset(g)
	for range 40 {
		var col []int32
		var val []float64
		for i := range int32(targets) {
			if rng.IntN(2) == 0 || i == targets-1 && len(col) == 0 {
				col, val = append(col, i), append(val, rng.NormFloat64())
			}
		}
		table.find(col, val)
	}
	g.finish(targets)
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
