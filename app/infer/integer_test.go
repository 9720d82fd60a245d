package infer

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/integer"
	"hinge/train/exit"
)

// cut is the search for a largest cut of a random graph: between 0 and 1 all atoms are
// 0.5 at no cost, so that relaxations say little.
func cut(nodes int) string {
	rng := rand.New(rand.NewPCG(5, 5))
	var edges, targets []string
	for a := range nodes {
		targets = append(targets, fmt.Sprintf(`["%d"]`, a))
		for b := range a {
			if rng.IntN(3) == 0 {
				edges = append(edges, fmt.Sprintf(`["%d", "%d"]`, a, b))
			}
		}
	}
	return `{"rules": ["1: E(A, B) & P(A) -> !P(B)", "1: E(A, B) & !P(A) -> P(B)", "0.01: !P(A)"], "predicates": {"E/2": {"observations": [` +
		strings.Join(edges, ",") + `]}, "P/1": {"targets": [` + strings.Join(targets, ",") + `], "options": {"Integer": true}}},
		"options": {"inference.normalize": false}}`
}

// A flag makes a predicate integer as the model does, and -check verifies the search.
func TestIntegerPredicates(t *testing.T) {
	model := cut(9)
	c, want := solved(t, model, "-check")
	if want.integer == nil || want.integer.Search != integer.Optimal {
		t.Fatalf("%+v", want.integer)
	}
	assert.NoError(t, c.verdict(want))
	for i, y := range want.Y {
		if y != 0 && y != 1 {
			t.Errorf("target %d is %v", i, y)
		}
	}
	_, named := solved(t, strings.ReplaceAll(model, `"Integer": true`, ``), "-integer", "p")
	if d := named.PrimalValue - want.PrimalValue; math.Abs(d) > 1e-6 {
		t.Errorf("-integer leads to %v, the model's own word to %v", named.PrimalValue, want.PrimalValue)
	}
	_, between := solved(t, strings.ReplaceAll(model, `"Integer": true`, ``))
	if between.PrimalValue > want.PrimalValue-1 {
		t.Errorf("%v with values between 0 and 1, %v without", between.PrimalValue, want.PrimalValue)
	}
}

func TestIntegerSummary(t *testing.T) {
	_, s := ranJSON[summary](t, cut(7), "-explain", "P(3)")
	if s.Status != "optimal" || s.Relaxations == 0 || *s.Gap > 1e-5 || len(s.Explained) != 1 || !s.Explained[0].Held {
		t.Errorf("%+v", s)
	}
	assert.Empty(t, s.Ties, "of equal points the search has no choice")
	if _, text := ran(t, cut(7)); !strings.Contains(text, "integer    optimal") {
		t.Errorf("%s", text)
	}
}

// Without a rule, integer atoms are 0 or 1 still. By hand, with C and D of a model of squares: C = 0 costs
// .16 and C = 1 .36, and D is the mean of what is left of C and U.
func TestIntegerExplained(t *testing.T) {
	model := `{"rules": ["1: C(X) = V(X) ^2", "1: D(X) = C(X) ^2", "1: D(X) = U(X) ^2"], "predicates": {
		"V/1": {"observations": [["a", 0.4]]}, "U/1": {"observations": [["a", 0.2]]}, "C/1": {"targets": [["a"]]}, "D/1": {"targets": [["a"]]}}}`
	_, s := ranJSON[summary](t, model, "-integer", "C", "-explain", "D(a)")
	require.Len(t, s.Explained, 1)
	got := map[string]float64{}
	for _, d := range s.Explained[0].Rules {
		got[d.Rule] = *d.Without
	}
	for _, f := range s.Explained[0].Forces {
		got[f.Ground] = *f.Without
	}
	want := map[string]float64{"1: C(X) = V(X) ^2": .1, "1: D(X) = C(X) ^2": .2, "1: D(X) = U(X) ^2": 0,
		"max(0, 0.2 - D(a))²": 0, "max(0, -C(a) + D(a))²": .2}
	require.Len(t, got, len(want))
	for text := range want {
		assert.InDeltaf(t, want[text], got[text], 1e-4, "without %s", text)
	}
}

// Where time is up or somebody interrupts, the best values so far are the result.
func TestIntegerEndsEarly(t *testing.T) {
	r, text := ran(t, cut(60), "-timeout", "300ms")
	if r.integer.Search != integer.TimeLimit || !strings.Contains(text, "time limit") || strings.Contains(text, "solved") || !(r.integer.Gap() > 1) {
		t.Errorf("%v, gap %v:\n%s", r.integer.Search, r.integer.Gap(), text)
	}
	c, stdout := testCommand(t, cut(60), "-json")
	timer := time.AfterFunc(300*time.Millisecond, c.Stop.Cancel)
	defer timer.Stop()
	r, err := c.run()
	if !errors.As(err, new(*interruptedError)) {
		t.Fatal(err)
	}
	if !strings.Contains(stdout.String(), `"status": "interrupted"`) || len(r.Y) != 60 {
		t.Errorf("%s", stdout)
	}
}

func TestIntegerMistakes(t *testing.T) {
	half := `{"rules": ["1: V(X) -> C(X)", "C(X) = 0.5 ."], "predicates": {"V/1": {"observations": [["a"]]}, "C/1": {"targets": [["a"]]}}}`
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"-integer D", "no predicate D", exit.Usage},
		{"-integer C", "no values 0 and 1 of the integer predicates do", exit.Infeasible},
		{"-integer C -json", "no values 0 and 1", exit.Infeasible},
		{"-integer C -learn bce", "-integer has no meaning", exit.Usage},
		{"-timeout -1s", "-timeout -1s is negative", exit.Usage},
	} {
		refused(t, c.code, c.want, append(strings.Fields(c.args), "-model", modelFile(t, half))...)
	}
}

// What a search that ended early says of its values is no less than the gap, and nothing where there is no bound.
func TestIntegerWithin(t *testing.T) {
	for value, want := range map[float64]string{2.44: "within 2.44 of the optimum", math.Inf(1): "no bound yet on how far"} {
		s := &solution{integer: &integer.Result{Search: integer.TimeLimit, Bound: -value}}
		said, err := s.searchVerdict()
		if err != nil || !strings.Contains(said, want) {
			t.Errorf("a gap of %v: %q, %v", value, said, err)
		}
	}
}
