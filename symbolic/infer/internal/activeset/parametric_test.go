package activeset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/problemtest"
	"hinge/symbolic/lcqp"
)

// advance takes the point of p to the optimum.
func (h *parametric) advance(p *problem.Problem) bool {
	return h.fits(p) && (h.straight(p) || h.follow(p))
}

// mustBeOptimal checks the point of p to nearly the last digit.
func mustBeOptimal(t *testing.T, name string, p *problem.Problem) {
	t.Helper()
	v := p.Evaluate(make([]float64, p.Targets))
	if !(v.Violation <= 1e-9) || !(math.Abs(v.Primal-v.Dual) <= 1e-9*(1+math.Abs(v.Dual))) || !(v.Stationarity <= 1e-8) {
		t.Fatalf("%s: %+v after the way was gone", name, v)
	}
}

// From an optimum, from nothing and from nonsense the way leads to the optimum of
// the problem with other constants; where it is given up the start is as it was.
func TestParametricRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	gone, given, kinks, breakpoints := 0, 0, 0, 0
	var h parametric
	problemtest.Each(t, 400, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		by := math.Pow(10, -4*rng.Float64()) / 3
		for round := range 4 {
			switch round {
			case 1: // from the optimum, if round 0 has found it
				for k := range p.B {
					if p.Kind[k] > lcqp.HardEQ {
						p.B[k] += by * (2*rng.Float64() - 1)
					}
				}
			case 2:
				for k := range p.Weight {
					if p.Kind[k] == lcqp.Linear {
						p.Weight[k] *= 0.5 + rng.Float64()
					}
				}
			case 3:
				for k := range p.Dual {
					p.Dual[k] = 3 * max(rng.NormFloat64(), 0)
				}
				for i := range p.Y {
					p.Y[i] = p.Lower[i] + rng.Float64()*(p.Upper[i]-p.Lower[i])
				}
			}
			if !Kinked(p) {
				continue
			}
			kinks++
			before := p.Stats.Breakpoints
			y, dual := append([]float64(nil), p.Y...), append([]float64(nil), p.Dual...)
			ok := h.advance(p)
			n := p.Stats.Breakpoints - before
			breakpoints += n
			if n > mostBreakpoints(p) || n > 50+p.Targets/2 {
				t.Errorf("seed %d: %d breakpoints with %d targets", seed, n, p.Targets)
			}
			if ok {
				gone++
				mustBeOptimal(t, fmt.Sprintf("seed %d, round %d", seed, round), p)
				continue
			}
			given++
			mustStay(t, seed, p, y, dual)
		}
	})
	t.Logf("%d ways gone with %d breakpoints, %d given up", gone, breakpoints, given)
	if gone < 700 || 20*given > kinks || breakpoints < gone {
		t.Errorf("%d of %d given up, %d breakpoints", given, kinks, breakpoints)
	}
}

// Same problem, same start: same bits, whatever the storage has seen before.
func TestParametricDeterministic(t *testing.T) {
	var used parametric
	problemtest.Each(t, 60, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		y, dual := append([]float64(nil), p.Y...), append([]float64(nil), p.Dual...)
		a := used.advance(p)
		y1, dual1 := append([]float64(nil), p.Y...), append([]float64(nil), p.Dual...)
		copy(p.Y, y)
		copy(p.Dual, dual)
		if b := new(parametric).advance(p); a != b {
			t.Fatalf("seed %d: %v and %v", seed, a, b)
		}
		for i, v := range p.Y {
			require.Equalf(t, y1[i], v, "seed %d: target %d", seed, i)
		}
		for k, v := range p.Dual {
			require.Equalf(t, dual1[k], v, "seed %d: multiplier %d", seed, k)
		}
	})
}
