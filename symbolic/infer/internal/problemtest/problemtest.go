// Package problemtest has presolved problems for the tests of methods: of random
// programs (Each), of forms of all lengths (SizesOfForms), and with the rows as they are
// (Raw). Errors fail the test.
package problemtest

import (
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// Each calls f with the presolved components of random problems.
func Each(t *testing.T, seeds uint64, full bool, f func(t *testing.T, seed uint64, p *problem.Problem)) {
	t.Helper()
	level := problem.ReduceFixed
	if full {
		level = problem.ReduceMerged
	}
	for seed := range seeds {
		k := infertest.Known(seed)
		for c := range k.Instance.Components {
			p := presolved(k.Instance, c, level)
			if p == nil {
				t.Fatalf("seed %d: feasible problem called infeasible", seed)
			}
			if p.Targets > 0 {
				f(t, seed, p)
			}
		}
	}
}

// SizesOfForms returns problems whose forms have two, three, four and more
// targets.
func SizesOfForms(t *testing.T, visit func(t *testing.T, p *problem.Problem)) {
	t.Helper()
	Each(t, 80, true, func(t *testing.T, _ uint64, p *problem.Problem) { visit(t, p) })
	for _, in := range infertest.Additions(t, lcqptest.Add2, 2, 12, false) {
		visit(t, presolved(in, 0, problem.ReduceMerged))
	}
}

// Raw returns the first component of an instance with the bounds and
// rows as they are.
func Raw(in *lcqp.Instance) *problem.Problem { return presolved(in, 0, problem.ReduceFixed) }

// presolved returns a component at the start of a method, nil if it is infeasible.
func presolved(in *lcqp.Instance, c int, level problem.Reduction) *problem.Problem {
	pre, p := problem.Presolve{Tol: problem.NeverActive}, new(problem.Problem)
	if !pre.Run(in, c, level, p) {
		return nil
	}
	pre.Start(p, nil, nil)
	p.Expand()
	return p
}
