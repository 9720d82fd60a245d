package infer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train/exit"
)

// matching is a model whose inferred values are the observed ones: each Same has one rule
// to a value and nothing against it.
const matching = `{"rules": ["1: Like(A) = Same(A) ^2"],
	"predicates": {
		"Like/1": {"observations": {
			"learn": [["k", 1], ["l", 0.2]],
			"validation": [["a", 0.9], ["b", 0.8], ["c", 0.8], ["d", 0.6], ["e", 0.6], ["f", 0.5], ["g", 0.35], ["h", 0.35], ["i", 0.1], ["j", 0]],
			"infer": [["p", 0.56], ["q", 0.54], ["r", 0.55], ["s", 0.2]]}},
		"Same/1": {
			"targets": {"learn": [["k"], ["l"]], "validation": [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"], ["h"], ["i"], ["j"]], "infer": [["p"], ["q"], ["r"], ["s"]]},
			"truth": {"learn": [["k", 1], ["l", 0]],
				"validation": [["a", 1], ["b", 0], ["c", 1], ["d", 1], ["e", 0], ["f", 0], ["g", 1], ["h", 0], ["i", 0], ["j", 0]],
				"infer": [["p", 1], ["q", 1], ["r", 0], ["s", 0]]},
			"evaluations": ["DiscreteEvaluator"]}}}`

// The threshold of the partition validation is the one whose F1 is largest by scikit-learn 1.9.1
// (TestCurve of package evaluate): values from .6 on, so .55. At .55 p is found, q missed and r
// found wrongly.
func TestThreshold(t *testing.T) {
	_, s := ranJSON[summary](t, matching, "-threshold", "validation")
	of := s.Metrics["Same"]["Discrete"]
	assert.InDelta(t, 0.55, of["threshold"], 1e-9)
	assert.Equal(t, []float64{0.5, 0.5, 0.5}, []float64{of["positive_precision"], of["positive_recall"], of["f1"]})
	require.Len(t, s.Curves["Same"], 4)
	assert.InDelta(t, 0.555, s.Curves["Same"][0].Threshold, 1e-9)

	_, s = ranJSON[summary](t, matching, "-threshold", "0.54")
	assert.Equal(t, 0.8, s.Metrics["Same"]["Discrete"]["f1"], "2 of 3, all of 2")
	_, s = ranJSON[summary](t, matching)
	assert.NotContains(t, s.Metrics["Same"]["Discrete"], "threshold")
	assert.Empty(t, s.Curves)
	_, text := ran(t, matching, "-threshold", "validation")
	assert.Contains(t, text, "threshold  Same counts as true from 0.55, chosen on the partition validation")
	_, s = ranJSON[summary](t, matching, "-threshold", "validation")
	assert.Empty(t, s.Warnings)
	both := strings.NewReplacer(`"infer": [["p"]`, `"infer": [["b"], ["p"]`, `[["p", 0.56]`, `[["b", 0.8], ["p", 0.56]`).Replace(matching)
	_, s = ranJSON[summary](t, both, "-threshold", "validation")
	require.Len(t, s.Warnings, 1)
	assert.Contains(t, s.Warnings[0].Message, "1 of the 10 targets of Same by which the threshold is chosen are evaluated at it")
	// A target without a true value chooses nothing.
	_, s = ranJSON[summary](t, strings.Replace(both, `["b", 0], `, "", 1), "-threshold", "validation")
	assert.Empty(t, s.Warnings)
}

// Learned rules keep the threshold, -rules takes it, a number beats it, and learning anew
// replaces it.
func TestThresholdIsKept(t *testing.T) {
	out := t.TempDir()
	_, l := ranJSON[learnedSummary](t, matching, "-learn", "mse", "-epsilon", "1e-8", "-threshold", "validation", "-out", out)
	kept := l.Thresholds["Same"]
	assert.InDelta(t, 0.55, kept, 1e-6)
	file := filepath.Join(out, "rules.psl")
	_, s := ranJSON[summary](t, matching, "-rules", file)
	assert.Equal(t, kept, s.Metrics["Same"]["Discrete"]["threshold"])
	_, s = ranJSON[summary](t, matching, "-rules", file, "-threshold", "0.1")
	assert.Equal(t, 0.1, s.Metrics["Same"]["Discrete"]["threshold"])
	again := t.TempDir()
	ranJSON[learnedSummary](t, matching, "-learn", "mse", "-rules", file, "-threshold", "0.3", "-out", again)
	text, err := os.ReadFile(filepath.Join(again, "rules.psl"))
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(text), "# threshold of Same = "), "%s", text)
	assert.Contains(t, string(text), "# threshold of Same = 0.3\n")
}

// An editor may end lines with CRLF and begin the file with a byte order mark: threshold and ε are the same.
func TestThresholdOfAnyLineEnd(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules.psl")
	for _, head := range []string{"# epsilon = 0.25\n# threshold of Same = 0.55\n", "\uFEFF# epsilon = 0.25 \r\n# threshold of Same = 0.55\r\n"} {
		require.NoError(t, os.WriteFile(file, []byte(head+"1: Like(A) = Same(A) ^2\r\n"), 0o666))
		_, s := ranJSON[summary](t, matching, "-rules", file)
		assert.Equal(t, 0.25, s.Epsilon)
		assert.Equal(t, 0.55, s.Metrics["Same"]["Discrete"]["threshold"])
		again := t.TempDir()
		ranJSON[learnedSummary](t, matching, "-learn", "mse", "-rules", file, "-threshold", "0.3", "-out", again)
		text, err := os.ReadFile(filepath.Join(again, "rules.psl"))
		require.NoError(t, err)
		assert.Equal(t, 2, strings.Count(string(text), "#"), "%s", text)
	}
}

// TestHeadRefused: a threshold or an ε of a rule file that is none is not passed over.
func TestHeadRefused(t *testing.T) {
	model, file := modelFile(t, matching), filepath.Join(t.TempDir(), "rules.psl")
	for head, want := range map[string]string{
		"# threshold of Same = 1.5\n": `:2:1: the threshold of Same is "1.5", want a number in [0, 1]`, "# threshold of Same = validation\n": `is "validation"`,
		"# threshold of Same = 0.5 or so\r\n": `is "0.5 or so"`, "# threshold of Same = \n": `is ""`,
		"# epsilon = 0,1\n": `:2:1: the epsilon is "0,1", want a positive number`, "# epsilon = 0.1 (learned)\n": `is "0.1 (learned)"`, "# epsilon = -1\n": `is "-1"`,
	} {
		require.NoError(t, os.WriteFile(file, []byte("# rules\n"+head+"1: Like(A) = Same(A) ^2\n"), 0o666))
		refused(t, exit.Usage, want, "-model", model, "-rules", file)
	}
}

func TestThresholdRefused(t *testing.T) {
	file := modelFile(t, matching)
	for _, bad := range []string{"1.2", "-0.1", "NaN", "best"} {
		refused(t, exit.Usage, "is neither a number in [0, 1] nor validation", "-model", file, "-threshold", bad)
	}
	without := modelFile(t, strings.Replace(matching, "Discrete", "AUC", 1))
	refused(t, exit.Usage, "DiscreteEvaluator", "-model", without, "-threshold", "0.5")
	refused(t, exit.Usage, "DiscreteEvaluator", "-model", without, "-threshold", "validation")
	refused(t, exit.Usage, "-set: loss is for cmd/train", "-model", without, "-learn", "mse", "-set", "loss=sp")
	refused(t, exit.Usage, "give -threshold", "-model", without, "-learn", "mse", "-set", "options.threshold=validation")
	alike := modelFile(t, strings.Replace(matching, `[["a", 1], ["b", 0], ["c", 1], ["d", 1], ["e", 0], ["f", 0], ["g", 1], `, "[", 1))
	refused(t, exit.Usage, "the partition validation has not both", "-model", alike, "-threshold", "validation")
	no := modelFile(t, strings.Replace(matching, `"validation": [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"], ["h"], ["i"], ["j"]], `, "", 1))
	refused(t, exit.Data, "-threshold validation: ", "-model", no, "-threshold", "validation")
}
