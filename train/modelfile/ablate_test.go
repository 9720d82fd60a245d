package modelfile

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/ground"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
)

// TestAblateNetworks: the figures without a network are those of the model without the rules that
// name a predicate of the network, for the same outputs and weights.
func TestAblateNetworks(t *testing.T) {
	file := write(t, tiny, tinyFiles)
	set := infer.Settings{GapTolerance: 1e-12}
	solved := func(keep func(*psl.Rule) bool) (*model.Model, *lcqp.Instance, *infer.Result, []float64) {
		m, err := model.Load(file, model.LoadOptions{Partition: model.Infer})
		require.NoError(t, err)
		m.Rules.Rules = slices.DeleteFunc(m.Rules.Rules, func(r *psl.Rule) bool { return !keep(r) })
		program, err := ground.Ground(context.Background(), m.Rules, m.Data, m.GroundOptions())
		require.NoError(t, err)
		tpl, err := lcqp.Compile(program)
		require.NoError(t, err)
		in, err := tpl.NewInstance(1e-8)
		require.NoError(t, err)
		g := make([]float64, tpl.Deep)
		for i := range g {
			g[i] = 0.2 + 0.13*float64(i%6)
		}
		require.NoError(t, in.SetDeep(g))
		r := new(infer.Result)
		require.NoError(t, infer.Solve(in, nil, set, r))
		return m, in, r, g
	}
	m, in, full, g := solved(func(*psl.Rule) bool { return true })
	list, err := Ablate(t.Context(), m, in, full, g, set)
	require.NoError(t, err)
	require.Len(t, list, 5+2)
	before, err := m.Evaluate(full.Y, g)
	require.NoError(t, err)
	changed := false
	for _, a := range list[5:] {
		own := map[string][]string{"A": {"A", "B"}, "Q": {"Q"}}[a.Network]
		less, _, r, _ := solved(func(r *psl.Rule) bool {
			return !slices.ContainsFunc(own, func(name string) bool { return slices.Contains(predicatesOf(r), name) })
		})
		want, err := less.Evaluate(r.Y, g)
		require.NoError(t, err)
		require.NotNil(t, want)
		for i := range want {
			assert.InDelta(t, want[i].Score, a.Results[i].Score, 1e-9, a.Name())
			changed = changed || want[i].Score != before[i].Score
		}
	}
	assert.True(t, changed, "networks that change nothing are no test")

	// After a signal nothing is inferred, which is not said to be late.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	list, err = Ablate(ctx, m, in, full, g, set)
	require.NoError(t, err)
	var table strings.Builder
	WriteAblations(&table, before, list)
	assert.Equal(t, 7*len(figuresOf(before)), strings.Count(table.String(), "   late or interrupted"), table.String())
}

// predicatesOf are the names of one letter before a parenthesis in a rule.
func predicatesOf(r *psl.Rule) (names []string) {
	text := r.String()
	for i := 1; i < len(text); i++ {
		if text[i] == '(' {
			names = append(names, text[i-1:i])
		}
	}
	return names
}
