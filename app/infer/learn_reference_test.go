package infer

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/app/infer/problem"
	"hinge/train/exit"
	"hinge/train/record"
)

// towns is a model with data of all partitions. The labels of learn speak for
// Mates, those of validation against.
const towns = `{"rules": ["1: Mates(A, B) & Likes(A) -> Likes(B) ^2", "1: !Likes(A) ^2", "1: Mates(A, B) & Likes(A) -> !Likes(B) ^2"],
	"predicates": {
		"Mates/2": {"observations": {"learn": [["a", "b"], ["b", "c"]], "validation": [["d", "e"]], "infer": [["f", "g"]]}},
		"Likes/1": {"observations": {"learn": [["a"]], "validation": [["d"]], "infer": [["f"]]},
			"targets": {"learn": [["b"], ["c"]], "validation": [["e"]], "infer": [["g"]]},
			"truth": {"learn": [["b"], ["c"]], "validation": [["e", 0]]},
			"evaluations": ["ContinuousEvaluator"]}},
	"options": {"inference.normalize": false, "runtime.learn": true, "runtime.inference": true, OPTIONS}}`

func withLearning(options string) string { return strings.Replace(towns, "OPTIONS", options, 1) }

// learnedFirst runs the learning before inference.
func learnedFirst(t *testing.T, options string) *report {
	t.Helper()
	r, _ := ran(t, withLearning(options))
	if r.learned == nil {
		t.Fatal("nothing was learned")
	}
	return r
}

// The stop rules of the model end learning, and validation chooses the weights.
func TestLearnFirstStops(t *testing.T) {
	base := `"gradientdescent.numsteps": 30, "gradientdescent.scalestepsize": false, "gradientdescent.negativelogregularization": 0.001,
		"gradientdescent.negativeentropyregularization": 0, "gradientdescent.stopcomputeperiod": 1`
	for _, c := range []struct {
		options string
		epochs  int
		stopped string
	}{
		{base + `, "gradientdescent.runfulliterations": true`, 31, record.StoppedSteps},
		{base + `, "gradientdescent.movementtolerance": 1`, 1, record.StoppedMovement},
		{base + `, "gradientdescent.movementbreak": false, "weightlearning.timeout": 1e-9`, 1, record.StoppedSeconds},
		{base + `, "gradientdescent.movementbreak": false, "gradientdescent.validationbreak": true, "gradientdescent.validationpatience": 3`, 5, record.StoppedPatience},
	} {
		j := learnedFirst(t, c.options)
		if j.learned.result.Steps != c.epochs || j.learned.result.Stopped != c.stopped {
			t.Errorf("%s: %d steps, %s, want %d, %s", c.options, j.learned.result.Steps, j.learned.result.Stopped, c.epochs, c.stopped)
		}
	}
	// Without an evaluation the reference (GradientDescent.java of PSL 3) counts the patience from the first
	// epoch, so that learning would end after it whatever it has found; a break that nothing can delay is refused.
	blind := strings.Replace(withLearning(base+`, "gradientdescent.trainingevaluationbreak": true`), `"evaluations": ["ContinuousEvaluator"]`, `"evaluations": []`, 1)
	refused(t, exit.Usage, "trainingevaluationbreak needs an evaluator", "-model", modelFile(t, blind))
	// A metric that stays as it is counts as an improvement in validations, and not in training
	// (runValidationEvaluation and runMAPEvaluation of GradientDescent.java of PSL 3).
	for option, steps := range map[string]int{"validation": 31, "trainingevaluation": 5} {
		still := strings.Replace(withLearning(base+`, "gradientdescent.movementbreak": false, "gradientdescent.stepsize": 0.001,
			"gradientdescent.`+option+`break": true, "gradientdescent.`+option+`patience": 3`), "ContinuousEvaluator", "DiscreteEvaluator", 1)
		r, _ := ran(t, still)
		assert.Equal(t, steps, r.learned.result.Steps, option)
	}
	// The longer it learns that mates are alike, the worse is it for validation: the
	// weights at the start are best.
	j := learnedFirst(t, base+`, "gradientdescent.runfulliterations": true, "gradientdescent.savevalidationweights": true`)
	for i, w := range j.learned.weights {
		assert.Equalf(t, j.learned.start[i], w, "weights %v, want those of the start, %v", j.learned.weights, j.learned.start)
	}
	// bce and mse are learned, too, with validation and a timeout; that the weights
	// hardly move does not end them.
	for _, method := range []string{"BinaryCrossEntropy", "SquaredError"} {
		name := `, "runtime.learn.method": "` + method + `"`
		j := learnedFirst(t, base+name+`, "gradientdescent.movementtolerance": 1`)
		if w := j.learned.weights; !(w[0] > w[2]) || j.learned.result.Steps < 2 {
			t.Errorf("%s: weights %v after %d steps", method, w, j.learned.result.Steps)
		}
		if j := learnedFirst(t, base+name+`, "weightlearning.timeout": 1e-9`); j.learned.result.Steps != 1 || j.learned.result.Stopped != record.StoppedSeconds {
			t.Errorf("%s: %s after %d steps", method, j.learned.result.Stopped, j.learned.result.Steps)
		}
		j = learnedFirst(t, base+name+`, "gradientdescent.runfulliterations": true, "gradientdescent.savevalidationweights": true`)
		for i, w := range j.learned.weights {
			if w != j.learned.start[i] {
				t.Errorf("%s: weights %v, want those of the start, %v", method, j.learned.weights, j.learned.start)
			}
		}
	}
	// Steps on weights other than mirror descent.
	long := `"gradientdescent.numsteps": 300, "gradientdescent.scalestepsize": false, "gradientdescent.negativelogregularization": 0.1,
		"gradientdescent.negativeentropyregularization": 0, "gradientdescent.stopcomputeperiod": 1, "gradientdescent.runfulliterations": true, "gradientdescent.stepsize": 0.02`
	mirror := learnedFirst(t, long).learned.weights
	projected := learnedFirst(t, long+`, "gradientdescent.symbolicweightupdate": "PROJECTED_GRADIENT"`).learned.weights
	plain := learnedFirst(t, long+`, "gradientdescent.symbolicweightupdate": "GRADIENT_DESCENT", "gradientdescent.l2regularization": 0.1`).learned
	sum := 0.0
	for i := range mirror {
		if math.Abs(mirror[i]-projected[i]) > 2e-3 {
			t.Errorf("mirror descent finds %v, projected steps %v", mirror, projected)
		}
		sum += plain.weights[i]
	}
	if plain.start[0] != 1 || math.Abs(sum-1) < 0.1 {
		t.Errorf("plain steps find %v from %v", plain.weights, plain.start)
	}
}

// TestLearnedAsReference: the weights that pslpython 2.4.1 learns for examples/weight-learning, with
// which its ADMM infers not quite the optimum.
func TestLearnedAsReference(t *testing.T) {
	c, _, err := newTestCommand(t, "-model", filepath.FromSlash("../../examples/weight-learning/model.json"), "--learn", "--infer", "-quiet")
	require.NoError(t, err)
	r, err := c.run()
	require.NoError(t, err)
	want := []float64{
		0.1167422, 0.1167422, 0.067036375, 0.062464636, 0.08659321, 0.08659322, 0.024848672, 0.026150726,
		0.029838197, 0.029838195, 0.046205692, 0.03533757, 0.031995017, 0.031995017, 0.10624592, 0.10137306,
	}
	assert.InDeltaSlice(t, want, r.learned.weights, 5e-4)
}

// TestLearnedByMinimizers: the weights of bce and mse are those of a program in Python that repeats the
// steps of PSL 3's Minimizer.java with exact inferences (Clarabel 0.11.1), but tests by those of the step
// before, not anew after it. Penalty, multiplier and relaxation move several times; a run of the defaults
// ends at the test after its first step.
func TestLearnedByMinimizers(t *testing.T) {
	const neighbours = `{"rules": ["1: Mates(A, B) & Likes(A) -> Likes(B) ^2", "1: Local(A) -> Likes(A) ^2", "1: !Likes(A) ^2", "1: Mates(A, B) & Likes(A) -> !Likes(B) ^2"],
		"predicates": {
			"Mates/2": {"observations": [["a", "b"], ["b", "c"], ["c", "d", 0.8]]},
			"Local/1": {"observations": [["b", 0.9], ["c", 0.2], ["d", 0.6]]},
			"Likes/1": {"observations": [["a"]], "targets": [["b"], ["c"], ["d"]], "truth": [["b", 1], ["c", 0.3]]}},
		"options": {"inference.normalize": false, "runtime.learn": true, "runtime.inference": true, "runtime.learn.method": "METHOD" OPTIONS}}`
	const plain = `, "gradientdescent.scalestepsize": false, "gradientdescent.negativelogregularization": 0.001,
		"gradientdescent.negativeentropyregularization": 0`
	const (
		full = plain + `, "gradientdescent.runfulliterations": true, "gradientdescent.stopcomputeperiod": 3, "gradientdescent.numsteps": 40,
			"minimizer.energylosscoefficient": 0, "minimizer.proxruleweight": PROX`
		stops = plain + `, "gradientdescent.stopcomputeperiod": 4, "minimizer.proxruleweight": PROX, "minimizer.energylosscoefficient": 0.1, "minimizer.objectivedifferencetolerance": 0.03`
	)
	for _, c := range []struct {
		method, options, prox string
		steps                 int
		want                  []float64
	}{
		{"SquaredError", "", "", 1, []float64{0.255369, 0.265791, 0.238343, 0.240497}},
		{"SquaredError", full, "1", 43, []float64{0.3325376, 0.4439041, 0.1579601, 0.0655982}},
		{"SquaredError", stops, "1", 33, []float64{0.3223983, 0.4551336, 0.1353684, 0.0870997}},
		{"SquaredError", full, "20", 43, []float64{0.2603393, 0.5358414, 0.1572579, 0.0465613}}, // long steps on the points
		{"BinaryCrossEntropy", full, "1", 43, []float64{0.2581803, 0.5902586, 0.130995, 0.0205661}},
		{"BinaryCrossEntropy", stops, "1", 41, []float64{0.245336, 0.6159727, 0.1127576, 0.0259337}},
	} {
		r, _ := ran(t, strings.NewReplacer("METHOD", c.method, "OPTIONS", strings.ReplaceAll(c.options, "PROX", c.prox)).Replace(neighbours))
		require.Equalf(t, c.steps, r.learned.result.Steps, "%s %s", c.method, c.options)
		assert.InDeltaSlicef(t, c.want, r.learned.weights, 1e-6, "%s %s", c.method, c.options)
	}
}

// TestEpsilonOfEachMethod: learning and inference have the ε of the reference's methods for them, .01 with the dual
// ones, though only one of the two is named. The learned rules, inferred by -rules, have that of inference.
func TestEpsilonOfEachMethod(t *testing.T) {
	const dual = `.inference": "DualBCDInference"`
	both := strings.NewReplacer("Continuous", "Discrete", `"validation": [["e"]]`, `"validation": [["e"], ["h"]]`, `["e", 0]`, `["e", 1], ["h", 0]`)
	for options, want := range map[string][2]float64{
		`"gradientdescent.numsteps": 1`:                                          {problem.SmallEpsilon, problem.SmallEpsilon},
		`"weightlearning` + dual:                                                 {problem.DualEpsilon, problem.SmallEpsilon},
		`"runtime.inference.method": "DualBCDInference"`:                         {problem.SmallEpsilon, problem.DualEpsilon},
		`"runtime.inference.method": "DualBCDInference", "weightlearning` + dual: {problem.DualEpsilon, problem.DualEpsilon},
	} {
		dir := t.TempDir()
		r, _ := ran(t, both.Replace(withLearning(options)), "-out", dir, "-threshold", "validation")
		assert.Equal(t, want, [2]float64{r.learned.Epsilon, r.Epsilon}, options)
		again, _ := ran(t, both.Replace(withLearning(options)), "-rules", filepath.Join(dir, "rules.psl"))
		assert.Equal(t, [3]any{r.Epsilon, r.Y, r.Decided()}, [3]any{again.Epsilon, again.Y, again.Decided()}, options)
	}
}
