package modelfile

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train/config"
)

// couples is a model without networks: three weighted rules and a hard one, three targets.
const couples = `{"rules": ["2: P(A) -> T(A) ^2", "1: T(A) <= 0.4 ^2", "1: P(A) & T(A) -> S(A)", "S(A) + T(B) <= 1.5 ."],
	"predicates": {"P/1": {"observations": [["a", 0.9]]},
		"T/1": {"targets": [["a"], ["b"]], "truth": [["a", 1], ["b", 0.25]], "evaluations": ["ContinuousEvaluator"]},
		"S/1": {"targets": [["a"]]}}, OPTIONS}`

// couplesFile writes the model with options and returns its path.
func couplesFile(t *testing.T, options string) string {
	t.Helper()
	return write(t, strings.Replace(couples, "OPTIONS", `"options": {`+options+`}`, 1), nil)
}

// rulesConfig is the configuration of a file without networks with its defaults, and few steps.
func rulesConfig(t *testing.T, file, loss string) config.Config {
	t.Helper()
	c, err := Task{}.Defaults(config.Config{Task: "model", Loss: loss, Options: &Options{Model: file}})
	require.NoError(t, err)
	c.Options.(*Options).Model = file
	c.Training.Epochs, c.Training.NoTest, c.Training.LastWeights = 6, true, true
	return c
}

// Learning has no weights that stay, as a relaxed hard rule would need: it is refused, and without relaxation
// the rule stays hard. Beside networks with frozen rules all weights stay.
func TestRelaxedLearning(t *testing.T) {
	_, err := Task{}.Open(rulesConfig(t, couplesFile(t, `"inference.relax": true`), "energy"), "")
	require.ErrorContains(t, err, "learn with inference.relax false, and infer by the learned rules with -D inference.relax=true")
	require.ErrorAs(t, err, new(*config.UsageError))
	m, err := Task{}.Open(rulesConfig(t, couplesFile(t, `"inference.relax": false`), "energy"), "")
	require.NoError(t, err)
	assert.Len(t, m.Loss().Weights(), 3)
	file := write(t, replaced(t, `"predicates"`, `"options": {"inference.relax": true}, "predicates"`), tinyFiles)
	c := small(t, file, "energy")
	_, err = Task{}.Open(c, "")
	require.ErrorContains(t, err, "inference.relax: "+file+": ")
	c.Symbolic.FreezeRules = true
	_, err = Task{}.Open(c, "")
	require.NoError(t, err)
}

// A threshold may be written as a number, as the other settings are.
func TestThresholdAsNumber(t *testing.T) {
	c := rulesConfig(t, couplesFile(t, ""), "energy")
	for text, want := range map[string]Threshold{"0.7": "0.7", ".5": "0.5", "1": "1", "'0.25'": "0.25", "validation": "validation"} {
		_, err := c.SetText("options.threshold=" + text)
		require.NoError(t, err)
		require.NoError(t, c.Validate())
		assert.Equal(t, want, c.Options.(*Options).Threshold)
	}
	_, err := c.SetText("options.threshold=[1]")
	assert.EqualError(t, err, "config: options.threshold: want a text")
	_, err = c.SetText("options.threshold=7")
	require.NoError(t, err)
	assert.ErrorContains(t, c.Validate(), `"7" is neither a number in [0, 1]`)
}
