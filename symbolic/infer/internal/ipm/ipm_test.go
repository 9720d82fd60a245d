package ipm

import (
	"math"
	"testing"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/problemtest"
	"hinge/symbolic/lcqp"
)

// The iterate must stay strictly inside and its steps must solve the Newton
// equations: a full step makes the linear ones hold.
func TestInteriorStaysInside(t *testing.T) {
	problemtest.Each(t, 150, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		var x Interior
		x.Init(p)
		for it := range 60 {
			if x.Iterate(p) == problem.Settled {
				break
			}
			for i := range x.y {
				if !(x.pl[i] > 0 && x.pu[i] > 0 && x.lo[i] > 0 && x.up[i] > 0) {
					t.Fatalf("seed %d, iteration %d: target %d at the border", seed, it, i)
				}
			}
			for n, k := range x.rows.Row {
				kind, l := p.Kind[k], n-x.rows.Plain
				if kind != lcqp.HardEQ && !(x.rows.Mu[n] > 0 && x.rows.t[n] > 0) ||
					kind == lcqp.Linear && !(x.rows.s[l] > 0 && x.rows.sigma[l] > 0) {
					t.Fatalf("seed %d, iteration %d: row %d at the border", seed, it, k)
				}
			}
		}
	})
}

// An interior point that did without a factor makes one again for the next problem that it begins.
func TestFactorAfterNone(t *testing.T) {
	without := 0
	problemtest.Each(t, 100, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		var x Interior
		if !x.BeginInexact(p) {
			return
		}
		without++
		if x.Iterate(p); p.Stats.Factorizations > 0 {
			t.Errorf("seed %d: a factor where there is to be none", seed)
		}
		if !x.Begin(p, Largest) {
			t.Fatalf("seed %d: too large", seed)
		}
		if x.Iterate(p); p.Stats.Factorizations != 1 {
			t.Errorf("seed %d: no factor", seed)
		}
	})
	if without < 20 {
		t.Errorf("%d problems were begun without a factor", without)
	}
}

// From the solution of a problem like it the method has fewer steps to go, to the same
// optimum.
func TestResume(t *testing.T) {
	cold, resumed := 0, 0
	solve := func(x *Interior, p *problem.Problem) (steps int, value float64) {
		for ; steps < 60 && x.Iterate(p) == problem.Moving; steps++ {
		}
		x.Point(p)
		return steps, p.Evaluate(make([]float64, p.Targets)).Dual
	}
	problemtest.Each(t, 100, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		p.Goal = problem.Tolerance{Absolute: 1e-8}
		var x Interior
		x.Begin(p, Largest)
		solve(&x, p)
		for k := range p.B {
			if p.Kind[k] > lcqp.HardEQ {
				p.B[k] += 0.001 * math.Sin(float64(k))
			}
		}
		if !x.Resume(p, Largest) {
			t.Fatalf("seed %d: too large", seed)
		}
		n, warm := solve(&x, p)
		x.Begin(p, Largest)
		m, value := solve(&x, p)
		if cold, resumed = cold+m, resumed+n; math.Abs(value-warm) > 1e-6*(1+math.Abs(value)) {
			t.Errorf("seed %d: value %v, from zero %v", seed, warm, value)
		}
	})
	if t.Logf("%d steps, %d from zero", resumed, cold); 4*resumed > 3*cold {
		t.Errorf("%d steps, %d from zero", resumed, cold)
	}
}
