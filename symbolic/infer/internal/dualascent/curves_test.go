package dualascent

import (
	"math"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// curve is one random function of one variable, with the rows behind it.
type curve struct {
	p                       problem.Problem
	quad, lin, lower, upper float64
	coef                    []float64
	c                       curves
}

func randomCurve(rng *rand.Rand, target bool) *curve {
	f := &curve{lower: math.Inf(-1), upper: math.Inf(1)}
	if target {
		f.quad, f.lin, f.lower, f.upper = 0.1+rng.Float64(), rng.NormFloat64(), 0, 1
	}
	f.p.ResizeRows(new(problem.Layout))
	f.c.reset()
	n := rng.IntN(6)
	if !target {
		n++
	}
	for range n {
		kind := []lcqp.Kind{lcqp.HardLE, lcqp.Linear, lcqp.Square, lcqp.Linear, lcqp.Square}[rng.IntN(5)]
		coef := []float64{1, -1, 2, -0.5}[rng.IntN(4)]
		at := float64(rng.IntN(5)) / 4 // ties are likely
		weight, curv := 0.0, 0.0
		switch kind {
		case lcqp.HardLE: // keep 0.5 in the domain
			if (coef > 0) != (at >= 0.5) {
				at = 1 - at
			}
		case lcqp.Linear:
			weight, curv = rng.Float64(), 0.05
		case lcqp.Square:
			curv = 0.5 + rng.Float64()
		}
		addRow(&f.p, kind, -coef*at, weight, curv, coef)
		f.coef = append(f.coef, coef)
	}
	f.c.addAll(&f.p, 0, n)
	if !f.c.end(&f.p, f.quad, f.lin, f.lower, f.upper) {
		panic("empty domain")
	}
	return f
}

// value is f at x, +Inf outside the domain.
func (f *curve) value(x float64) float64 {
	if x < f.lower || x > f.upper {
		return math.Inf(1)
	}
	v := (f.quad*x + f.lin) * x
	for k, coef := range f.coef {
		a := coef*x + f.p.B[k]
		switch {
		case a <= 1e-12:
		case f.p.Kind[k] == lcqp.HardLE:
			return math.Inf(1)
		default:
			v += f.p.Weight[k]*a + f.p.Curv[k]*a*a
		}
	}
	return v
}

// seek must return the minimiser of f(x) − v·x, from any state.
func TestSeekMinimises(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for trial := range 3000 {
		f := randomCurve(rng, trial%3 > 0)
		states := f.c.ptr[1]*2 - 1
		for range 10 {
			v := 3 * rng.NormFloat64()
			if low, high := f.c.limits(0); v <= low || v >= high {
				if x, _, _ := f.c.seek(0, v, 0); v < low && !math.IsInf(x, -1) || v > high && !math.IsInf(x, 1) {
					t.Fatalf("trial %d: place %v beyond the range [%v, %v] at %v", trial, x, low, high, v)
				}
				continue
			}
			x, rate, st := f.c.seek(0, v, int32(rng.IntN(int(states))))
			best := f.value(x) - v*x
			for _, y := range []float64{x - 1e-3, x + 1e-3, rng.Float64(), 4*rng.Float64() - 2} {
				if other := f.value(y) - v*y; other < best-1e-12 {
					t.Fatalf("trial %d: f(x) − vx is %v at %v, but %v at %v", trial, best, x, other, y)
				}
			}
			if again, _, _ := f.c.seek(0, v, st); again != x {
				t.Fatalf("trial %d: %v, then %v", trial, x, again)
			}
			// The rate is the derivative of the place, away from breakpoints.
			h := 1e-7
			up, r1, _ := f.c.seek(0, v+h, st)
			down, r2, _ := f.c.seek(0, v-h, st)
			if r1 == rate && r2 == rate && math.Abs((up-down)/(2*h)-rate) > 1e-6*(1+rate) {
				t.Fatalf("trial %d: rate %v, difference quotient %v", trial, rate, (up-down)/(2*h))
			}
		}
	}
}

// Where the derivative is flat, at level 0, ends must return the whole piece.
func TestReach(t *testing.T) {
	var p problem.Problem
	p.ResizeRows(new(problem.Layout))
	addRow(&p, lcqp.Square, -0.75, 0, 1, 1) // active right of 0.75
	addRow(&p, lcqp.Square, 0.25, 0, 1, -1) // −x + 0.25: active left of 0.25
	addRow(&p, lcqp.HardLE, -2, 0, 0, 1)    // x ≤ 2
	var c curves
	c.reset()
	c.addAll(&p, 0, 3)
	if !c.end(&p, 0, 0, math.Inf(-1), math.Inf(1)) {
		t.Fatal("empty domain")
	}
	for _, start := range []int32{-1, 0, 1, 2, 3, 4} {
		_, _, st := c.seek(0, 0, start)
		if low, high := c.ends(0, 0, st); low != 0.25 || high != 0.75 {
			t.Errorf("places of 0 are [%v, %v], want [0.25, 0.75]", low, high)
		}
		for _, upper := range []bool{false, true} {
			want := 0.25
			if upper {
				want = 0.75
			}
			if x, _, _ := c.seek(0, 0, c.edge(0, 0, st, upper)); x != want {
				t.Errorf("edge at %v, want %v", x, want)
			}
		}
	}
	x, rate, st := c.seek(0, 1, 0) // 2(x − 0.75) = 1
	if low, high := c.ends(0, 1, st); x != 1.25 || rate != 0.5 || low != x || high != x {
		t.Errorf("place of 1 is %v in [%v, %v] with rate %v, want 1.25 and 0.5", x, low, high, rate)
	}
	if low, high := c.limits(0); !math.IsInf(low, -1) || !math.IsInf(high, 1) {
		t.Errorf("range [%v, %v]", low, high)
	}
}

// One-sided hinges and inequalities restrict the sign of the multiplier.
func TestLimits(t *testing.T) {
	for _, test := range []struct {
		kind      lcqp.Kind
		coef      float64
		low, high float64
	}{
		{lcqp.HardLE, 1, 0, math.Inf(1)}, {lcqp.HardLE, -2, math.Inf(-1), 0},
		{lcqp.Square, 1, 0, math.Inf(1)}, {lcqp.Linear, -1, math.Inf(-1), 0},
		{lcqp.HardEQ, 1, math.Inf(-1), math.Inf(1)},
	} {
		var p problem.Problem
		p.ResizeRows(new(problem.Layout))
		addRow(&p, test.kind, -0.5, 1, 0.1, test.coef)
		var c curves
		c.reset()
		c.addAll(&p, 0, 1)
		c.end(&p, 0, 0, math.Inf(-1), math.Inf(1))
		if low, high := c.limits(0); low != test.low || high != test.high {
			t.Errorf("kind %d, σ = %v: [%v, %v], want [%v, %v]", test.kind, test.coef, low, high, test.low, test.high)
		}
	}
}

func TestEmptyDomain(t *testing.T) {
	var p problem.Problem
	p.ResizeRows(new(problem.Layout))
	addRow(&p, lcqp.HardLE, -0.2, 0, 0, 1) // x ≤ 0.2
	addRow(&p, lcqp.HardLE, 0.3, 0, 0, -1) // x ≥ 0.3
	var c curves
	c.reset()
	c.addAll(&p, 0, 2)
	if c.end(&p, 1, 0, 0, 1) {
		t.Error("contradiction not noticed")
	}
	if x, _, _ := c.seek(0, 5, 0); x != 0.25 {
		t.Errorf("place %v, want the middle 0.25", x)
	}
}

// softRate looks beyond the end of a jump only from close by.
func TestSoftRate(t *testing.T) {
	var p problem.Problem
	p.ResizeRows(new(problem.Layout))
	var c curves
	c.reset()
	c.end(&p, 2, 0, 0, 1) // derivative 4x on [0,1]
	for _, test := range []struct{ v, tol, want float64 }{
		{-1, 0.1, 0}, {-0.05, 0.1, 0.25}, {2, 0.1, 0.25}, {4.05, 0.1, 0.25}, {5, 0.1, 0},
	} {
		_, _, st := c.seek(0, test.v, 0)
		if got := c.softRate(0, test.v, st, test.tol); got != test.want {
			t.Errorf("soft rate at %v is %v, want %v", test.v, got, test.want)
		}
	}
}
