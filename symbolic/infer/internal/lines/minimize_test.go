package lines

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hinge/symbolic/infer/internal/problem"
)

// cost returns the objective of a component at x, by its definition.
func cost(x, quad, lin float64, hinges []hinge) float64 {
	v := quad*x*x + lin*x
	for _, h := range hinges {
		s := max(0, h.a*x+h.b)
		v += h.jump*s + h.curv*s*s
	}
	return v
}

// least returns the minimum by looking at every piece between two places where a hinge
// begins: at its ends and at the vertex of the parabola through three of its points.
func least(low, up, quad, lin float64, hinges []hinge) float64 {
	ends := []float64{low, up}
	for _, h := range hinges {
		if at := -h.b / h.a; at > low && at < up {
			ends = append(ends, at)
		}
	}
	slices.Sort(ends)
	best := cost(low, quad, lin, hinges)
	for i := 1; i < len(ends); i++ {
		l, r := ends[i-1], ends[i]
		m, half := (l+r)/2, (r-l)/2
		fl, fm, fr := cost(l, quad, lin, hinges), cost(m, quad, lin, hinges), cost(r, quad, lin, hinges)
		best = min(best, fl, fr)
		if bend := fl - 2*fm + fr; bend > 0 {
			x := min(max(m-half*(fr-fl)/(2*bend), l), r)
			best = min(best, cost(x, quad, lin, hinges))
		}
	}
	return best
}

// TestMinimize compares the search with every piece of random functions, many of whose
// hinges begin at the same place or at a bound, and asks the multipliers for a dual value
// equal to the primal one and for the conditions of optimality.
func TestMinimize(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var s search
	for trial := range 5000 {
		low := rng.Float64() / 2
		up := low + rng.Float64()
		quad, lin := math.Pow(10, rng.Float64()*4-3), 8*rng.NormFloat64()
		hinges := make([]hinge, rng.IntN(12))
		for i := range hinges {
			h := &hinges[i]
			h.a = []float64{1, -1, 2, -.5}[rng.IntN(4)]
			at := []float64{low, up, (low + up) / 2, low + rng.Float64()*(up-low), 3 * rng.NormFloat64()}[rng.IntN(5)]
			h.b = -h.a * at
			if rng.IntN(2) == 0 {
				h.jump = 5 * rng.Float64()
			}
			h.curv = 1e-3 + float64(rng.IntN(2))*rng.Float64()
		}
		x := s.minimize(low, up, quad, lin, hinges)
		if !(low <= x && x <= up) {
			t.Fatalf("trial %d: x = %g is outside of [%g, %g]", trial, x, low, up)
		}
		got, want := cost(x, quad, lin, hinges), least(low, up, quad, lin, hinges)
		scale := 1 + math.Abs(want)
		if math.Abs(got-want) > 1e-10*scale {
			t.Fatalf("trial %d: the cost at x = %g is %.12g, the least is %.12g", trial, x, got, want)
		}
		for _, h := range hinges {
			at, rest := max(0, h.a*x+h.b), 1e-9*(1+h.jump)
			if math.Abs(h.slack-at) > 1e-9 {
				t.Fatalf("trial %d: a slack of %g, want %g", trial, h.slack, at)
			}
			if inactive := h.a*x+h.b < -1e-9; inactive && h.dual != 0 || h.dual < 0 || h.dual > h.jump+2*h.curv*at+rest {
				t.Fatalf("trial %d: a multiplier of %g of a hinge with a·x + b = %g and jump %g", trial, h.dual, h.a*x+h.b, h.jump)
			}
		}
		c := component{Line: &problem.Line{Lower: low, Upper: up, Quad: quad, Lin: lin}}
		v := c.evaluate(x, hinges)
		if math.Abs(v.Primal-want) > 1e-10*scale || math.Abs(v.Dual-want) > 1e-8*scale {
			t.Fatalf("trial %d: primal value %.12g and dual value %.12g, want %.12g", trial, v.Primal, v.Dual, want)
		}
	}
}
