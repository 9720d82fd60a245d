package infer

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hinge/train/weights"
)

// searched is the model of towns with an evaluation and a search; numbers of trials are
// small.
func searched(method string) string {
	return withLearning(`"runtime.learn.method": "` + method + `", "gridsearch.weights": "0.01:1", "gpp.maxconfigs": 500, "gpp.maxiterations": 12, "search.dirichletalpha": 0.5,
		"continuousrandomgridsearch.maxlocations": 30, "hyperband.basebracketsize": 4, "hyperband.numbrackets": 2`)
}

// Every search finds weights that fit the data, with which the model is inferred.
func TestSearches(t *testing.T) {
	for method, trials := range map[string]int{"GridSearch": 8, "RandomGridSearch": 8, "GuidedRandomGridSearch": 8, "ContinuousRandomGridSearch": 30, "Hyperband": 4 + 8 + 2, "GaussianProcessPrior": 12} {
		j, stdout := testJob(t, searched(method))
		if err := j.run(); err != nil {
			t.Fatal(err)
		}
		l := j.first
		if l == nil || l.Stopped != stoppedSearch || l.Epochs != trials || l.Solves != trials || l.epsilon != smallEpsilon {
			t.Fatalf("%s: learned %+v", method, l)
		}
		// The score is the negative squared error at the labels 1: mates are alike.
		if w := l.Weights; !(l.BestScore > -0.1) || !(w[0] > 3*w[1]) || !(w[0] > 3*w[2]) {
			t.Errorf("%s: weights %v, score %v", method, l.Weights, l.BestScore)
		}
		if !strings.Contains(stdout.String(), "learn      "+method+": ") || !strings.Contains(stdout.String(), " trials in ") {
			t.Errorf("%s: printed\n%s", method, stdout)
		}
	}
}

// An interrupted search goes on from its journal and finds what it would have found; a
// timeout ends it with the best so far.
func TestSearchGoesOn(t *testing.T) {
	model := strings.Replace(searched("ContinuousRandomGridSearch"), "maxlocations\": 30", "maxlocations\": 300", 1)
	whole, _ := testJob(t, model)
	if err := whole.run(); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	j, _ := testJob(t, model, "-out", out)
	interrupt(j)
	err := j.run()
	var interrupted *interruptedError
	if !errors.As(err, &interrupted) {
		t.Fatalf("ended with %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(out, "*")); len(files) != 2 {
		t.Errorf("files %v", files)
	}
	k, _ := testJob(t, model, "-out", out)
	if err := k.run(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(k.first.Weights, whole.first.Weights) || k.first.Epochs != 300 || k.first.Solves >= 300 {
		t.Errorf("went on to %v after %d trials of which it made %d, want %v", k.first.Weights, k.first.Epochs, k.first.Solves, whole.first.Weights)
	}
	if _, err := os.Stat(filepath.Join(out, "search.jsonl")); err == nil {
		t.Error("the journal is still there")
	}
	for _, timeout := range []string{"0.02", "1e-9"} { // the second is over before any trial
		late, _ := testJob(t, strings.Replace(model, `"gpp.maxiterations"`, `"weightlearning.timeout": `+timeout+`, "gpp.maxiterations"`, 1))
		if err := late.run(); err != nil {
			t.Fatal(err)
		}
		if late.first.Stopped != stoppedTimeout && late.first.Stopped != weights.Stopped(stoppedSearch) {
			t.Errorf("%+v", late.first)
		}
	}
}
