package infer

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/symbolic/lcqp"
)

// What an explanation says an atom would be without a rule is what the model
// without it says, and the bounds for large components hold it.
func TestWithout(t *testing.T) {
	rules := []string{`"2: V(X) -> C(X) ^2"`, `"1: !C(X) ^2"`, `"0.5: L(X, Y) & C(X) -> C(Y)"`, `"C(X) + C(Y) <= 0.8 + 0 * L(X, Y) ."`}
	source := func(rules []string) string {
		return `{"rules": [` + strings.Join(rules, ",") + `], "predicates": {"V/1": {"observations": [["a", 0.9], ["b", 0.1], ["c", 0.7]]},
			"L/2": {"observations": [["a", "b"], ["b", "c"], ["c", "a"]]}, "C/1": {"targets": [["a"], ["b"], ["c"]]}}, "options": {"inference.normalize": false}}`
	}
	for _, epsilon := range []string{"1e-6", "0.01"} {
		_, s := solved(t, source(rules), "-epsilon", epsilon)
		x, asked := explainedAll(t, s, "C(a)", "C(b)", "C(c)")
		drop, tighter := lcqp.NewDrop(s.Instance, &s.Solution), 0
		for i, e := range x.atoms {
			if len(e.Rules) != 4 {
				t.Fatalf("rules %+v", e.Rules)
			}
			for r, d := range e.Rules {
				at := (r + 3) % 4 // the hard rule comes first
				others := append(append([]string{}, rules[:at]...), rules[at+1:]...)
				_, without := solved(t, source(others), "-epsilon", epsilon)
				want := without.Y[asked[i]]
				if d.Without.Low != d.Without.High || math.Abs(d.Without.Low-want) > 1e-5 {
					t.Errorf("ε %s: without %s, %s is %v, the model says %v", epsilon, d.Rule, e.Atom, d.Without, want)
				}
			}
			_, rows := s.explainTarget(asked[i])
			for k, f := range e.Forces {
				low, high := drop.Bound(asked[i], rows[k:k+1])
				if y := f.Without.Low; y != f.Without.High || y < low-1e-5 || y > high+1e-5 {
					t.Errorf("ε %s: %s is %v without %s, the bound is [%v, %v]", epsilon, e.Atom, f.Without, f.Ground, low, high)
				}
				if high-low < 0.9 {
					tighter++
				}
			}
		}
		if tighter < 4 {
			t.Errorf("ε %s: only %d bounds say something", epsilon, tighter)
		}
	}
}

// A component too large to be inferred again is bounded.
func TestSpan(t *testing.T) {
	for s, want := range map[span]string{{0, 1}: "", {0.25, 0.25}: "0.2500", {0.25, 0.5}: "0.2500 to 0.5000"} {
		assert.Equalf(t, want, s.String(), "%+v is %q, want", s, s)
	}
}
