package patches

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
)

// randomPoint is a decomposition of one component of a small program, at a random point.
func randomPoint(t *testing.T, rng *rand.Rand, in *lcqp.Instance) *Decomposition {
	t.Helper()
	g, _ := newDecomposition(t, in)
	for _, i := range g.comp.Targets {
		if !g.fixed(i) {
			g.y[i] = rng.Float64()
		}
	}
	for _, row := range g.comp.Rows {
		g.dual[row] = rng.ExpFloat64()
		if in.Kinds[row] == lcqp.HardEQ {
			g.dual[row] = rng.NormFloat64()
		}
	}
	return g
}

// The targets of a row are dirty exactly if the row is off by more than its part of
// what is allowed; fixed ones never are, and none is there twice.
func TestJudge(t *testing.T) {
	rng := rand.New(rand.NewPCG(112, 1))
	in := infertest.New(3).Square(2, -0.5, 1, 1, 1).Linear(1, -0.2, 1, 0, -1).Instance(t, 0.2)
	require.NoError(t, in.Fix(1, 0.5))
	g := randomPoint(t, rng, in)
	g.allowed = 1e-4
	s := &g.task.Tolerance
	for _, c := range []struct {
		r    rowError
		want bool
	}{
		{rowError{}, false},
		{rowError{gap: 0.24 * g.allowed / 2}, false}, {rowError{gap: 0.26 * g.allowed / 2}, true},
		{rowError{violation: 0.49 * s.Violation}, false}, {rowError{violation: 0.51 * s.Violation}, true},
		{rowError{stationarity: 0.49 * s.Stationarity}, false}, {rowError{stationarity: 0.51 * s.Stationarity}, true},
		{rowError{product: 1, primal: 1}, false},
	} {
		g.forget()
		g.judge(0, &c.r)
		g.judge(0, &c.r)
		want := []int32{}
		if c.want {
			want = []int32{0, 2}
		}
		if !slices.Equal(g.dirty, want) && len(g.dirty)+len(want) > 0 {
			t.Errorf("%+v: dirty are %v, want %v", c.r, g.dirty, want)
		}
	}
}

// What check finds at a random point is what the instance's own functions find
// there, and gather recomputes the pull from nothing.
func TestCheckAgainstInstance(t *testing.T) {
	rng := rand.New(rand.NewPCG(113, 1))
	for seed := range uint64(60) {
		in := infertest.Known(seed).Instance
		if len(in.Components) != 1 {
			continue
		}
		g := randomPoint(t, rng, in)
		var sol lcqp.Solution
		sol.Resize(in.Template)
		copy(sol.Y, g.y)
		for i := range g.pull {
			g.pull[i] = rng.NormFloat64() // rubbish
		}
		v := g.check()
		copy(sol.Dual, g.dual)
		violation := 0.0
		for _, row := range g.comp.Rows {
			a := in.B[row]
			for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
				a += in.Val[j] * g.y[in.Col[j]]
			}
			switch {
			case int(row) >= in.Constraints:
				sol.Slack[int(row)-in.Constraints] = max(a, 0)
			case in.Kinds[row] == lcqp.HardEQ:
				violation = max(violation, math.Abs(a))
			default:
				violation = max(violation, a)
			}
		}
		primal, dual := in.Value(&sol)
		if !infertest.Near(v.Primal, primal, 1e-11) || !infertest.Near(v.Dual, dual, 1e-10) || !infertest.Near(v.Violation, violation, 1e-12) {
			t.Errorf("seed %d: %+v, the instance has %v, %v and %v", seed, v, primal, dual, violation)
		}
		for _, i := range g.comp.Targets {
			want := -2 * in.Prox[i] * in.Center[i]
			for row := range in.Rows() {
				for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
					if in.Col[j] == i {
						want += in.Val[j] * g.dual[row]
					}
				}
			}
			if !infertest.Near(g.pull[i], want, 1e-11) {
				t.Errorf("seed %d: pull of target %d is %v, want %v", seed, i, g.pull[i], want)
			}
		}
	}
}
