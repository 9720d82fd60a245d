package modelfile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/model"
	"hinge/train/config"
)

// TestAdvise: what is advised for labels of something else, of classes among links, of the classes
// alone and of rules alone, and for outputs that k-best does not take. The defaults have the same
// settings, until a setting of learning is told.
func TestAdvise(t *testing.T) {
	for _, c := range []struct{ file, want, why string }{
		{"mnist-xor/model.json", "loss=k-best training.batch=20 training.epochs=200 training.valid-every=10 training.patience=660 symbolic.freeze-rules=true", "the labels are of 400 targets"},
		{"mnist-xor/one-label.json", "loss=k-best training.batch=20 training.epochs=200 training.valid-every=10 training.patience=660 symbolic.freeze-rules=true options.labels-always=true options.label-weight=3 options.marginal-weight=1", "only 2 of 800 outputs"},
		{"neural-graph/model.json", "loss=energy", "164 of 640 outputs of the networks and 164 of 500 targets have labels"},
		{"pretrained/digits.json", "loss=energy options.rules-weight=0 symbolic.freeze-rules=true", "4000 of 4000 outputs"},
		{"smokers/model.json", "loss=energy", "12 of 20 targets"},
		{"neural-films/model.json", "loss=energy neural.gumbel-samples=32 neural.draw-temperature=0.05 neural.temperature-start=0.3 neural.temperature-min=0.25 training.batch=20", "the outputs of Taste are sigmoids"},
	} {
		file := filepath.Join("..", "..", "examples", filepath.FromSlash(c.file))
		choice := config.Config{Task: "model", Recipe: "best", System: "neupsl", Options: &Options{Model: file}}
		list, err := Task{}.Advise(choice)
		require.NoError(t, err, c.file)
		assert.Truef(t, strings.HasPrefix(texts(t, list), c.want+" "), "%s: %s", c.file, texts(t, list))
		why := ""
		for _, a := range list {
			why += a.Why + "\n"
		}
		assert.Contains(t, why, c.why, c.file)

		chosen, err := Task{}.Defaults(choice)
		require.NoError(t, err)
		chosen.Options.(*Options).Model = file // as -model does
		again, err := Task{}.Defaults(choice)
		require.NoError(t, err)
		require.NoError(t, apply(&again, list))
		assert.Equal(t, again, chosen, "%s: the advice changes nothing of the defaults", c.file)

		choice.Loss = "energy"
		plain, err := Task{}.Defaults(choice)
		require.NoError(t, err)
		assert.Equal(t, 1, plain.Training.Batch, "a loss that is told leaves the plain defaults")
		assert.Zero(t, plain.Neural.Samples)
	}
	for known, starts := range map[int]bool{0: false, 3: true} {
		list := Task{}.advise(nil, counts{networks: true, targets: 9, labelled: 9, outputs: 9, known: known, components: 1})
		assert.Equal(t, starts, strings.Contains(list[0].Why, "the labels of the classes start the networks"), "with %d labels of classes", known)
	}
	list := Task{}.advise(&part{Model: &model.Model{}}, counts{networks: true, targets: 45, labelled: 45, outputs: 90, components: 45})
	assert.Contains(t, texts(t, list), "training.epochs=200 training.valid-every=3 training.patience=198 ", "the last batch of an epoch has five components")
	assert.True(t, slices.ContainsFunc(list, func(a Advice) bool { return a.Why == "600 steps; an epoch has 3" }))
	_, err := Task{}.Advise(config.Config{Options: &Options{Model: "none.json"}})
	assert.ErrorContains(t, err, "none.json")
	_, err = Task{}.Advise(config.Config{})
	assert.ErrorContains(t, err, "-model names a model file")
}

// TestAdviseCountsEntities: the class of an entity labels all its outputs, however its truth is written,
// and classes that are not true label nothing.
func TestAdviseCountsEntities(t *testing.T) {
	for truth, want := range map[string]string{
		`[["a", "x", 1], ["a", "y", 0], ["a", "z", 0]]`: "3 of 9 outputs",
		`[["a", "x"]]`:              "3 of 9 outputs",
		`[["a", "x"], {"rest": 0}]`: "3 of 9 outputs",
		`[["a", "x", 0.6], ["b", "z", 0.5], {"rest": 0}]`: "6 of 9 outputs",
		`[["a", "x", 0]]`: "0 of 9 outputs",
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"f.txt": "a\t1\nb\t2\nc\t3\n", "m.json": `{"rules": ["1: N(X, C) = Y(X, C) ^2"], "predicates": {
			"N/2": {"network": {"model": "mlp", "layers": [], "features": "f.txt", "classes": ["x", "y", "z"]}, "targets": "all.txt", "truth": ` + truth + `},
			"Y/2": {"targets": "all.txt", "truth": [["a", "x"]]}}}`} {
			text = strings.ReplaceAll(text, `"all.txt"`, `[["a", "x"], ["a", "y"], ["a", "z"], ["b", "x"], ["b", "y"], ["b", "z"], ["c", "x"], ["c", "y"], ["c", "z"]]`)
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
		list, err := Task{}.Advise(config.Config{Options: &Options{Model: filepath.Join(dir, "m.json")}})
		require.NoError(t, err)
		assert.Contains(t, list[0].Why, want, truth)
	}
}

// texts writes advice as KEY=VALUE, with a space behind each.
func texts(t *testing.T, list []Advice) (text string) {
	t.Helper()
	for _, a := range list {
		assert.NotEmpty(t, a.Why, a.Key)
		text += fmt.Sprintf("%s=%v ", a.Key, a.Value)
	}
	return text
}
