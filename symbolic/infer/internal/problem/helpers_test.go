package problem

import (
	"testing"

	"hinge/symbolic/infer/internal/infertest"
)

// Each calls f with the presolved components of random problems.
func Each(t *testing.T, seeds uint64, full bool, f func(t *testing.T, seed uint64, p *Problem)) {
	t.Helper()
	pre, level := Presolve{Tol: NeverActive}, ReduceFixed
	if full {
		level = ReduceMerged
	}
	for seed := range seeds {
		k := infertest.Known(seed)
		for c := range k.Instance.Components {
			p := new(Problem)
			if !pre.Run(k.Instance, c, level, p) {
				t.Fatalf("seed %d: feasible problem called infeasible", seed)
			}
			if p.Targets == 0 {
				continue
			}
			pre.Start(p, nil, nil)
			p.Expand()
			f(t, seed, p)
		}
	}
}
