package infer

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// testRandom solves random problems with known optimum. Every claim to have
// solved one is checked by the independent judge; at most allowed claims may be
// missing, and then the status must say so.
func testRandom(t *testing.T, s Settings, first, seeds uint64, allowed int) {
	t.Helper()
	var res Result
	missing := 0
	for seed := first; seed < first+seeds; seed++ {
		k := infertest.Known(seed)
		require.NoError(t, Solve(k.Instance, nil, s, &res))
		if res.Status != Solved {
			missing++
			t.Logf("seed %d: %v, gap %g, violation %g", seed, res.Status, res.TotalGap, res.MaxViolation)
			continue
		}
		if r := lcqp.Residuals(k.Instance, &res.Solution); !(r.Max() <= 1e-6) {
			t.Errorf("seed %d: claimed to be solved, but %+v", seed, r)
		}
		if !infertest.Near(res.PrimalValue, k.Value, 1e-6) || !infertest.Near(res.DualValue, k.Value, 1e-6) {
			t.Errorf("seed %d: values %v and %v, want %v", seed, res.PrimalValue, res.DualValue, k.Value)
		}
		for i, y := range res.Y {
			// Strong convexity: ε|Δy|² is at most the error in value.
			if math.Abs(y-k.Solution.Y[i]) > math.Sqrt(1e-6*(1+math.Abs(k.Value))/k.Instance.Epsilon) {
				t.Errorf("seed %d: y[%d] = %v, want %v", seed, i, y, k.Solution.Y[i])
			}
		}
	}
	if missing > allowed {
		t.Errorf("%d of %d problems not solved", missing, seeds)
	}
}

// A few thousand each; the slow checks go on with others.
func TestRandomBCD(t *testing.T) { testRandom(t, Settings{}, 0, 4000, 0) }

func TestRandomIPM(t *testing.T) { testRandom(t, Settings{Method: InteriorPoint{}}, 0, 4000, 0) }

func TestRandomWithoutPresolve(t *testing.T) {
	testRandom(t, Settings{NoPresolve: true}, 0, 500, 2)
	testRandom(t, Settings{NoPresolve: true, Method: InteriorPoint{}}, 0, 500, 2)
}

// Bigger ones reach the sparse factorisation, conjugate gradients, the
// bracketing line search and the fallback.
func TestRandomBig(t *testing.T) {
	var total Stats
	for seed := range uint64(6) {
		k := lcqptest.Random(rand.New(rand.NewPCG(seed, 3)), lcqptest.Shape{Targets: 400, Rows: 700})
		res := solve(t, k.Instance, nil, Settings{})
		mustBeSolved(t, k.Instance, res)
		if !infertest.Near(res.PrimalValue, k.Value, 1e-6) {
			t.Errorf("seed %d: value %v, want %v", seed, res.PrimalValue, k.Value)
		}
		total.Add(&res.Stats)
	}
	t.Logf("%+v", total)
}
