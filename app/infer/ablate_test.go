package infer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/psl"
	"hinge/train/exit"
)

// TestAblate: the figures without a rule are those of a model from whose file the rule is deleted.
func TestAblate(t *testing.T) {
	changed := 0
	for _, name := range []string{"smokers", "entity-resolution", "link-prediction"} {
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "examples", name))))
		file, rules := filepath.Join(dir, "model.json"), filepath.Join(dir, "rules.psl")
		all := summarised(t, file, "-ablate")
		text, err := os.ReadFile(rules)
		require.NoError(t, err)
		program, err := psl.Parse(rules, text)
		require.NoError(t, err)
		require.Len(t, all.Ablation, len(program.Rules), name)
		for i, a := range all.Ablation {
			less := &psl.Program{Rules: slices.Delete(slices.Clone(program.Rules), i, i+1)}
			require.NoError(t, os.WriteFile(rules, []byte(less.String()), 0o666))
			anew := summarised(t, file)
			assert.Equal(t, all.Terms-anew.Terms, a.Ground, a.Rule)
			assert.True(t, strings.HasSuffix(a.Place, "rules.psl:"+strconv.Itoa(program.Rules[i].Pos.Line)+":1"), a.Place)
			for predicate, evaluators := range anew.Metrics {
				for evaluator, figures := range evaluators {
					for figure, want := range figures {
						// Two solutions within the gap differ by some 1e-7: atoms that nearly tie, as most of
						// entity-resolution do without its last rule, may be apart by 1e-6 in one of them.
						assert.InDeltaf(t, want, a.Metrics[predicate][evaluator][figure], 5e-4, "%s without %s: %s %s", name, a.Rule, predicate, figure)
						if want != all.Metrics[predicate][evaluator][figure] {
							changed++
						}
					}
				}
			}
		}
	}
	assert.Greater(t, changed, 50, "rules that change nothing are no test")

	_, printed := ran(t, matching, "-ablate")
	assert.Contains(t, printed, "0.8000   nothing")
	assert.Contains(t, printed, "0.0000   1: Like(A) = Same(A) ^2 (")
}

// TestAblateManyOptima: what a rule leaves open without another is what infer chooses, not where the answer with it was.
func TestAblateManyOptima(t *testing.T) {
	file := modelFile(t, `{"rules": ["1: V(X) -> C(X)", "1: C(X) = 1 ^2"], "predicates": {"V/1": {"observations": [["a", 0.2]]}, "C/1": {"targets": [["a"]], "truth": [["a"]],
		"evaluations": ["ContinuousEvaluator"]}}}`)
	for ties, want := range map[string]float64{"norm": 0.8, "centre": 0.5} {
		s := summarised(t, file, "-ablate", "-ties", ties)
		assert.InDelta(t, 0, s.Metrics["C"]["Continuous"]["mae"], 1e-5, ties)
		assert.InDelta(t, want, s.Ablation[1].Metrics["C"]["Continuous"]["mae"], 1e-5, ties)
	}
}

// summarised runs a model's file with -json.
func summarised(t *testing.T, file string, args ...string) (s summary) {
	t.Helper()
	_, text := runArgs(t, append([]string{"-model", file, "-json"}, args...)...)
	require.NoError(t, json.Unmarshal([]byte(text), &s))
	return s
}

func TestAblateRefused(t *testing.T) {
	file := modelFile(t, matching)
	refused(t, exit.Usage, "leave -learn and -integer out", "-model", file, "-ablate", "-learn", "mse")
	refused(t, exit.Usage, "leave -learn and -integer out", "-model", file, "-ablate", "-integer", "Same")
	without := modelFile(t, strings.Replace(matching, `"evaluations": ["DiscreteEvaluator"]`, `"evaluations": []`, 1))
	refused(t, exit.Usage, `no predicate of `, "-model", without, "-ablate")
	refused(t, exit.Usage, "inference.skip", "-model", file, "-ablate", "-D", "inference.skip=true")
}
