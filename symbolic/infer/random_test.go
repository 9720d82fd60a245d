package infer

import (
	"math"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

func testRandom(t *testing.T, m Method, seeds uint64, presolve bool) {
	bad := 0
	var res Result
	for seed := range seeds {
		k := lcqptest.Random(rand.New(rand.NewPCG(seed, 7)), lcqptest.Shape{Targets: 15, Rows: 25, Separate: seed%3 == 0})
		if err := Solve(k.Instance, nil, Settings{Method: m, NoPresolve: !presolve}, &res); err != nil {
			t.Fatal(err)
		}
		if res.Status != Solved {
			t.Errorf("seed %d: %v gap %g violation %g", seed, res.Status, res.TotalGap, res.MaxViolation)
			bad++
		} else if r := lcqp.Residuals(k.Instance, &res.Solution); r.Max() > 1e-6 {
			t.Errorf("seed %d: claimed solved but %+v", seed, r)
			bad++
		} else if math.Abs(res.PrimalValue-k.Value) > 1e-6*(1+math.Abs(k.Value)) {
			t.Errorf("seed %d: value %v, want %v", seed, res.PrimalValue, k.Value)
			bad++
		}
		if bad > 15 {
			t.Fatal("too many failures")
		}
	}
}

func TestRandomBCD(t *testing.T) { testRandom(t, DualBCD{}, 1000, true) }
func TestRandomIPM(t *testing.T) { testRandom(t, InteriorPoint{}, 1000, true) }

func TestInfeasible(t *testing.T) {
	var res Result
	for seed := range uint64(1000) {
		in := lcqptest.Infeasible(rand.New(rand.NewPCG(seed, 9)), lcqptest.Shape{Targets: 12, Rows: 12}, 0.01)
		if err := Solve(in, nil, Settings{}, &res); err != nil {
			t.Fatal(err)
		}
		if res.Status != Infeasible {
			t.Errorf("seed %d: status %v, violation %v, dual %v", seed, res.Status, res.MaxViolation, res.DualValue)
			continue
		}
		if m := res.Certificate.Margin(in); !(m > 0) {
			t.Errorf("seed %d: certificate with margin %v", seed, m)
		}
	}
}
