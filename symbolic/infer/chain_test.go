package infer

import (
	"math/rand/v2"
	"testing"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
)

// chain returns n targets in a row: squared hinges pull neighbours together,
// linear hinges pull each target to an observation, every fifth pair must not
// add up to more than 1.2. It is one component.
func chain(t testing.TB, n int, epsilon float64) *lcqp.Instance {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(n), 21))
	s := infertest.New(n)
	smooth, anchor := s.Rule(1, true), s.Rule(0.5, false)
	for i := range int32(n) {
		o := rng.Float64()
		s.Soft(anchor, -o, []int32{i}, 1)
		s.Soft(anchor, o, []int32{i}, -1)
		if i == 0 {
			continue
		}
		pair := []int32{i - 1, i}
		s.Soft(smooth, 0, pair, 1, -1)
		s.Soft(smooth, 0, pair, -1, 1)
		if i%5 == 0 {
			s.Hard(hlmrf.LessEqual, -1.2, pair, 1, 1)
		}
	}
	return s.Instance(t, epsilon)
}
