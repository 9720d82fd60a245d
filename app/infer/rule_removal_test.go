package infer

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// What an explanation says an atom would be without a rule, or without a ground rule, is what the
// model without it says.
func TestWithout(t *testing.T) {
	rules := []string{`"2: V(X) -> C(X) ^2"`, `"1: !C(X) ^2"`, `"0.5: L(X, Y) & C(X) -> C(Y)"`, `"C(X) + C(Y) <= 0.8 + 0 * L(X, Y) ."`}
	source := func(rules []string) string {
		return `{"rules": [` + strings.Join(rules, ",") + `], "predicates": {"V/1": {"observations": [["a", 0.9], ["b", 0.1], ["c", 0.7]]},
			"L/2": {"observations": [["a", "b"], ["b", "c"], ["c", "a"]]}, "C/1": {"targets": [["a"], ["b"], ["c"]]}}, "options": {"inference.normalize": false}}`
	}
	for _, epsilon := range []string{"1e-6", "0.01"} {
		_, s := solved(t, source(rules), "-epsilon", epsilon)
		x, asked := explainedAll(t, s, "C(a)", "C(b)", "C(c)")
		for i, e := range x.atoms {
			if len(e.Rules) != 4 {
				t.Fatalf("rules %+v", e.Rules)
			}
			for r, d := range e.Rules {
				at := (r + 3) % 4 // the hard rule comes first
				others := append(append([]string{}, rules[:at]...), rules[at+1:]...)
				_, without := solved(t, source(others), "-epsilon", epsilon)
				assert.InDelta(t, without.Y[asked[i]], *d.Without, 1e-5, "ε %s: without %s, %s", epsilon, d.Rule, e.Atom)
			}
			_, rows := s.explainTarget(asked[i])
			for k, f := range e.Forces {
				q := s.Instance.Part([]int32{0, 1, 2}, slices.DeleteFunc(rowNumbers(s.Instance), func(r int32) bool { return r == rows[k] }))
				in, err := lcqp.NewInstance(q, s.Epsilon)
				require.NoError(t, err)
				require.NoError(t, in.SetProx([]float64{s.Instance.Prox[0]}, s.Instance.Center))
				var res infer.Result
				require.NoError(t, infer.Solve(in, nil, infer.Settings{}, &res))
				assert.InDelta(t, res.Y[asked[i]], *f.Without, 1e-5, "ε %s: without %s, %s", epsilon, f.Ground, e.Atom)
			}
		}
	}
}

// A rule whose filter has alternatives is one rule: without it nothing lifts E(a), without the other one nothing
// holds E(a) below 1.
func TestWithoutAlternatives(t *testing.T) {
	_, s := solved(t, `{"rules": ["2: E(+T) >= 1 ^2 {T: P(T) | R(T)}", "1: !E(X) ^2"], "predicates": {"P/1": {"observations": [["a"]]},
		"R/1": {"observations": [["a"], ["b"]]}, "E/1": {"targets": [["a"], ["b"]]}}}`)
	x, _ := explainedAll(t, s, "E(a)")
	require.Len(t, x.atoms[0].Rules, 2)
	for i, want := range []float64{0, 1} {
		assert.Equal(t, 2, x.atoms[0].Rules[i].Ground)
		assert.InDelta(t, want, *x.atoms[0].Rules[i].Without, 1e-4)
	}
}

func rowNumbers(in *lcqp.Instance) (rows []int32) {
	for k := range int32(in.Rows()) {
		rows = append(rows, k)
	}
	return rows
}
