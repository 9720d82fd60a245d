package dualascent

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/problemtest"
)

// W holds the groups that are not at rest inside a flat piece, with the slopes
// there.
func TestNewtonCollects(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	resting := 0
	problemtest.Each(t, 100, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		x := started(rng, p)
		if seed%2 == 0 {
			x.sweep(p)
		}
		w := &x.newton
		more := w.collect(x)
		largest := 0.0
		for k := range x.lambda {
			f, flat := x.slope(k), x.low[k] < x.high[k]
			largest = max(largest, math.Abs(f))
			at := slices.Index(w.active, int32(k))
			if (at < 0) != (f == 0 && flat) {
				t.Errorf("seed %d: group %d of slope %v, flat %v, is at %d of W", seed, k, f, flat, at)
			}
			if at < 0 {
				resting++
				continue
			}
			if w.active[at] != int32(k) || w.f[at] != f {
				t.Errorf("seed %d: place %d of W is group %d of slope %v, want %d of %v", seed, at, w.active[at], w.f[at], k, f)
			}
		}
		if w.largest != largest || more != (largest > 0) {
			t.Errorf("seed %d: largest slope %v, more %v; want %v", seed, w.largest, more, largest)
		}
		if far := math.IsInf(w.longest, 1); far != (largest > problem.NeverActive) || w.damping > 1e-3 || w.damping < 1e-12 {
			t.Errorf("seed %d: search up to %v and damping %v at slope %v", seed, w.longest, w.damping, largest)
		}
	})
	if resting == 0 {
		t.Error("no group was at rest")
	}
}

// M is minus the Hessian of the dual: where no curve leaves its piece, a small step
// along d changes the slopes by −M·d.
func TestNewtonMatrixIsHessian(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	tried := 0
	problemtest.Each(t, 150, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		x := started(rng, p)
		w := &x.newton
		if !w.collect(x) {
			return
		}
		w.system.assemble(x, p, w.active, 0)
		n := len(w.active)
		m := naiveSystem(&w.system)
		d := make([]float64, n)
		for r := range d {
			d[r] = rng.NormFloat64()
		}
		// The product by the factors is that of the matrix.
		all, product := make([]int32, n), make([]float64, n)
		for r := range all {
			all[r] = int32(r)
		}
		w.system.restrict(all)
		w.system.times(all, d, product)
		for r, got := range product {
			want := 0.0
			for q, v := range d {
				want += m[r*n+q] * v
			}
			if !infertest.Near(got, want, 1e-11) {
				t.Fatalf("seed %d: (M·d)[%d] = %v, want %v", seed, r, got, want)
			}
			if pivot := w.system.pivot[r]; !infertest.Near(pivot, m[r*n+r], 1e-12) {
				t.Errorf("seed %d: pivot %d is %v, want %v", seed, r, pivot, m[r*n+r])
			}
		}
		const h = 1e-6
		f := slices.Clone(w.f)
		states, rows := slices.Clone(x.state), slices.Clone(x.rowState)
		for r, k := range w.active {
			x.lambda[k] += h * d[r]
		}
		x.refresh()
		if !slices.Equal(states, x.state) || !slices.Equal(rows, x.rowState) {
			return // a piece has ended
		}
		for r, k := range w.active {
			if x.low[k] != x.high[k] || math.IsInf(x.z[k], 0) {
				continue
			}
			_, rate, _ := x.rows.seek(int(k), x.lambda[k], x.rowState[k])
			if rate == 0 && w.system.diag[r] != 0 || m[r*n+r] == 0 {
				continue // at the edge of a jump M has the curvature beyond it
			}
			soft := false
			for j := x.groups.Ptr[k]; j < x.groups.Ptr[k+1]; j++ {
				i := x.groups.Col[j]
				soft = soft || x.rate[i] != w.system.rate[i]
			}
			if soft {
				continue
			}
			want := 0.0
			for q := range d {
				want -= m[r*n+q] * d[q]
			}
			tried++
			if got := (x.slope(int(k)) - f[r]) / h; math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("seed %d: the slope of group %d changes by %v a unit, M says %v", seed, k, got, want)
			}
		}
	})
	if tried < 50 {
		t.Errorf("only %d slopes", tried)
	}
}

// The step is uphill and stays in the domain; over the multipliers inside it, it solves
// with the matrix, unless it is cut off, and leaves the others where they are.
func TestNewtonDirection(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 1))
	solved, cut := 0, 0
	problemtest.Each(t, 200, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		x := started(rng, p)
		w := &x.newton
		if !w.collect(x) {
			return
		}
		for r := range w.f { // as at the end of a solve, where solutions are exact
			w.f[r] *= 1e-8
		}
		w.system.assemble(x, p, w.active, 1e-2)
		uphill := w.direction(x, p)
		if got := w.gain() > 0; got != uphill {
			t.Errorf("seed %d: gain %v, uphill %v", seed, w.gain(), uphill)
		}
		inside, clipped := 0, false
		for r, k := range w.active {
			low, high := x.rows.limits(int(k))
			to := x.lambda[k] + w.d[r]
			if to < low-1e-15 || to > high+1e-15 {
				t.Errorf("seed %d: the step ends at %v outside [%v, %v]", seed, to, low, high)
			}
			if x.lambda[k] <= low || x.lambda[k] >= high {
				if w.d[r] != 0 {
					t.Errorf("seed %d: a multiplier at the end of its domain moves by %v", seed, w.d[r])
				}
				continue
			}
			clipped = clipped || w.d[r] != w.rhs[inside]
			inside++
		}
		switch {
		case inside == 0 || w.system.inexact:
			return
		case clipped:
			cut++
			return
		}
		solved++
		rhs := make([]float64, inside)
		for a, r := range w.free {
			rhs[a] = w.f[r]
		}
		want := infertest.Gauss(t, naiveSystem(&w.system), len(w.active), w.free, rhs)
		scale := 0.0
		for _, v := range want {
			scale = max(scale, math.Abs(v))
		}
		for a, r := range w.free {
			if math.Abs(w.d[r]-want[a]) > 1e-3*scale {
				t.Errorf("seed %d: step %v, want %v of %v", seed, w.d[r], want[a], scale)
			}
		}
	})
	if solved < 50 {
		t.Errorf("%d steps were compared, %d were cut off", solved, cut)
	}
}

// Steps never lower the dual, and refused ones are tried ever less often.
func TestNewtonStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	taken := 0
	problemtest.Each(t, 100, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		x := started(rng, p)
		before := naiveDual(p, x.lambda)
		x.newton.step(x, p)
		if x.unbounded {
			t.Fatalf("seed %d: a feasible problem is called infeasible", seed)
		}
		if after := naiveDual(p, x.lambda); after < before-1e-9*(1+math.Abs(before)) {
			t.Errorf("seed %d: the dual falls from %v to %v", seed, before, after)
		}
		taken += p.Stats.Newton
	})
	if taken < 50 {
		t.Errorf("only %d steps", taken)
	}
	// At the optimum there is no step: pauses double up to 32.
	in := infertest.New(2).Square(1, -0.5, 1, 1).Square(1, 0.5, -1, -1).Instance(t, 0.1)
	pre, p := problem.Presolve{Tol: problem.NeverActive}, new(problem.Problem)
	pre.Run(in, 0, problem.ReduceMerged, p)
	pre.Start(p, nil, nil)
	x := new(Ascent)
	x.Init(p)
	for range 50 {
		x.sweep(p)
	}
	w := &x.newton
	w.reset()
	want := 1
	for n := range 8 {
		if x.slope(0) != 0 {
			t.Fatal("not at the optimum")
		}
		w.step(x, p)
		if p.Stats.Rejected != n+1 || w.pause != want {
			t.Fatalf("refusal %d: %d counted, pause %d, want %d", n, p.Stats.Rejected, w.pause, want)
		}
		for k := range want {
			if w.due() {
				t.Fatalf("due after %d sweeps of a pause of %d", k+1, want)
			}
		}
		if !w.due() {
			t.Fatalf("not due after a pause of %d", want)
		}
		want = min(2*want, 32)
	}
}

// Steps end with one that gains no more than the gap may be, and so there are fewer; what
// is left then is of that size at most: the driver tests it.
func TestNewtonReady(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 1))
	const gap = 1e-4
	taken, all, ended := 0, 0, 0
	problemtest.Each(t, 100, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		x := started(rng, p)
		start := slices.Clone(x.lambda)
		p.Goal.Absolute = gap
		_, ready := x.newton.step(x, p)
		soon, value := p.Stats.Newton, naiveDual(p, x.lambda)
		copy(x.lambda, start)
		x.refresh()
		p.Goal.Absolute = 0
		x.newton.step(x, p)
		if !ready {
			return
		}
		ended++
		taken, all = taken+soon, all+p.Stats.Newton-soon
		if left := naiveDual(p, x.lambda) - value; left > 20*gap {
			t.Errorf("seed %d: %v was left", seed, left)
		}
	})
	if ended < 30 || taken >= all {
		t.Errorf("%d ended, with %d steps instead of %d", ended, taken, all)
	}
}

// Costly steps must pay sooner.
func TestNewtonPatience(t *testing.T) {
	w := new(newton)
	for active, want := range map[int]int{1: 403, 4: 103, smallSystem: 9, smallSystem + 1: 1} {
		w.active = make([]int32, active)
		assert.Equalf(t, want, w.patience(), "%d groups: patience", active)
	}
}
