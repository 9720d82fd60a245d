package infer

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/evaluate"
	"hinge/train/exit"
)

// explainedAll explains atoms, and the two ground rules that cost most.
func explainedAll(t *testing.T, s *solution, atoms ...string) (explained, []int) {
	t.Helper()
	asked, err := findTargets(s.Problem, atoms)
	require.NoError(t, err)
	x, err := s.explain(t.Context(), asked, 2)
	require.NoError(t, err)
	return x, asked
}

// TestArguments: commas within quotes are of the constant.
func TestArguments(t *testing.T) {
	for text, want := range map[string][]string{
		"a, b": {"a", "b"}, "'Smith, John', \"O'Hara\"": {"Smith, John", "O'Hara"}, "": {""}, "a,,": {"a", "", ""},
		"o'x, a": {"o'x", "a"}, `5", 'a, b' , d'`: {`5"`, "a, b", "d'"},
	} {
		assert.Equal(t, want, arguments(text), text)
	}
	_, s := solved(t, `{"rules": ["1: B(X) -> A(X)"], "predicates": {"B/1": {"observations": [["Smith, John"]]}, "A/1": {"targets": [["Smith, John"]]}}}`)
	x, _ := explainedAll(t, s, "A('Smith, John')")
	assert.InDelta(t, 1, x.atoms[0].Value, 1e-6)
}

// TestExplainInterrupted: after a signal an explanation has the forces, but no values without rules: it went on for up to
// 20 searches of 4 s an atom.
func TestExplainInterrupted(t *testing.T) {
	_, s := solved(t, `{"rules": ["1: B(X) -> A(X)"], "predicates": {"B/1": {"observations": [["b"]]}, "A/1": {"targets": [["b"]]}}}`)
	asked, err := findTargets(s.Problem, []string{"A(b)"})
	require.NoError(t, err)
	for ended, ctx := range []context.Context{t.Context(), over()} {
		x, err := s.explain(ctx, asked, 0)
		require.NoError(t, err)
		require.Len(t, x.atoms[0].Rules, 1)
		require.Len(t, x.atoms[0].Forces, 1)
		require.Equal(t, ended == 1, x.atoms[0].Rules[0].Without == nil)
		require.Equal(t, ended == 1, x.atoms[0].Forces[0].Without == nil)
	}
}

// over is a context that has ended.
func over() context.Context {
	ctx, end := context.WithCancel(context.Background())
	end()
	return ctx
}

// With -2ε·value the forces on an atom, and that of its bound, add up to 0: for
// atoms between the bounds, at each bound, and under a hard rule.
func TestForcesBalance(t *testing.T) {
	const model = `{"rules": ["2: V(X) -> C(X) ^2", "1: !C(X)", "0.5: C(X) = 0.25 ^2", "3: V(X) -> D(X)", "1: !D(X) ^2", "C(X) + D(X) <= 1.2 ."],
		"predicates": {"V/1": {"observations": [["a", 0.8], ["b", 0.1], ["c"]]}, "C/1": {"targets": [["a"], ["b"], ["c"]]},
			"D/1": {"targets": [["a"], ["b"], ["c"]]}}, "options": {"inference.normalize": false}}`
	for _, epsilon := range []string{"0.01", "1e-8"} {
		_, s := solved(t, model, "-epsilon", epsilon)
		x, asked := explainedAll(t, s, "C(a)", "c( 'b' )", "C(c)", "D(a)", "D(b)", "D(c)")
		hard := false
		for i, e := range x.atoms {
			sum := e.Up + e.Down + e.Bound - 2*s.Epsilon*e.Value
			if math.Abs(sum) > 1e-6 || len(e.Forces) == 0 {
				t.Errorf("ε %s: the forces on %s add up to %v: %+v", epsilon, e.Atom, sum, e)
			}
			for k, f := range e.Forces {
				if !strings.Contains(f.Ground, e.Atom) || f.Place == "" || k > 0 && math.Abs(f.Force) > math.Abs(e.Forces[k-1].Force) {
					t.Errorf("force %d on %s: %+v", k, e.Atom, f)
				}
				hard = hard || f.Weight == nil
			}
			if y := evaluate.Value(s.Y[asked[i]]); e.Value != y {
				t.Errorf("%s is %v, explained as %v", e.Atom, y, e.Value)
			}
		}
		if !hard {
			t.Error("no hard rule pushes: the test is too easy")
		}
		// The energies of all ground rules are the objective.
		total := 0.0
		for k := range s.Program.Potentials.Len() {
			total += s.groundRule(s.Instance.Constraints + k).Energy
		}
		if math.Abs(total-s.Energy) > 1e-9 {
			t.Errorf("energies add up to %v, the objective is %v", total, s.Energy)
		}
		if len(x.top) != 2 || x.top[0].Energy < x.top[1].Energy {
			t.Errorf("top %+v", x.top)
		}
	}
}

// TestExplainedSentences: a linear rule holds an atom at its kink, and a hard one at a bound, however strongly
// others push, so that no sentence promises that a change moves it.
func TestExplainedSentences(t *testing.T) {
	const model = `{"rules": ["1: V(X) -> C(X)", "0.3: !C(X)", "1: V(X) -> D(X)", "0.3: !D(X)", "1: V(X) -> E(X) ^2", "D(X) + E(X) <= 0 ."], "predicates": {"V/1": {"observations": [["a", 0.5]]},
		"C/1": {"targets": [["a"]]}, "D/1": {"targets": [["a"]]}, "E/1": {"targets": [["a"]]}}, "options": {"inference.normalize": false}}`
	_, light := ran(t, model, "-explain", "C(a)", "-explain", "D(a)")
	for _, want := range []string{"C(a) = 0.500000: pushed up by 0.3, down by 0.3; the two balance\n", "D(a) = 0.000000: pushed up by 1, down by 1.3; it stays at 0 while the push up grows by less than 0.3\n"} {
		assert.Contains(t, light, want)
	}
	_, heavy := ran(t, strings.NewReplacer("0.3: !C", "0.4: !C", "1: V(X) -> D", "9: V(X) -> D").Replace(model)) // the atoms stay
	assert.Contains(t, heavy, "0.500000   C(a)\n")
	assert.Contains(t, heavy, "0.000000   D(a)\n")

	// Of C(a) the hard rule has no room to spare, and the rule that weighs nothing is broken, for all that they exert no force.
	_, idle := ran(t, `{"rules": ["1: C(X) = 1", "0: C(X) = 0", "C(+X) = 1 ."], "predicates": {"C/1": {"targets": [["a"]]}}}`, "-explain", "C(a)")
	assert.NotContains(t, idle, "satisfied")
	assert.NotContains(t, idle, "to spare")
	assert.Contains(t, idle, "without a force on it\n")
}

// What cannot be explained is told before the solve.
func TestExplainMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"Smokes(bbo)": "did you mean Smokes(bob)?", "Smokes": "is no atom", "Smokes(bob": "is no atom", "Smokes(ann)": "observed as 1",
		"Smokes(bob, ann)": "is no target",
	} {
		refused(t, exit.Usage, want, "-model", modelFile(t, smokers), "-explain", text)
	}
	commas := modelFile(t, `{"rules": ["1: !T(X)"], "predicates": {"T/1": {"targets": [["e, f"], ["e, 'g"]]}}}`)
	for text, want := range map[string]string{"T(e, f)": "did you mean T('e, f')?", "T(e, 'g)": `did you mean T("e, 'g")?`} {
		refused(t, exit.Usage, want, "-model", commas, "-explain", text)
	}
	for _, args := range []string{"-top=-1", "-learn=sp -top=3", "-learn=sp -groundrules=x"} {
		refused(t, exit.Usage, "-top", append(strings.Fields(args), "-model", "m")...)
	}
}

// A ground rule has one line of four fields, whatever its constants hold.
func TestGroundRulesOfOddConstants(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ground.tsv")
	ran(t, `{"rules": ["1: !C(X)"], "predicates": {"C/1": {"targets": [["a\tb"], ["c\nd\re"]]}}}`, "-groundrules", path)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Regexp(t, `^1\tmax\(0, C\(a\\tb\)\)\t0\t\S+\n1\tmax\(0, C\(c\\nd\\re\)\)\t0\t\S+\n$`, string(text))
}

// -groundrules writes a line a ground rule.
func TestGroundRules(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rules.txt")
	r, stdout := ran(t, smokers, "-groundrules", path, "-explain", "Smokes(bob)", "-top", "1")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != r.Instance.Rows() || !strings.HasPrefix(lines[0], "hard\tSmokes(bob) + Smokes(cleo) <= 1.5\t0\t") ||
		!strings.HasPrefix(lines[1], "1\tmax(0, ") {
		t.Errorf("wrote\n%s", text)
	}
	for _, want := range []string{"explain    Smokes(bob) = 0.800000: pushed up by 0.4, down by 0.4;", "   1: Friends(A, B) & Smokes(A) -> Smokes(B) ^2 (", "top        the soft ground rules that cost most"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("printed\n%s", stdout)
		}
	}
}
