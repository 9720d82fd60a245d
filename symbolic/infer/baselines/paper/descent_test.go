package paper

import (
	"math"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problemtest"
	"hinge/symbolic/lcqp/lcqptest"
)

// Whatever the goroutines do to each other: after each sweep m = Aᵀμ + c, and
// every multiplier is in its domain.
func TestLockFreeKeepsM(t *testing.T) {
	p := problemtest.Raw(infertest.Additions(t, lcqptest.Add1, 1, 3, false)[0])
	x := LockFreeBCD{Workers: 16, RowsPerWorker: 1}.NewSolver().(*descent)
	x.Init(p)
	pull := make([]float64, p.Targets)
	for sweep := range 150 {
		x.Iterate(p)
		p.Pull(x.mu, pull)
		for i, v := range pull {
			alpha, beta := x.alpha[i].value(), x.beta[i].value()
			if alpha < 0 || beta < 0 {
				t.Fatalf("sweep %d: bound multipliers %v and %v", sweep, alpha, beta)
			}
			if d := math.Abs(x.m[i].value() - (v + beta - alpha)); d > 1e-10 {
				t.Fatalf("sweep %d: m[%d] is off by %v", sweep, i, d)
			}
		}
		for k, sigma := range x.sigma {
			if sigma < 0 || p.Kind[k] != 1 && x.mu[k] < 0 {
				t.Fatalf("sweep %d: row %d has μ %v, σ %v", sweep, k, x.mu[k], sigma)
			}
		}
	}
	if p.Stats.BlockUpdates != 150*p.Rows {
		t.Errorf("%d block updates in 150 sweeps of %d blocks", p.Stats.BlockUpdates, p.Rows)
	}
}
