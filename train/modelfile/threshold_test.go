package modelfile

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/model"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/traintest"
)

// halves is a model without networks whose values are the observed ones.
const halves = `{"rules": ["1: Like(A) = Same(A) ^2"],
	"predicates": {
		"Like/1": {"observations": {"learn": [["k", 1], ["l", 0]], "validation": [["a", 0.4], ["b", 0.3], ["c", 0.2]], "infer": [["p", 0.45], ["q", 0.35], ["r", 0.1]]}},
		"Same/1": {
			"targets": {"learn": [["k"], ["l"]], "validation": [["a"], ["b"], ["c"]], "infer": [["p"], ["q"], ["r"]]},
			"truth": {"learn": [["k", 1], ["l", 0]], "validation": [["a", 1], ["b", 1], ["c", 0]], "infer": [["p", 1], ["q", 0], ["r", 0]]},
			"evaluations": ["DiscreteEvaluator"]}}}`

// On validation .25 parts true from false; in the test, one of the two atoms beyond it is true.
// Without a threshold none is. The run keeps it, for all that infer with the run.
func TestThreshold(t *testing.T) {
	cfg := small(t, write(t, halves, nil), "mse")
	cfg.Symbolic.Epsilon = 1e-8
	run := func(threshold Threshold) (map[string]float64, string) {
		o := *cfg.Options.(*Options)
		o.Threshold = threshold
		c := cfg
		c.Options = &o
		dir := t.TempDir()
		m, err := Task{}.Open(c, "")
		require.NoError(t, err)
		res := traintest.Run(t, c, m, train.Options{Dir: dir})
		assert.Equal(t, res.More["Same Discrete f1"], res.TestAccuracy, "the figure that judges the run is at the threshold too")
		return res.More, dir
	}
	more, _ := run("")
	assert.Zero(t, more["Same Discrete positive_recall"])
	assert.NotContains(t, more, "Same Discrete threshold")
	more, dir := run("validation")
	assert.InDelta(t, 0.25, more["Same Discrete threshold"], 1e-6)
	assert.Equal(t, []float64{0.5, 1}, []float64{more["Same Discrete positive_precision"], more["Same Discrete positive_recall"]})
	trained, err := LoadTrained(dir, nil)
	require.NoError(t, err)
	kept, err := trained.Thresholds()
	require.NoError(t, err)
	assert.InDelta(t, 0.25, kept["Same"], 1e-6)
	more, _ = run("0.4")
	assert.Equal(t, 1.0, more["Same Discrete f1"])

	// Values are .45 of a true atom, .35 and .1: runs are judged at what they keep, several at the mean.
	for texts, want := range map[string]float64{"validation": 2. / 3, "0.3": 2. / 3, "0.5": 0, "0.3 0.5": 1, "0.3 0.5 ": 1} {
		var runs []*Trained
		for _, text := range strings.Split(texts, " ") {
			_, dir := run(Threshold(text))
			trained, err := LoadTrained(dir, nil)
			require.NoError(t, err)
			runs = append(runs, trained)
		}
		figures, err := Judge(cfg.Options.(*Options).Model, "", runs...)
		require.NoError(t, err)
		assert.InDelta(t, want, figures["Same Discrete f1"], 1e-9, texts)
	}

	// A target of both partitions is told of before the run.
	both := strings.NewReplacer(`"infer": [["p"]`, `"infer": [["b"], ["p"]`, `[["p", 0.45]`, `[["b", 0.3], ["p", 0.45]`).Replace(halves)
	for file, want := range map[string]int{halves: 0, both: 1} {
		c := small(t, write(t, file, nil), "mse")
		c.Options.(*Options).Threshold = "validation"
		m, err := Task{}.Open(c, "")
		require.NoError(t, err)
		list := slices.DeleteFunc(m.(learning.Rulebook).Warnings(), func(text string) bool { return !strings.Contains(text, "flatters") })
		require.Len(t, list, want)
		assert.Contains(t, strings.Join(list, ""), strings.Repeat("1 of the 3 targets of Same", want))
	}
}

// TestThresholdOfClasses: no output of a sigmoid is below 0, and none is 1. A truth of a half is a yes, as for the evaluator.
func TestThresholdOfClasses(t *testing.T) {
	file := write(t, replaced(t, `{"learn": [["b", "v", 0.3], ["c", "u", 1]]}`, `[["b", "v", 0.5], ["c", "u"]], "evaluations": ["DiscreteEvaluator"]`), tinyFiles)
	for class, threshold := range []Threshold{"1", "0"} {
		dir := t.TempDir()
		m, c := open(t, file, "energy", func(_ *config.Config, o *Options) { o.Threshold = threshold })
		_, err := train.Run(t.Context(), c, m, train.Options{Dir: dir})
		require.NoError(t, err)
		trained, err := LoadTrained(dir, nil)
		require.NoError(t, err)
		list, err := trained.Classify(m.parts[learning.TestPart].Model, "")
		require.NoError(t, err)
		assert.Equal(t, "B", list[1].Predicate)
		assert.Equal(t, slices.Repeat([]int{class}, 5), list[1].Class)
		assert.Equal(t, 1, list[1].Truth[slices.Index(list[1].Entities, "b, v")])
	}
}

func TestThresholdRefused(t *testing.T) {
	for threshold, want := range map[Threshold]string{
		"2": "neither a number in [0, 1]", "test": "neither a number in [0, 1]",
	} {
		c := small(t, write(t, halves, nil), "mse")
		c.Options.(*Options).Threshold = threshold
		_, err := Task{}.Open(c, "")
		require.ErrorContains(t, err, want)
		require.ErrorAs(t, err, new(*config.UsageError))
	}
	c := small(t, write(t, strings.Replace(halves, `["b", 1], ["c", 0]`, `["b", 1]`, 1), nil), "mse")
	c.Options.(*Options).Threshold = "validation"
	m, err := Task{}.Open(c, "")
	require.NoError(t, err)
	_, err = train.Run(t.Context(), c, m, train.Options{Dir: t.TempDir()})
	assert.ErrorContains(t, err, "the partition validation has not both")
}

// A predictor answers with the threshold, as serving does.
func TestPredictorHasThreshold(t *testing.T) {
	file := write(t, replaced(t, `"truth": {"learn": [["c", 0]]}}`, `"truth": {"learn": [["c", 0]]}, "evaluations": ["DiscreteEvaluator"]}`), tinyFiles)
	for threshold, want := range map[Threshold]model.Thresholds{"": {}, "0.3": {"Z": 0.3}} {
		m, _ := open(t, file, "sp", func(_ *config.Config, o *Options) { o.Threshold = threshold })
		q, err := m.NewPredictor()
		require.NoError(t, err)
		p, err := q.Predict([]Input{{"A", []string{"a"}, []float32{.5, -1}}})
		require.NoError(t, err)
		assert.Equal(t, want, p.Thresholds)
	}
}
