package infer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer/internal/infertest"
)

// TestContradictoryPairs: rows that exclude each other, whatever multiples of each other their
// left-hand sides are, have a proof by Farkas.
func TestContradictoryPairs(t *testing.T) {
	pair := []int32{0, 1}
	three := []int32{0, 1, 2}
	for _, a := range []float64{1, 0.1, 0.3, 3, 7} {
		for _, b := range []float64{1, 0.5, 0.7, 3, 1.0 / 3} {
			for name, add := range map[string]func(s *infertest.Build){
				"X − Y ≥ 1 with Y − X ≥ 1": func(s *infertest.Build) {
					s.Hard(hlmrf.LessEqual, a, pair, -a, a)
					s.Hard(hlmrf.LessEqual, b, pair, b, -b)
				},
				"3X − 0.3Y + Z = 0.5 with a multiple = 0.6": func(s *infertest.Build) {
					s.Hard(hlmrf.Equal, -0.5*a, three, 3*a, -0.3*a, a)
					s.Hard(hlmrf.Equal, 0.6*b, three, -3*b, 0.3*b, -b)
				},
			} {
				s := infertest.New(3)
				s.Soft(s.Rule(1, true), 0.2, three, 1, 1, -1)
				add(s)
				in := s.Instance(t, 1e-3)
				res := solve(t, in, nil, Settings{})
				require.Equalf(t, Infeasible, res.Status, "%s, times %v and %v", name, a, b)
				require.Positivef(t, res.Certificate.Margin(in), "%s, times %v and %v: %+v", name, a, b, res.Certificate)
				require.Zero(t, res.Stats.Iterations, "%s, times %v and %v", name, a, b)
			}
		}
	}
}
