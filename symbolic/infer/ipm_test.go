package infer

import (
	"math"
	"slices"
	"testing"

	"hinge/symbolic/lcqp"
)

// The iterate must stay strictly inside and its steps must solve the Newton
// equations: a full step makes the linear ones hold.
func TestInteriorStaysInside(t *testing.T) {
	problems(t, 150, true, func(t *testing.T, seed uint64, p *Problem) {
		var x interiorPoint
		x.Init(p)
		for it := range 60 {
			if x.Iterate(p) == Settled {
				break
			}
			for i := range x.y {
				if !(x.pl[i] > 0 && x.pu[i] > 0 && x.lo[i] > 0 && x.up[i] > 0) {
					t.Fatalf("seed %d, iteration %d: target %d at the border", seed, it, i)
				}
			}
			for n, k := range x.rows.row {
				kind, l := p.Kind[k], n-x.rows.plain
				if kind != lcqp.HardEQ && !(x.rows.mu[n] > 0 && x.rows.t[n] > 0) ||
					kind == lcqp.Linear && !(x.rows.s[l] > 0 && x.rows.sigma[l] > 0) {
					t.Fatalf("seed %d, iteration %d: row %d at the border", seed, it, k)
				}
			}
		}
	})
}

// The direction must satisfy the linearised stationarity of the targets.
func TestInteriorDirection(t *testing.T) {
	problems(t, 100, true, func(t *testing.T, seed uint64, p *Problem) {
		var x interiorPoint
		x.Init(p)
		x.factor(p)
		x.correct(p, 0.01, 0)
		x.direction(p, 0.01, 0, true)
		before, after := make([]float64, p.Targets), make([]float64, p.Targets)
		stationarity := func(out []float64) {
			x.Point(p)
			p.pull(p.Dual, out)
			for i, y := range x.y {
				out[i] += 2*p.Quad[i]*y - x.lo[i] + x.up[i]
			}
		}
		stationarity(before)
		x.move(1)
		stationarity(after)
		for i := range after {
			if math.Abs(after[i]) > 1e-6*(1+math.Abs(before[i])) {
				t.Fatalf("seed %d: stationarity of target %d was %v and is %v after a full step", seed, i, before[i], after[i])
			}
		}
	})
}

// Dependent and contradictory rows must not produce NaN or a false claim.
func TestInteriorDegenerate(t *testing.T) {
	for name, b := range map[string]*build{
		"equal equalities":     newBuild(2).eq(-1, 1, 1).eq(-1, 1, 1).eq(-2, 2, 2).square(1, -0.2, 1, 0),
		"no interior":          newBuild(2).le(-1, 1, 1).le(1, -1, -1).square(1, -0.2, 1, 0),
		"only a corner":        newBuild(2).le(0, 1, 1).square(1, 1, -1, -1),
		"zero weight":          newBuild(2).linear(0, 0.5, 1, -1).square(0, 0.5, 1, 1),
		"tiny and big weights": newBuild(2).linear(1e-6, 0.5, 1, -1).square(1e4, 0.5, -1, 1).eq(-1, 1, 1),
	} {
		for _, m := range []Method{DualBCD{}, InteriorPoint{}} {
			in := b.instance(t, 0.01)
			res := solve(t, in, nil, Settings{Method: m})
			if res.Status != Solved {
				t.Errorf("%s, %s: %v", name, m.Name(), res.Status)
			} else if r := lcqp.Residuals(in, &res.Solution); !(r.Max() < 1e-6*max(1, slices.Max(in.Weights))) {
				t.Errorf("%s, %s: %+v", name, m.Name(), r)
			}
		}
	}
}
