package mapstate_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/train/mapstate"
)

// program has two targets and one neural output g: (g − x)², of weight 3, x², of weight 1, and
// max(0, x − y), squared, of weight 2. The last rule alone is about y.
func program(t *testing.T) *lcqp.Instance {
	t.Helper()
	weights := []float64{3, 1, 2} // of the instance; the program has others
	p := &hlmrf.Program{Targets: []string{"x", "y"}, Deep: []string{"g"}}
	for _, r := range []struct {
		col     []int32
		val     []float64
		deep    []int32
		deepVal []float64
		text    string
	}{
		{[]int32{0}, []float64{-1}, []int32{0}, []float64{1}, "G -> X"},
		{[]int32{0}, []float64{1}, nil, nil, "!X"},
		{[]int32{0, 1}, []float64{1, -1}, nil, nil, "X -> Y"},
	} {
		p.Rules = append(p.Rules, hlmrf.Rule{Text: r.text, Weight: 1, Squared: true})
		p.AddPotential(int32(len(p.Rules)-1), r.col, r.val, r.deep, r.deepVal, 0)
	}
	in, err := lcqp.NewInstance(p, 1e-9)
	require.NoError(t, err)
	require.NoError(t, in.SetDeep([]float64{0.8}))
	require.NoError(t, in.SetWeights(weights))
	return in
}

// TestAgain: min 3(g − x)² + x² is at x = 3g/4, which y follows at no cost; without x² it is at g; and
// y, alone with its rule, is at x, which is 0 if no rule pulls it up. Nothing is inferred after the context has ended.
func TestAgain(t *testing.T) {
	in := program(t)
	g := []float64{0.8}
	var whole infer.Result
	require.NoError(t, infer.Solve(in, nil, infer.Settings{}, &whole))
	require.InDelta(t, 0.6, whole.Y[0], 1e-6)
	for _, c := range []struct {
		targets, rows []int32
		want          []float64
	}{
		{[]int32{0, 1}, []int32{0, 1, 2}, []float64{0.6, 0.6}},
		{[]int32{0, 1}, []int32{0, 2}, []float64{0.8, 0.8}},
		{[]int32{0, 1}, []int32{1, 2}, []float64{0, 0}},
		{[]int32{0}, []int32{0}, []float64{0.8}},
	} {
		y, err := mapstate.Again(t.Context(), in, &whole.Solution, g, c.targets, c.rows, nil, infer.Settings{})
		require.NoError(t, err)
		require.InDeltaSlice(t, c.want, y, 1e-4, "rows %v", c.rows)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for _, integers := range [][]int{nil, {0}} {
		y, err := mapstate.Again(ended, in, &whole.Solution, g, []int32{0}, []int32{0}, integers, infer.Settings{})
		require.NoError(t, err)
		require.Nil(t, y)
	}
}

// TestExplain: the energy is w·Φ, and broken rules are those with the largest distance first.
func TestExplain(t *testing.T) {
	in := program(t)
	y, g := []float64{0.5, 0.1}, []float64{0.8}
	e := mapstate.ExplainTargets(in.Template, y, []float64{3, 1, 2}, g, nil)
	require.InDelta(t, 3*.3*.3+.5*.5+2*.4*.4, e.Energy, 1e-12)
	require.Equal(t, 3, e.Broken)
	var rules []string
	var distances []float64
	for _, b := range e.BrokenRules {
		rules, distances = append(rules, b.Rule), append(distances, b.Distance)
	}
	require.Equal(t, []string{"!X", "X -> Y", "G -> X"}, rules)
	require.InDeltaSlice(t, []float64{.5, .4, .3}, distances, 1e-12)
	require.Equal(t, []mapstate.AtomValue{{Atom: "g", Value: .8}, {Atom: "x", Value: .5}}, e.BrokenRules[2].Atoms)
	about := mapstate.ExplainTargets(in.Template, y, []float64{3, 1, 2}, g, []int{1})
	require.InDelta(t, 2*.4*.4, about.Energy, 1e-12)
	require.Equal(t, 1, about.Broken)
}
