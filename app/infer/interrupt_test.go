package infer

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/psl"
	"hinge/train/exit"
)

// interrupt sends a signal as soon as a run has something to keep.
func interrupt(c *command) {
	go func() {
		for c.Stop.Ctx.Err() == nil {
			if c.Stop.Holds() {
				c.Stop.Signal(os.Interrupt)
			}
			time.Sleep(time.Millisecond)
		}
	}()
}

// Learning that is interrupted writes the weights so far, and infers nothing.
func TestInterruptedLearning(t *testing.T) {
	first := withLearning(`"gradientdescent.numsteps": 100000000, "gradientdescent.runfulliterations": true`)
	unrated := strings.Replace(schools, `["AUCEvaluator", {"evaluator": "DiscreteEvaluator", "primary": true}]`, "[]", 1)
	for name, c := range map[string]struct {
		model string
		args  []string
		which string
	}{
		"-learn":          {schools, []string{"-learn", "sp", "-set", "training.epochs=100000000", "-set", "training.patience=0"}, "best"},
		"-learn bce":      {schools, []string{"-learn", "bce", "-set", "training.epochs=100000000", "-set", "training.patience=0", "-set", "bilevel.constraint-tolerance=1e-300"}, "best"},
		"last":            {schools, []string{"-learn", "sp", "-set", "training.epochs=100000000", "-set", "training.patience=0", "-set", "training.last-weights=true"}, "last"},
		"no evaluation":   {unrated, []string{"-learn", "sp", "-set", "training.epochs=100000000", "-set", "training.patience=0"}, "last"},
		"before infering": {first, nil, "last"},
	} {
		out := t.TempDir()
		run, stdout := testCommand(t, c.model, append(c.args, "-out", out)...)
		interrupt(run)
		_, err := run.run()
		var interrupted *interruptedError
		file := filepath.Join(out, "rules.psl")
		if !errors.As(err, &interrupted) || !strings.Contains(err.Error(), "of learning: the "+c.which+" weights so far are in "+file) || run.Stop.Code.Load() != exit.Interrupted {
			t.Fatalf("%s: ended with %v", name, err)
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		p, err := psl.Parse(file, text)
		require.NoError(t, err)
		sum := 0.0
		for _, r := range p.Rules {
			sum += r.Weight
		}
		if files, _ := os.ReadDir(out); len(files) != 1 || math.Abs(sum-1) > 1e-9 {
			t.Errorf("%s: wrote %v, weights that sum to %v", name, files, sum)
		}
		if text := stdout.String(); !strings.Contains(text, "as it was interrupted") || strings.Contains(text, "evaluation") {
			t.Errorf("%s: printed\n%s", name, text)
		} else {
			assert.Contains(t, text, fmt.Sprintf("  %.4f   ", p.Rules[0].Weight), name)
			assert.False(t, c.model == unrated && strings.Contains(text, "rated best"), "%s: printed\n%s", name, text)
		}
	}
	run, stdout := testCommand(t, schools, "-learn", "sp", "-set", "training.epochs=100000000", "-set", "training.patience=0", "-json")
	interrupt(run)
	_, _ = run.run()
	var s learnedSummary
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &s))
	assert.Positive(t, s.Solves, "of the steps until then")
}

// Inference that is interrupted writes the point reached and says what it is worth.
func TestInterruptedInference(t *testing.T) {
	out := t.TempDir()
	run, stdout := testCommand(t, smokers, "-json", "-method", "subgradient", "-gap", "1e-200", "-D", "reasoner.gradientdescent.maxiterations=2000000000",
		"-out", out, "-check", "-explain", "Smokes(bob)")
	interrupt(run)
	_, err := run.run()
	var interrupted *interruptedError
	if !errors.As(err, &interrupted) || !strings.Contains(err.Error(), "the values in "+out+" are the last feasible point, with a gap of ") {
		t.Fatalf("ended with %v", err)
	}
	var s summary
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &s))
	if s.Status != "interrupted" || s.Gap == nil || s.Explained != nil || !(*s.MaxViolation <= feasibleEnough) {
		t.Errorf("printed\n%s", stdout)
	}
	if text, err := os.ReadFile(filepath.Join(out, "SMOKES.txt")); err != nil || strings.Count(string(text), "\n") != 3 {
		t.Errorf("wrote %q, %v", text, err)
	}
}
