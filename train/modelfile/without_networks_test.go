package modelfile

import (
	"context"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/optim"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/learning"
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

// learnedBy returns the weights that are learned by a configuration, nil if it is refused.
func learnedBy(t *testing.T, c config.Config) []float64 {
	t.Helper()
	m, err := Task{}.Open(c, "")
	if err != nil {
		return nil
	}
	_, err = train.Run(context.Background(), c, m, train.Options{Dir: t.TempDir()})
	require.NoError(t, err)
	return m.Loss().Weights()
}

// Settings of networks are refused where a person gives them for a model that has none, and no other
// setting of the loss or the rules is. Rightly: whatever they are, the same weights are learned. Only rules-after
// would change them, into those of the start.
func TestSettingsOfNetworks(t *testing.T) {
	users := learning.Users([]learning.Task{Task{}})
	file := couplesFile(t, "")
	want := learnedBy(t, rulesConfig(t, file, "mse"))
	require.Len(t, want, 3)
	all, changed := rulesConfig(t, file, "mse"), 0
	for i, s := range all.Settings() {
		section, name, _ := strings.Cut(s.Key, ".")
		err := all.CheckTask(s.Key, users)
		none := section == "neural" || s.Key == "symbolic.rules-after" || s.Key == "bilevel.draws" || s.Key == "bilevel.samples" ||
			section == "options" && name != "model" && name != "threshold"
		if !none {
			if section != "training" && s.Key != "split" { // some of no model file
				assert.NoError(t, err, s.Key)
			}
			continue
		}
		require.ErrorContains(t, err, s.Key+": is for networks, and the model has none", s.Key)
		c := rulesConfig(t, file, "mse")
		switch v := c.Settings()[i].Value; v.Kind() {
		case reflect.Float64:
			v.SetFloat(2)
		case reflect.Int:
			v.SetInt(2)
		case reflect.Bool:
			v.SetBool(true)
		}
		if got := learnedBy(t, c); got != nil && s.Key != "symbolic.rules-after" {
			assert.Equal(t, want, got, s.Key)
			changed++
		}
	}
	assert.Greater(t, changed, 15)
	for key, instead := range map[string]string{
		"neural.learning-rate": "set symbolic.mirror-step for them", "neural.clip-norm": "set symbolic.clip for them",
		"neural.init": "leave it out", "training.shards": "model has no use for it",
	} {
		assert.ErrorContains(t, all.CheckTask(key, users), instead)
	}
	networks := small(t, write(t, tiny, tinyFiles), "mse")
	for _, key := range []string{"neural.learning-rate", "symbolic.rules-after", "options.label-weight", "bilevel.draws"} {
		assert.NoError(t, networks.CheckTask(key, users))
	}
}

// A zero means for a model without networks what the list of settings tells: three weighted rules and three targets.
func TestZerosOfRules(t *testing.T) {
	file := couplesFile(t, "")
	c := rulesConfig(t, file, "mse")
	want := learnedBy(t, c)
	zero := map[string]string{}
	for _, s := range c.Settings() {
		zero[s.Key] = s.Zero
	}
	assert.Equal(t, "2 over the number of weighted rules with ground rules", zero["bilevel.prox-weight"])
	assert.Equal(t, "1e-3 times prox-weight times the number of targets", zero["bilevel.constraint-tolerance"])
	c.Bilevel.ProxWeight = 2. / 3
	c.Bilevel.ConstraintTolerance = 1e-3 * c.Bilevel.ProxWeight * 3
	assert.Equal(t, want, learnedBy(t, c))
	c.Bilevel.ProxWeight, c.Bilevel.ConstraintTolerance = 0.01, 1e-3
	assert.NotEqual(t, want, learnedBy(t, c), "the zeros beside networks")
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

// A rule without ground rules takes nothing from the others by any loss: by the energy loss, whose gradient is
// the distances to satisfaction .4 and .2, n steps of size η of mirror descent (paper, section 5)
// leave 1/(1 + e^(.2ηn)) of the simplex to the first, as if the third rule were not written. Its
// weight stays in proportion to where the others began.
func TestRuleWithoutGroundRules(t *testing.T) {
	const two = `"1: P(A) -> T(A)", "1: T(A) <= 0.3"`
	src := `{"rules": [` + two + `, "6: Q(A) -> T(A)"], "predicates": {"P/1": {"observations": [["a", 0.9]]}, "Q/1": {},
		"T/1": {"targets": [["a"]], "truth": [["a", 0.5]], "evaluations": ["ContinuousEvaluator"]}}}`
	for _, method := range []optim.Method{optim.Mirror, optim.Projected} {
		for _, loss := range []string{"energy", "mse", "bce"} {
			learned := func(src string) []float64 {
				c := rulesConfig(t, write(t, src, nil), loss)
				c.Training.Epochs, c.Symbolic.WeightOptions = 10, optim.WeightOptions{Method: method, Step: .5}
				return learnedBy(t, c)
			}
			w := learned(src)
			require.Len(t, w, 3)
			assert.Equal(t, 3., w[2], "6 of the 1 + 1 of the others")
			assert.Equal(t, learned(strings.Replace(src, `, "6: Q(A) -> T(A)"`, "", 1)), w[:2], loss)
			if method == optim.Mirror && loss == "energy" {
				assert.InDelta(t, 1/(1+math.Exp(.2*.5*10)), w[0], 1e-9)
				assert.InDelta(t, 1, w[0]+w[1], 1e-12)
			}
		}
	}
}

// TestExportSparesRules: learned rules do not take the place of the file that they come from, without which
// a run does not go on. A model without networks has none to write.
func TestExportSparesRules(t *testing.T) {
	const model = `{"rules": "rules.psl", "predicates": {"T/1": {"targets": [["a"]], "truth": [["a", 1]]}}}`
	file := write(t, model, map[string]string{"rules.psl": "2: T(A) = 1 ^2\n1: T(A) = 0 ^2\n"})
	m, err := Task{}.Open(rulesConfig(t, file, "mse"), "")
	require.NoError(t, err)
	rules := filepath.Join(filepath.Dir(file), "rules.psl")
	require.ErrorContains(t, train.CheckExport(rules, m), "the model is read from "+rules)
	require.NoError(t, train.CheckExport(rules+".psl", m))
	for _, name := range []string{"net.onnx", "net.safetensors"} {
		require.ErrorContains(t, train.CheckExport(filepath.Join(t.TempDir(), name), m), "there is no network to write to")
	}
}
