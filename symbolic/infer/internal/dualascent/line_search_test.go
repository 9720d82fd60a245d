package dualascent

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problem"
)

// blockIsExact maximises the dual over each λ_g in turn and compares with the best
// of the naive dual along that coordinate.
func blockIsExact(t *testing.T, seed uint64, x *Ascent, p *problem.Problem) (steps int) {
	t.Helper()
	for k := range x.lambda {
		f := x.slope(k)
		if f == 0 {
			continue
		}
		steps++
		lambda := slices.Clone(x.lambda)
		along := func(v float64) float64 {
			lambda[k] = v
			return naiveDual(p, lambda)
		}
		got := x.search.maximise(x, k, f)
		if math.IsInf(got, 0) {
			t.Fatalf("seed %d: group %d of a feasible problem rises without end", seed, k)
		}
		if (got-x.lambda[k])*f < 0 {
			t.Errorf("seed %d: group %d went from %v to %v against its slope %v", seed, k, x.lambda[k], got, f)
		}
		width := 1 + 2*math.Abs(got-x.lambda[k])
		low, high := x.rows.limits(k)
		at, best := goldenSection(along, max(got-width, low), min(got+width, high))
		if value := along(got); value < best-1e-9*(1+math.Abs(best)) {
			t.Errorf("seed %d: group %d: dual %.12g at %v, but %.12g at %v", seed, k, value, got, best, at)
		}
		// Take the step, so that the next group starts elsewhere.
		delta := got - x.lambda[k]
		x.lambda[k] = got
		x.placeRow(k)
		for j := x.groups.Ptr[k]; j < x.groups.Ptr[k+1]; j++ {
			x.placeTarget(x.groups.Col[j], x.u[x.groups.Col[j]]+x.groups.Val[j]*delta)
		}
		if rest := x.slope(k); math.Abs(rest) > 1e-9*(1+math.Abs(f)) {
			t.Errorf("seed %d: group %d: slope %v after an exact step from slope %v", seed, k, rest, f)
		}
	}
	return steps
}

// longRow is a problem whose rows of n targets make long searches.
func longRow(t *testing.T, rng *rand.Rand, n int) *problem.Problem {
	t.Helper()
	b := infertest.New(n)
	for range 3 {
		a := make([]float64, n)
		sum := 0.0
		for i := range a {
			a[i] = 0.2 + rng.Float64()
			sum += a[i] / 2
		}
		b.Square(2, -sum*rng.Float64(), a...)
		for i := range a {
			a[i] = -a[i]
		}
		b.Linear(1, sum*(0.5+rng.Float64()), a...)
	}
	for i := range n { // breakpoints of the targets
		a := make([]float64, n)
		a[i] = 1
		b.Linear(0.3, -rng.Float64(), a...)
	}
	pre, p := problem.Presolve{Tol: problem.NeverActive}, new(problem.Problem)
	if !pre.Run(b.Instance(t, 0.05), 0, problem.ReduceMerged, p) {
		t.Fatal("infeasible")
	}
	pre.Start(p, nil, nil)
	return p
}

// Blocks of long rows are exact.
func TestLongRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	steps := 0
	for seed := range uint64(6) {
		p := longRow(t, rng, 34)
		steps += blockIsExact(t, seed, started(rng, p), p)
	}
	if steps < 6 {
		t.Errorf("only %d steps", steps)
	}
}

// A hard row that no point of the box satisfies makes the dual rise without end,
// in the direction of the violation.
func TestBlockOfInfeasibleRow(t *testing.T) {
	for want, b := range map[int]*infertest.Build{
		1:  infertest.New(2).LE(0.5, 1, 1),
		-1: infertest.New(2).EQ(-3, 1, 1),
	} {
		pre, p := problem.Presolve{Tol: 10}, new(problem.Problem) // the tolerance lets it through
		if !pre.Run(b.Square(1, -0.2, 1, 0).Instance(t, 0.1), 0, problem.ReduceFixed, p) {
			t.Fatal("presolve noticed")
		}
		pre.Start(p, nil, nil)
		x := new(Ascent)
		x.Init(p)
		k := 0
		f := x.slope(k)
		if got := x.search.maximise(x, k, f); !math.IsInf(got, want) {
			t.Errorf("λ = %v at slope %v, want infinity of sign %d", got, f, want)
		}
	}
}
