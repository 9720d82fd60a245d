package mapstate

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/integer"
	"hinge/symbolic/lcqp"
	"hinge/train/config"
)

// A search that its time ends has the status of that, not that of the program with the whole numbers held.
func TestEnded(t *testing.T) {
	for search, want := range map[integer.Status]infer.Status{
		integer.Optimal: infer.Solved, integer.TimeLimit: infer.TimeLimit, integer.Unresolved: infer.NoProgress,
	} {
		r := &integer.Result{Result: infer.Result{Status: infer.Solved}, Search: search, Value: 2, Bound: 1}
		assert.Equalf(t, want, ended(r), "%s", search)
	}
}

// Errors name an example by its number among all, also beyond those that are solved at a time.
func TestEachNumbers(t *testing.T) {
	p := &hlmrf.Program{Targets: []string{"a"}, Deep: []string{"g"}, HardRules: []hlmrf.Rule{{Text: "a = g / 2"}}}
	p.AddConstraint(hlmrf.Equal, 0, []int32{0}, []float64{1}, []int32{0}, []float64{-0.5}, 0)
	template, err := lcqp.Compile(p)
	require.NoError(t, err)
	var cfg config.Config
	cfg.Symbolic.Solver = "auto"
	s, err := NewSolver(&cfg, template, nil)
	require.NoError(t, err)
	const n, wrong = slots + 9, slots + 3
	for integers, values := range map[int][]float64{0: {math.NaN(), 3}, 1: {math.NaN(), 1}} {
		s.Integers = make([]int, integers) // of target 0
		for _, v := range values {
			g := make([]float64, n)
			g[wrong] = v
			var seen []int
			fix := func(example int, _ *lcqp.Instance) error { seen = append(seen, example); return nil }
			_, err := s.Each(nil, g, n, fix, func(int, *infer.Result) {})
			assert.ErrorContainsf(t, err, "example 67: ", "%d integers, output %v", integers, v)
			assert.Equal(t, slots+1, seen[slots+1])
		}
	}
}
