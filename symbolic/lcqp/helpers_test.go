package lcqp_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
)

// program is small but has everything: five targets of which two are alone,
// two neural outputs, all kinds of rows, one without targets, and an explicit
// zero.
func program() *hlmrf.Program {
	p := &hlmrf.Program{
		Targets: []string{"a", "b", "c", "d", "e"}, Deep: []string{"g", "h"},
		Rules: []hlmrf.Rule{
			{Text: "linear", Weight: 2}, {Text: "square", Weight: 3, Squared: true},
		},
		HardRules: []hlmrf.Rule{{Text: "hard"}},
	}
	potential := func(rule int32, col []int32, val []float64, dc []int32, dv []float64, k float64) {
		p.AddPotential(rule, col, val, dc, dv, k)
	}
	constraint := func(rel hlmrf.Relation, col []int32, val []float64, k float64) {
		p.AddConstraint(rel, 0, col, val, nil, nil, k)
	}
	potential(0, []int32{0, 1}, []float64{1, -1}, []int32{0}, []float64{1}, 0.25)
	potential(1, []int32{1, 3}, []float64{-1, 0}, []int32{0, 1}, []float64{2, 0}, 0.5)
	potential(1, nil, nil, []int32{1}, []float64{1}, -0.5)
	potential(0, []int32{3}, []float64{-1}, nil, nil, 0.75)
	constraint(hlmrf.Equal, []int32{1, 2}, []float64{1, 1}, -1)
	constraint(hlmrf.LessEqual, []int32{3, 4}, []float64{1, 2}, -2)
	return p
}

func compile(t testing.TB, p *hlmrf.Program) *lcqp.Template {
	t.Helper()
	tpl, err := lcqp.Compile(p)
	require.NoError(t, err)
	return tpl
}

func instance(t testing.TB, tpl *lcqp.Template, epsilon float64) *lcqp.Instance {
	t.Helper()
	in, err := tpl.NewInstance(epsilon)
	require.NoError(t, err)
	return in
}

func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol*(1+math.Abs(b)) }
