package dualascent

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// Where the derivative is flat, at level 0, ends must return the whole piece.
func TestReach(t *testing.T) {
	var p problem.Problem
	p.ResizeRows(new(problem.Layout))
	addRow(&p, lcqp.Square, -0.75, 0, 1, 1) // active right of 0.75
	addRow(&p, lcqp.Square, 0.25, 0, 1, -1) // −x + 0.25: active left of 0.25
	addRow(&p, lcqp.HardLE, -2, 0, 0, 1)    // x ≤ 2
	var c curves
	c.reset()
	if !c.add(&p, 0, 3, 0, 0, math.Inf(-1), math.Inf(1)) {
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

func TestEmptyDomain(t *testing.T) {
	var p problem.Problem
	p.ResizeRows(new(problem.Layout))
	addRow(&p, lcqp.HardLE, -0.2, 0, 0, 1) // x ≤ 0.2
	addRow(&p, lcqp.HardLE, 0.3, 0, 0, -1) // x ≥ 0.3
	var c curves
	c.reset()
	if c.add(&p, 0, 2, 1, 0, 0, 1) {
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
	c.add(&p, 0, 0, 2, 0, 0, 1) // derivative 4x on [0,1]
	for _, test := range []struct{ v, tol, want float64 }{
		{-1, 0.1, 0}, {-0.05, 0.1, 0.25}, {2, 0.1, 0.25}, {4.05, 0.1, 0.25}, {5, 0.1, 0},
	} {
		_, _, st := c.seek(0, test.v, 0)
		assert.Equalf(t, test.want, c.softRate(0, test.v, st, test.tol), "soft rate at %v", test.v)
	}
}
