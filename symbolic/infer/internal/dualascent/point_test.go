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

// oneCurve is a problem of rows of one target.
func oneCurve(rng *rand.Rand, rows int) *problem.Problem {
	p := new(problem.Problem)
	p.ResizeTargets(1)
	p.Lower[0], p.Upper[0], p.Quad[0], p.Lin[0] = 0, 1, 0.1, rng.NormFloat64()
	p.ResizeRows(&problem.Layout{Free: 1, Forms: &problem.Forms{Ptr: []int32{0}}})
	for range rows {
		coef := 0.3 + rng.Float64()
		if rng.IntN(2) == 0 {
			coef = -coef
		}
		at := float64(rng.IntN(5)) / 4
		switch rng.IntN(3) {
		case 0:
			addRow(p, lcqp.Square, -coef*at, 0, 0.5+rng.Float64(), coef)
		case 1:
			addRow(p, lcqp.Linear, -coef*at, 0.5+rng.Float64(), 0.1, coef)
		default: // leave ¼ to ¾
			if at = 0; coef > 0 {
				at = 1
			}
			addRow(p, lcqp.HardLE, -coef*at, 0, 0, coef)
		}
	}
	p.SidePtr = append(p.SidePtr, int32(rows))
	return p
}

// share hands out multipliers that add up to the total whenever some do, each one
// possible for its row at that place: the derivative of its cost, anything between
// 0 and the weight at the kink of a linear hinge, anything ≥ 0 of a tight hard row.
func TestShare(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 1))
	shared := 0
	for range 2000 {
		p := oneCurve(rng, 1+rng.IntN(6))
		var c curves
		c.reset()
		c.add(p, 0, p.Rows, p.Quad[0], p.Lin[0], 0, 1)
		at := float64(rng.IntN(9)) / 8
		// What the rows can add up to.
		low, high := 0.0, 0.0
		limits := func(k int) (lo, hi float64) {
			a := p.Coef[k]*at + p.B[k]
			switch {
			case p.Kind[k] == lcqp.HardLE && math.Abs(a) < 1e-12:
				return 0, math.Inf(1)
			case p.Kind[k] == lcqp.HardLE:
				return 0, 0
			case p.Kind[k] == lcqp.Linear && math.Abs(a) < 1e-12:
				return 0, p.Weight[k]
			case a <= 0:
				return 0, 0
			}
			v := p.Weight[k] + 2*p.Curv[k]*a
			return v, v
		}
		for k := range p.Rows {
			lo, hi := limits(k)
			if p.Coef[k] > 0 {
				low, high = low+p.Coef[k]*lo, high+p.Coef[k]*hi
			} else {
				low, high = low+p.Coef[k]*hi, high+p.Coef[k]*lo
			}
		}
		total := max(low, -20) + (min(high, 20)-max(low, -20))*rng.Float64()
		share(p, c.rowsOf(0), at, total)
		sum := 0.0
		for k, mu := range p.Dual {
			lo, hi := limits(k)
			if mu < lo-1e-9 || mu > hi+1e-9 {
				t.Fatalf("row %d of kind %v at %v: multiplier %v outside [%v, %v]", k, p.Kind[k], p.Coef[k]*at+p.B[k], mu, lo, hi)
			}
			sum += p.Coef[k] * mu
		}
		if low < high {
			shared++
		}
		if math.Abs(sum-total) > 1e-9*(1+math.Abs(total)) {
			t.Fatalf("multipliers add up to %v, want %v", sum, total)
		}
	}
	if shared < 300 {
		t.Errorf("only %d places had a choice", shared)
	}
}

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
