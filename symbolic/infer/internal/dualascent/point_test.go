package dualascent

import (
	"math"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/problemtest"
	"hinge/symbolic/infer/internal/sparse"
	"hinge/symbolic/lcqp"
)

// At any λ the point's multipliers add up to λ by group, as long as y is the
// answer to them; at the optimum, then, they satisfy everything.
func TestPointAddsUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 1))
	problemtest.Each(t, 100, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		x := started(rng, p)
		x.sweep(p)
		x.Point(p)
		for i, y := range p.Y {
			if y != x.y[i] || y < p.Lower[i]-1e-12 || y > p.Upper[i]+1e-12 {
				t.Fatalf("seed %d: y[%d] = %v of %v", seed, i, y, x.y[i])
			}
		}
		for k, lambda := range x.lambda {
			if math.IsInf(x.z[k], 0) {
				continue
			}
			from, to := p.MembersOf(k)
			if sum := sparse.Dot(p.Coef[from:to], p.Dual[from:to]); math.Abs(sum-lambda) > 1e-8*(1+math.Abs(lambda)) {
				t.Errorf("seed %d: the multipliers of group %d add up to %v, want %v", seed, k, sum, lambda)
			}
		}
		for k, mu := range p.Dual {
			if p.Kind[k] != lcqp.HardEQ && mu < -1e-12 {
				t.Errorf("seed %d: multiplier %v of row %d", seed, mu, k)
			}
		}
	})
}

// Two hard rows that leave one target no place get multipliers that prove it, all
// other rows none.
func TestPointOfConflict(t *testing.T) {
	for name, b := range map[string]*infertest.Build{
		"two rows":       infertest.New(1).LE(0.6, -1).LE(-0.4, 1),
		"scaled rows":    infertest.New(1).LE(1.8, -3).LE(-0.2, 0.5),
		"row and bound":  infertest.New(1).LE(1.5, -1),
		"equal and less": infertest.New(1).EQ(-0.7, 1).LE(-0.5, 1),
	} {
		pre, p := problem.Presolve{Tol: 10}, new(problem.Problem) // the tolerance lets it through
		if !pre.Run(b.Square(1, -0.2, 1).Instance(t, 0.1), 0, problem.ReduceFixed, p) {
			t.Fatalf("%s: presolve noticed", name)
		}
		pre.Start(p, nil, nil)
		x := new(Ascent)
		x.Init(p)
		if !x.unbounded && name != "equal and less" {
			t.Errorf("%s: not noticed", name)
			continue
		}
		if len(x.conflict) == 0 {
			continue // an equality is a form of its own; the search finds it
		}
		x.Point(p)
		// Farkas: Σ μ (a·y + b) > 0 for every y of the box.
		least, pull := 0.0, 0.0
		for k, mu := range p.Dual {
			if p.Kind[k] > lcqp.HardEQ && mu != 0 || p.Kind[k] == lcqp.HardLE && mu < 0 {
				t.Errorf("%s: multiplier %v of kind %v", name, mu, p.Kind[k])
			}
			least += mu * p.B[k]
			pull += mu * p.Coef[k]
		}
		if least += min(pull*p.Lower[0], pull*p.Upper[0]); !(least > 0.01) {
			t.Errorf("%s: %v proves nothing", name, p.Dual)
		}
	}
}
