package infer

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// compat are models for the differences between this command and the PSL
// reference system (3.0.1): docs/PSL.md names each. Expected values follow from
// the rules; where the two systems differ, there says what the other finds.
var compat = []struct {
	name, rules, predicates, options string
	files                            map[string]string
	args                             []string
	atoms                            map[string]float64
	metric                           *float64
	warning, failure, there          string
}{
	{name: "rules", rules: `"1: V(X) -> C(X) ^2", "0.01: !C(X) ^2"`, // (0.8 - c)² + 0.01 c²
		atoms: map[string]float64{"C(a)": 0.8 / 1.01}, there: "the same"},
	{name: "dual methods regularise", rules: `"1: V(X) -> C(X) ^2", "0.01: !C(X) ^2"`, options: `"runtime.inference.method": "DualBCDInference"`,
		atoms: map[string]float64{"C(a)": regularised(1, 0.01)}, there: "the same"},
	{name: "ε of the model", rules: `"1: V(X) -> C(X) ^2", "0.01: !C(X) ^2"`, options: `"duallcqp.regularizationparameter": 0.01`,
		atoms: map[string]float64{"C(a)": regularised(1, 0.01)}, there: "0.792 unless the method is a dual one"},

	{name: "repeated rule", rules: `"1: V(X) -> C(X) ^2", "3: V(X) -> C(X) ^2", "1: !C(X) ^2"`,
		atoms: map[string]float64{"C(a)": 0.4}, warning: "the rule is left out: it says the same as that at", there: "the same"},
	{name: "contrapositive", rules: `"1: V(X) -> C(X) ^2", "1: !C(X) -> !V(X) ^2", "1: !C(X) ^2"`,
		atoms: map[string]float64{"C(a)": 0.4}, warning: "the rule is left out", there: "the same"},
	{name: "other variables", rules: `"1: V(X) -> C(X) ^2", "1: V(Y) -> C(Y) ^2", "1: !C(X) ^2"`,
		atoms: map[string]float64{"C(a)": 1.6 / 3}, there: "the same"},
	{name: "repeated literal", rules: `"1: V(X) & V(X) -> C(X) ^2"`,
		atoms: map[string]float64{"C(a)": 0.8}, warning: "V(X) occurs twice in the rule and counts once", there: "the same"},

	{name: "cardinality of a closed predicate", rules: `"1: C(A) = S(A, +B) / |B| ^2"`,
		predicates: `"S/2": {"observations": [["a", "x"], ["b", "y"]]}, "C/1": {"targets": [["a"]]}`,
		atoms:      map[string]float64{"C(a)": 0.5}, there: "the same"},
	{name: "cardinality of pairs", rules: `"1: C(A) = 0 * V(A) + S(+X, +Y) / |X| ^2"`, // three of 2·2 pairs, and |X| is 4
		predicates: `"V/1": {"observations": [["a"]]}, "S/2": {"observations": [["1", "1"], ["1", "2"], ["2", "2"]]}, "C/1": {"targets": [["a"]]}`,
		atoms:      map[string]float64{"C(a)": 0.75}, there: "the same"},
	{name: "mean of nothing", rules: `"1 / |K| * S(X, +K) = C(X) . {K: V(K)}"`, // no value of K passes
		predicates: `"S/2": {"observations": [["a", "x", 0.5]]}, "V/1": {"observations": [["z"]]}, "C/1": {"targets": [["a"]]}`,
		atoms:      map[string]float64{"C(a)": 0}, warning: "a number of values |...| that the rule divides by is 0 in 1 of its groundings", there: "an ArithmeticException"},
	{name: "numbers after a minus sign", rules: `"C(X) - 0.2 + 0.1 = 0.3 ."`,
		atoms: map[string]float64{"C(a)": 0.4}, warning: "the reference system subtracts all that the numbers", there: "0.6"},

	{name: "integers are one", rules: `"1: V(X) -> C(X) ^2"`, predicates: `"V/1": {"types": ["UniqueIntID"], "observations": [["01", 0.8]]},
		"C/1": {"types": ["UniqueIntID"], "targets": [["1"]]}`, atoms: map[string]float64{"C(1)": 0.8}, there: "the same"},
	{name: "a constant beside integers", rules: `"1: V(X) & X == '010' -> C(X) ^2"`, predicates: `"V/1": {"types": ["UniqueIntID"], "observations": [["10", 0.8]]},
		"C/1": {"types": ["UniqueIntID"], "targets": [["10"]]}`, atoms: map[string]float64{"C(10)": 0.8}, there: "no ground rule, by X == '10' too"},
	{name: "integers filtered by a constant", rules: `"1: C(+X) = 0.8 ^2 {X: X % '10'}"`, predicates: `"C/1": {"types": ["UniqueIntID"], "targets": [["9"], ["10"]]}`,
		atoms: map[string]float64{"C(9)": 0.8, "C(10)": 0}, warning: "1 of the 2 targets", there: "0.4 for both"},
	{name: "numbers are one", rules: `"1: V(X) -> C(X) ^2"`, predicates: `"V/1": {"types": ["Double"], "observations": [["1", 0.8]]},
		"C/1": {"types": ["Double"], "targets": [["1.0"]]}`, atoms: map[string]float64{"C(1.0)": 0.8}, there: "the same"},
	{name: "numbers in the model", rules: `"1: V(X) -> C(X) ^2"`, predicates: `"V/1": {"observations": [[1.10, 0.8]]}, "C/1": {"targets": [["1.10"], ["1.1"]]}`,
		atoms: map[string]float64{"C(1.10)": 0.8, "C(1.1)": 0}, warning: "1 of the 2 targets", there: "V(1.1) and so C(1.1)"},
	{name: "order of texts", rules: `"1: V(X) & V(Y) & X % Y -> C(X) ^2"`, predicates: `"V/1": {"observations": [["10", 0.8], ["9"]]},
		"C/1": {"targets": [["9"], ["10"]]}, "I/1": {"types": ["UniqueIntID"], "observations": [["7"]]}`,
		atoms: map[string]float64{"C(10)": 0.8, "C(9)": 0}, warning: "1 of the 2 targets", there: "the same"},
	{name: "order of integers", rules: `"1: V(X) & V(Y) & X % Y -> C(X) ^2"`, predicates: `"V/1": {"types": ["UniqueIntID"], "observations": [["10", 0.8], ["9"]]},
		"C/1": {"types": ["UniqueIntID"], "targets": [["9"], ["10"]]}`, atoms: map[string]float64{"C(10)": 0, "C(9)": 0.8}, warning: "1 of the 2 targets", there: "the same"},

	{name: "weights all 0", rules: `"0: V(X) -> C(X) ^2", "0: !C(X) ^2"`, atoms: map[string]float64{"C(a)": 0.4}, warning: "all weights are 0", there: "the same"},
	{name: "negative weight", rules: `"-1: C(X)", "4: V(X) -> C(X) ^2"`, // 4 (0.8 - c)² + c
		atoms: map[string]float64{"C(a)": 0.675}, warning: "the weight is negative", there: "the same"},
	{name: "negative weight without a convex energy", rules: `"-1: V(X) -> C(X)"`, failure: "the weight is negative", there: "a point"},
	{name: "half a connective", rules: `"1: V(X) &\n& V(X) -> C(X) ^2"`, atoms: map[string]float64{"C(a)": 0.8}, warning: "the & is doubled", there: "the same"},
	{name: "coefficient without a sign", rules: `"1: 0.5C(X) = 0.2 ^2"`, atoms: map[string]float64{"C(a)": 0.4}, there: "the same"},
	{name: "line break before the arguments", rules: `"1: V\n(X) -> C\n(X) ^2"`, atoms: map[string]float64{"C(a)": 0.8}, there: "the same"},
	{name: "greedy coefficients", rules: `"1: C(X) / 2 + 0.1 = 0.3 ^2"`, atoms: map[string]float64{"C(a)": 0.4},
		warning: "the reference system joins the numbers", there: "C(a) / 2.1 = 0.3, 0.63"},
	{name: "divided twice", rules: `"1: C(X) / 4 / 2 = 0.1 ^2"`, atoms: map[string]float64{"C(a)": 0.8},
		warning: "the reference system divides by all that the numbers before and after this / come to", there: "C(a) / (4 / 2) = 0.1, 0.2"},
	{name: "divided and multiplied", rules: `"1: C(X) / 2 * 4 = 0.4 ^2"`, atoms: map[string]float64{"C(a)": 0.2},
		warning: "the reference system divides by all that the numbers before and after this * come to", there: "C(a) / (2 * 4) = 0.4, 1"},
	{name: "bound of one atom", rules: `"2 * C(X) <= 1 .", "1: C(X) = 1"`, atoms: map[string]float64{"C(a)": 0.5}, there: "1: it drops the constraint as trivial"},

	{name: "words for true", rules: `"1: V(X) -> C(X) ^2", "2: !C(X) ^2"`, options: `"inference.normalize": "yes"`,
		atoms: map[string]float64{"C(a)": 0.8 / 3}, warning: "counts as false", there: "the same"},
	{name: "numbers of Java", rules: `"1: V(X) -> C(X) ^2", "0.01: !C(X) ^2"`, options: `"duallcqp.regularizationparameter": "1.0e-2f", "duallcqp.primaldualthreshold": 0`,
		atoms: map[string]float64{"C(a)": regularised(1, 0.01)}, there: "the same"},
	{name: "data of Java", rules: `"1: V(X) -> C(X) ^2"`, predicates: `"V/1": {"observations": ["v.txt"]}, "C/1": {"targets": ["c.txt"]}`,
		files: map[string]string{"v.txt": "a\t0.8f\n", "c.txt": "a\t\n"}, atoms: map[string]float64{"C(a)": 0.8}, there: "the same"},
	{name: "spaces around fields", rules: `"1: V(X) -> C(X) ^2"`, predicates: `"V/1": {"observations": ["v.txt"]}, "C/1": {"targets": [["a"]]}`,
		files: map[string]string{"v.txt": " a \t 0.8\n"}, atoms: map[string]float64{"C(a)": 0.8}, there: "0: ' a ' is another constant"},
	{name: "spaces around fields of rows in the model", rules: `"1: V(X) -> C(X) ^2"`, predicates: `"V/1": {"observations": [[" a ", 0.8]]}, "C/1": {"targets": ["c.txt"]}`,
		files: map[string]string{"c.txt": "a\n"}, atoms: map[string]float64{"C(a)": 0.8}, there: "0: ' a ' is another constant"},
	{name: "open without targets", rules: `"1: V(X) & !O(X) -> C(X) ^2"`, predicates: `"V/1": {"observations": [["a", 0.8]]}, "O/1": {"force-open": true}, "C/1": {"targets": [["a"]]}`,
		atoms: map[string]float64{"C(a)": 0.8}, warning: "O is open without targets", there: "an error where an atom of it is needed"},
	{name: "target in no rule", rules: `"1: V(X) -> C(X) ^2"`, predicates: `"V/1": {"observations": [["a", 0.8]]}, "C/1": {"targets": [["a"], ["z"]]}`,
		atoms: map[string]float64{"C(a)": 0.8, "C(z)": 0}, warning: "no ground rule holds 1 of the 2 targets of C", there: "a random value"},
	{name: "target in no rule, by primal", rules: `"1: V(X) -> C(X) ^2"`, predicates: `"V/1": {"observations": [["a", 0.8]]}, "C/1": {"targets": [["a"], ["z"]]}`, args: []string{"-method", "primal"},
		atoms: map[string]float64{"C(z)": 0}, warning: "no ground rule holds 1 of the 2 targets of C, and the value there is 0, or in infer the one that -ties names", there: "a random value"},
	{name: "target in no rule, by admm", rules: `"1: V(X) -> C(X) ^2"`, predicates: `"V/1": {"observations": [["a", 0.8]]}, "C/1": {"targets": [["a"], ["z"]]}`, args: []string{"-method", "admm", "-D", "inference.initialvalue=ONE"},
		atoms: map[string]float64{"C(z)": 0}, warning: "no ground rule holds 1 of the 2 targets of C, and the value there is 0, or in infer the one that -ties names", there: "a random value"},
	{name: "many optima", rules: `"1: V(X) -> C(X)"`, predicates: flat, atoms: map[string]float64{"C(a)": 0.2}, there: "any value from 0.2, by a random start"},
	{name: "many optima, the middle", rules: `"1: V(X) -> C(X)"`, predicates: flat, args: []string{"-ties", "centre"}, atoms: map[string]float64{"C(a)": 0.5}, there: "any value from 0.2"},
	{name: "many optima, what is observed", rules: `"1: V(X) -> C(X)"`, predicates: flat, args: []string{"-ties", "prior"}, atoms: map[string]float64{"C(a)": 0.7}, there: "any value from 0.2"},
	// Least c² + (0.9 − c)² with c² for the default and 2(c − ½)² for the middle.
	{name: "many optima, unmet rules", rules: `"1: V(X) -> C(X)", "1: !C(X)"`, predicates: high, atoms: map[string]float64{"C(a)": 0.3}, there: "any value up to 0.9"},
	{name: "many optima, unmet rules, the middle", rules: `"1: V(X) -> C(X)", "1: !C(X)"`, predicates: high, args: []string{"-ties", "centre"}, atoms: map[string]float64{"C(a)": 0.475}, there: "any value up to 0.9"},
	// C(10) = 954/2040 by 1000·(½ − c)² and 5·(2c + 2.3)²; D(u) + E ≥ C(10) + .4 for two E, of which the nearest to 0 is D = 2E.
	{name: "many optima, weights far apart", rules: `"5: 0 = 2 * E(A, A) + 2 * C(A) + 2 * R(A, 'u') + 0.3 ^2", "1000: R(A, A) -> !P(A) | C(A) ^2", "0.3: D(A) + E(B, A) + 0 >= C(+T)"`,
		predicates: `"P/1": {"observations": [["10", 0.5]]}, "R/2": {"observations": [["10", "10"], ["10", "u"]]}, "C/1": {"observations": [["a", 0.4]], "targets": [["10"]]},
			"D/1": {"observations": [["a", 5e-05]], "targets": [["u"]]}, "E/2": {"observations": [["u", "u"]], "targets": [["10", "10"], ["10", "u"], ["u", "a"], ["a", "u"], ["a", "a"]]}`,
		atoms: map[string]float64{"C(10)": 954. / 2040, "D(u)": 1770. / 2040 * 2 / 3, "E(10,u)": 1770. / 2040 / 3, "E(a,u)": 1770. / 2040 / 3}, there: "any of them"},
	{name: "one optimum", rules: `"1: V(X) -> C(X) ^2", "0.01: !C(X) ^2"`, args: []string{"-ties", "centre"}, atoms: map[string]float64{"C(a)": 0.8 / 1.01}, there: "the same"},
	{name: "integer predicate", rules: `"1: V(X) -> C(X) ^2"`, predicates: `"V/1": {"observations": [["a", 0.8]]}, "C/1": {"targets": [["a"]], "options": {"Integer": "true"}}`,
		atoms: map[string]float64{"C(a)": 1}, there: "the same"},
	{name: "contradiction", rules: `"C(X) >= V(X) .", "C(X) <= 0.5 ."`, failure: "make all hard rules soft with -D inference.relax=true", there: "a point that breaks a rule"},
	{name: "relaxed contradiction", rules: `"C(X) >= V(X) .", "C(X) <= 0.2 ."`, args: []string{"-D", "inference.relax=true", "-D", "inference.relax.squared=true"},
		atoms: map[string]float64{"C(a)": 0.5}, there: "the same"},

	{name: "relaxed hard rules are linear", rules: `"C(X) >= V(X) .", "C(X) <= 0.2 .", "1: C(X) = 0.3 ^2"`, args: []string{"-D", "inference.relax=true"},
		atoms: map[string]float64{"C(a)": 0.3}, there: "the same; 0.499 in 2.4.1, which squares them"},

	{name: "truth of observed atoms", rules: `"1: V(X) -> C(X, '1') ^2", "C(X, +Y) <= 1 ."`,
		predicates: `"V/1": {"observations": [["a", 0.8]]}, "C/2": {"observations": [["o", "1"]], "targets": [["a", "1"], ["a", "2"]],
			"truth": [["o", "1"], ["a", "1"]], "evaluations": ["CategoricalEvaluator"]}`,
		atoms: map[string]float64{"C(a,1)": 0.8}, metric: new(1.0), warning: "1 true atoms of C are observed", there: "accuracy 0.5"},

	{name: "learned first", rules: `"1: V(X) -> C(X) ^2", "1: !C(X) ^2"`, predicates: learnAndInfer, options: `"runtime.learn": true, "runtime.inference": true`,
		// All labels are 1: the prior loses against the rule.
		atoms: nil, there: "the same within 0.003"},
	{name: "not learned", rules: `"1: V(X) -> C(X) ^2", "1: !C(X) ^2"`, predicates: learnAndInfer,
		atoms: map[string]float64{"C(a)": 0.4}, there: "the same with runtime.learn false, else it learns first"},
	{name: "learning turned off", rules: `"1: V(X) -> C(X) ^2", "1: !C(X) ^2"`, predicates: learnAndInfer, options: `"runtime.learn": false`,
		atoms: map[string]float64{"C(a)": 0.4}, there: "the same"},
	{name: "a learner that is not here", rules: `"1: V(X) -> C(X) ^2"`, predicates: learnAndInfer, options: `"runtime.learn": true, "runtime.learn.method": "OnlineSquaredError"`,
		failure: "the learning method OnlineSquaredError is not here", there: "learns"},
	{name: "a learner of networks", rules: `"1: V(X) -> C(X) ^2"`, predicates: learnAndInfer, options: `"runtime.learn": true, "runtime.learn.method": "PolicyGradientEvaluation"`,
		failure: "the learning method PolicyGradientEvaluation is not here", there: "an error, unless gradientdescent.symbolicweightlearning is false; then the weights stay"},
	{name: "a search", rules: `"1: V(X) -> C(X) ^2"`, predicates: learnAndInfer, options: `"runtime.learn": true, "runtime.learn.method": "org.linqs.psl.application.learning.weight.search.grid.GridSearch", "gridsearch.weights": "0.001:1"`,
		failure: "the learning method GridSearch, which tries weights, is not here", there: "tries the weights"},
	{name: "inference skipped", rules: `"1: V(X) -> C(X) ^2"`, options: `"inference.skip": true, "inference.initialvalue": "half"`, atoms: map[string]float64{"C(a)": 0.5}, there: "the same"},
	{name: "initial values", rules: `"1: V(X) -> C(X) ^2"`, options: `"inference.initialvalue": "ONE", "runtime.inference.method": "ADMMInference", "admmreasoner.maxiterations": 1, "admmreasoner.stepsize": 1e9`, // every value from 0.8 is best
		atoms: map[string]float64{"C(a)": 1}, there: "the same"},
	{name: "ADMM's own rule", rules: `"1: V(X) -> C(X) ^2", "0.01: !C(X) ^2"`, options: `"runtime.inference.method": "ADMMInference", "admmreasoner.epsilonabs": 1e-9, "admmreasoner.epsilonrel": "1e-9f"`,
		atoms: map[string]float64{"C(a)": 0.8 / 1.01}, there: "the same"},
	{name: "all atoms", rules: `"1: V(X) -> C(X) ^2"`, options: `"runtime.inference.output.atoms.all": true`, atoms: map[string]float64{"C(a)": 0.8, "V(a)": 0.8}, there: "the same"},
	{name: "an option that changes the answer", rules: `"1: V(X) -> C(X) ^2"`, options: `"inference.unheard": true`, atoms: map[string]float64{"C(a)": 0.8},
		warning: "the option inference.unheard is not here, and changes the answer", there: "another answer, perhaps"},
	{name: "a stop rule", rules: `"1: V(X) -> C(X) ^2"`, options: `"reasoner.objectivebreak": true`, atoms: map[string]float64{"C(a)": 0.8}, there: "the same, nearly"},
}

// flat leaves C(a) any value from 0.2, and knows values of C whose mean is 0.7.
const flat = `"V/1": {"observations": [["a", 0.2]]}, "C/1": {"observations": [["b", 0.6], ["c", 0.8]], "targets": [["a"]]}`
const high = `"V/1": {"observations": [["a", 0.9]]}, "C/1": {"targets": [["a"]]}`

// learnAndInfer has data of both partitions.
const learnAndInfer = `"V/1": {"observations": {"learn": [["l", 0.8], ["m", 0.6]], "infer": [["a", 0.8]]}},
	"C/1": {"targets": {"learn": [["l"], ["m"]], "infer": [["a"]]}, "truth": {"learn": [["l"], ["m"]]}}`

// regularised is the c in min w·h² + p·c² + ε·h² + ε·s² + ε·c² with h = 0.8 - c and
// s = c the slack of the prior.
func regularised(w, p float64) float64 {
	const epsilon = 0.01
	return 0.8 * (w + epsilon) / (w + epsilon + p + epsilon + epsilon)
}

// TestCompatibility runs the models.
func TestCompatibility(t *testing.T) {
	for _, c := range compat {
		t.Run(c.name, func(t *testing.T) {
			if c.predicates == "" {
				c.predicates = `"V/1": {"observations": [["a", 0.8]]}, "C/1": {"targets": [["a"]]}`
			}
			src := `{"rules": [` + c.rules + `], "predicates": {` + c.predicates + `}, "options": {` + c.options + `}}`
			run, stdout := testCommand(t, src, append([]string{"-json"}, c.args...)...)
			for name, text := range c.files {
				require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(run.Model), name), []byte(text), 0o666))
			}
			_, err := run.run()
			if c.failure != "" {
				require.ErrorContains(t, err, c.failure)
				return
			}
			require.NoError(t, err)
			var s summary
			require.NoError(t, json.Unmarshal(stdout.Bytes(), &s))
			values := map[string]float64{}
			for _, a := range s.Atoms {
				values[a.Predicate+"("+strings.Join(a.Arguments, ",")+")"] = a.Value
			}
			for name, want := range c.atoms {
				if got, ok := values[name]; !ok || math.Abs(got-want) > 1e-5 {
					t.Errorf("%s is %v, want %v (there: %s)", name, got, want, c.there)
				}
			}
			if c.name == "learned first" && (s.Learned == nil || s.Learned.Loss != "sp" || !(values["C(a)"] > 0.4)) {
				t.Errorf("learned %+v, values %v", s.Learned, values)
			}
			if c.metric != nil && s.Metrics["C"]["Categorical"]["accuracy"] != *c.metric {
				t.Errorf("metrics %v, want %v (there: %s)", s.Metrics, *c.metric, c.there)
			}
			told := ""
			for _, w := range s.Warnings {
				told += w.Message + "\n"
			}
			if c.warning == "" && told != "" && !strings.Contains(told, "is in no rule") || !strings.Contains(told, c.warning) {
				t.Errorf("warnings\n%swant %s", told, c.warning)
			}
		})
	}
}
