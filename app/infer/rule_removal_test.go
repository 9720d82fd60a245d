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

func rowNumbers(in *lcqp.Instance) (rows []int32) {
	for k := range int32(in.Rows()) {
		rows = append(rows, k)
	}
	return rows
}
