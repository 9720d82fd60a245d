package infer

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
		r, stdout := ran(t, searched(method))
		l := r.learned
		if l == nil || l.Stopped != stoppedSearch || l.Epochs != trials || l.Solves != trials || l.epsilon != smallEpsilon {
			t.Fatalf("%s: learned %+v", method, l)
		}
		// The score is the negative squared error at the labels 1: mates are alike.
		if w := l.Weights; !(l.BestScore > -0.1) || !(w[0] > 3*w[1]) || !(w[0] > 3*w[2]) {
			t.Errorf("%s: weights %v, score %v", method, l.Weights, l.BestScore)
		}
		if !strings.Contains(stdout, "learn      "+method+": ") || !strings.Contains(stdout, " trials in ") {
			t.Errorf("%s: printed\n%s", method, stdout)
		}
	}
}

// An interrupted search goes on from its journal and finds what it would have found; a
// timeout ends it with the best so far.
func TestSearchGoesOn(t *testing.T) {
	model := strings.Replace(searched("ContinuousRandomGridSearch"), "maxlocations\": 30", "maxlocations\": 300", 1)
	searched := func(model string, args ...string) *learned {
		r, _ := ran(t, model, args...)
		return r.learned
	}
	whole := searched(model)
	out := t.TempDir()
	c, _ := testCommand(t, model, "-out", out)
	interrupt(c)
	_, err := c.run()
	if _, ok := errors.AsType[*interruptedError](err); !ok {
		t.Fatalf("ended with %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(out, "*")); len(files) != 2 {
		t.Errorf("files %v", files)
	}
	k := searched(model, "-out", out)
	if !slices.Equal(k.Weights, whole.Weights) || k.Epochs != 300 || k.Solves >= 300 {
		t.Errorf("went on to %v after %d trials of which it made %d, want %v", k.Weights, k.Epochs, k.Solves, whole.Weights)
	}
	if _, err := os.Stat(filepath.Join(out, "search.jsonl")); err == nil {
		t.Error("the journal is still there")
	}
	for _, timeout := range []string{"0.02", "1e-9"} { // the second is over before any trial
		late := searched(strings.Replace(model, `"gpp.maxiterations"`, `"weightlearning.timeout": `+timeout+`, "gpp.maxiterations"`, 1))
		if late.Stopped != stoppedTimeout && late.Stopped != stoppedSearch {
			t.Errorf("%+v", late)
		}
	}
}
