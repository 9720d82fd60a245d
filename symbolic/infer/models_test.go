package infer

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp/lcqptest"
)

func results(n int) []*Result {
	r := make([]*Result, n)
	for i := range r {
		r[i] = new(Result)
	}
	return r
}

// The additions of the paper, from outputs that know nothing to nearly one-hot
// ones, full and latent.
func TestAdditions(t *testing.T) {
	for _, c := range []struct {
		name  string
		make  func(float64) *lcqptest.Addition
		n     int
		label bool
	}{
		{"add1", lcqptest.Add1, 40, false}, {"add1 latent", lcqptest.Add1, 40, true},
		{"add2", lcqptest.Add2, 10, false}, {"add2 latent", lcqptest.Add2, 20, true},
	} {
		for _, margin := range []float64{0, 3, 12} {
			t.Run(fmt.Sprintf("%s, margin %v", c.name, margin), func(t *testing.T) {
				ins := infertest.Additions(t, c.make, c.n, margin, c.label)
				s, res := total(t, ins, nil)
				for i, r := range res {
					check := solve(t, ins[i], nil, Settings{Method: InteriorPoint{}})
					if !infertest.Near(r.PrimalValue, check.PrimalValue, 1e-7) {
						t.Errorf("%d: value %v, interior point %v", i, r.PrimalValue, check.PrimalValue)
					}
				}
				t.Logf("%v %+v", res[0].Runtime, s)
			})
		}
	}
}

// Latent inference must be solved by presolve and at most a step or two: it is
// done hundreds of times in a step of learning.
func TestLatentIsCheap(t *testing.T) {
	s, _ := total(t, infertest.Additions(t, lcqptest.Add1, 20, 3, true), nil)
	if s.Iterations != 0 || s.RowsLeft != 0 {
		t.Errorf("add1: %+v", s)
	}
	s, _ = total(t, infertest.Additions(t, lcqptest.Add2, 20, 3, true), nil)
	if s.TargetsLeft != 20 || s.Iterations != 0 {
		t.Errorf("add2: %+v", s)
	}
}

// A graph of links is one component of thousands of targets: conjugate
// gradients and the bracketing line search.
func TestLinks(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	edges := path(1400)
	for range 1400 {
		a := rng.IntN(1400 - 20)
		edges = append(edges, [2]int{a, a + 1 + rng.IntN(19)})
	}
	for _, eps := range []float64{1, 1e-3} {
		in := linked(t, 1400, edges, 1, eps)
		res := solve(t, in, nil, Settings{Method: Auto{Begin: ByAscent}})
		t.Logf("%v %+v", res.Runtime, res.Stats)
		mustBeSolved(t, in, res)
		if res.Stats.Krylov == 0 {
			t.Error("no conjugate gradients")
		}
	}
}
