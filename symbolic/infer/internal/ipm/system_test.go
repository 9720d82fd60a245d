package ipm

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/problemtest"
	"hinge/symbolic/infer/internal/sparse"
)

// underway brings the interior point method some iterations into random problems.
func underway(t *testing.T, seeds uint64, f func(t *testing.T, seed uint64, x *Interior, p *problem.Problem)) {
	t.Helper()
	tried := 0
	problemtest.Each(t, seeds, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		x := new(Interior)
		x.Init(p)
		for range seed % 6 {
			if x.Iterate(p) != problem.Moving {
				return
			}
		}
		tried++
		x.factor(p)
		f(t, seed, x, p)
	})
	if tried < 30 {
		t.Errorf("only %d systems", tried)
	}
}

// The direction is that of the matrix, entry by entry, solved by elimination.
func TestDirectionAgainstElimination(t *testing.T) {
	underway(t, 80, func(t *testing.T, seed uint64, x *Interior, p *problem.Problem) {
		m := &x.system
		theta := x.weightOf[p.Targets:]
		n := m.kkt.N
		dense, unit, column, zero := make([]float64, n*n), make([]float64, n), make([]float64, n), make([]float64, n)
		var all []int32
		for j := range n {
			all = append(all, int32(j))
			clear(unit)
			unit[j] = 1
			m.kkt.Residual(p.Forms, m.diagonal, theta, unit, zero, column)
			for i, v := range column {
				dense[i*n+j] = -v
			}
		}
		want := infertest.Gauss(t, dense, n, all, m.full)
		x.direction(p, 0, 0, true)
		for i, d := range m.sol {
			if math.Abs(d-want[i]) > 1e-6*(1+math.Abs(want[i])) {
				t.Errorf("seed %d: unknown %d is %v, want %v", seed, i, d, want[i])
			}
		}
		assert.Equalf(t, m.sol[:p.Targets], x.dy, "seed %d: the step of the targets is not the solution", seed)
	})
}

// The room of a direction is the longest step, up to 1, that keeps everything
// positive.
func TestDirectionRoom(t *testing.T) {
	cut := 0
	underway(t, 120, func(t *testing.T, seed uint64, x *Interior, p *problem.Problem) {
		room, _ := x.direction(p, 0, 0, true)
		least := func(step float64) float64 {
			v := math.Inf(1)
			see := func(a, d []float64) {
				for i := range a {
					v = min(v, a[i]+step*d[i])
				}
			}
			see(x.pl, x.dpl)
			see(x.pu, x.dpu)
			see(x.lo, x.dlo)
			see(x.up, x.dup)
			n := x.rows.Plain + x.rows.Linear
			see(x.rows.Mu[:n], x.rows.dmu)
			see(x.rows.t[:n], x.rows.dt)
			for l, s := range x.rows.s {
				ds, dsigma := x.rows.slack(l)
				v = min(v, s+step*ds, x.rows.sigma[l]+step*dsigma)
			}
			return v
		}
		if room <= 0 || room > 1 || least(room*(1-1e-9)) < -1e-12 {
			t.Errorf("seed %d: step %v leads to %v", seed, room, least(room))
		}
		if room < 1 {
			cut++
			if v := least(room + 1e-4*(1+room)); v > 0 {
				t.Errorf("seed %d: a longer step than %v is possible: %v", seed, room, v)
			}
		}
	})
	if cut < 20 {
		t.Errorf("only %d steps were cut", cut)
	}
}

// A factor that would not fit is refused before it is made, and the solve says so.
func TestSystemTooLarge(t *testing.T) {
	in := infertest.Known(3).Instance
	pre, p := problem.Presolve{Tol: problem.NeverActive}, new(problem.Problem)
	pre.Run(in, 0, problem.ReduceMerged, p)
	pre.Start(p, nil, nil)
	var x Interior
	x.Limits = sparse.Limits{Fill: 1, Work: 1}
	x.Init(p)
	if !x.tooLarge || x.Iterate(p) != problem.Refused || p.Stats.Factorizations != 0 {
		t.Errorf("too large %v, %d factorisations", x.tooLarge, p.Stats.Factorizations)
	}
	x.Limits = Largest
	x.Init(p)
	if x.tooLarge || x.Iterate(p) == problem.Refused {
		t.Error("a small system is refused")
	}
}
