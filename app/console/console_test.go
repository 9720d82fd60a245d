package console

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train"
	"hinge/train/record"
)

// plan is that of a short run, which drive plays to an observer.
var plan = train.Plan{Task: "toy", Loss: "energy", Examples: 4, Batch: 2, Steps: 3, Done: 1, Parameters: 7}

func drive(o train.Observer) {
	loss, accuracy := 0.25, 0.5
	o.Note("resuming from step 1")
	o.Start(plan)
	for step := 2; step <= 3; step++ {
		o.Step(step, record.Metric{Step: step, Loss: &loss, NeuralS: 0.1, Solves: 3, Unsolved: step - 2, GradNorm: new(0.0)})
	}
	o.Valid(3, record.Metric{Step: 3, Accuracy: &accuracy, Parts: new(0.75), Entropy: new(0.125)}, train.Kept)
	o.Done()
}

// TestLook: a look at the validation data, which chooses nothing, is called one and says
// nothing of what is kept, however good the accuracy.
func TestLook(t *testing.T) {
	var out bytes.Buffer
	accuracy := 0.75
	l := newLines(&out, Text, false)
	l.Valid(3, record.Metric{Step: 3, Accuracy: &accuracy}, train.Looked)
	l.Valid(4, record.Metric{Step: 4, Accuracy: &accuracy}, train.Passed)
	l.Valid(5, record.Metric{Step: 5, Accuracy: &accuracy, Figure: "auroc", Parts: new(.5), Networks: map[string]float64{"Op": 1, "Digit": .5}}, train.Passed)
	assert.Contains(t, out.String(), "msg=valid step=5 auroc=0.75 Digit=0.5 Op=1 kept=false\n")
	l.Valid(6, record.Metric{Step: 6, Accuracy: &accuracy, Parts: new(0.0), Entropy: new(0.0)}, train.Passed)
	assert.Contains(t, out.String(), "msg=valid step=6 accuracy=0.75 parts=0 entropy=0 kept=false\n", "0 is a share")
	var s Status
	s.valid(0, &record.Metric{Accuracy: &accuracy}, train.Kept)
	s.valid(1, &record.Metric{Accuracy: new(0.25)}, train.Passed)
	if want := "(kept: 75.0 % at 0)"; !strings.Contains(s.String(), want) {
		t.Errorf("%s, want %s", &s, want)
	}
	if text, err := json.Marshal(&s); err != nil || !strings.Contains(string(text), `"best_step":0`) {
		t.Errorf("%s, want the best step, 0", text)
	}
	s.valid(5, &record.Metric{Accuracy: &accuracy, Figure: "auroc", Networks: map[string]float64{"Op": 1, "Digit": .5}}, train.Kept)
	assert.Contains(t, s.String(), "validation auroc 0.7500 at step 5, Digit 50.0 %, Op 100.0 %;")
	if text := out.String(); !strings.Contains(text, "msg=look step=3 accuracy=0.75\n") || !strings.Contains(text, "msg=valid step=4 accuracy=0.75 kept=false\n") {
		t.Errorf("it said\n%s", text)
	}
}

// TestJSONLines: each event is an object of a line with its own values, in their order; TestLook
// has the same in text.
func TestJSONLines(t *testing.T) {
	var out bytes.Buffer
	drive(newLines(&out, JSON, false))
	want := []map[string]any{
		{"msg": "resuming from step 1"},
		{"msg": "training", "plan": plan.String(), "done": 1.0, "steps": 3.0},
		{"msg": "step", "step": 2.0, "of": 3.0, "epoch": 0.0, "loss": 0.25, "neural_s": 0.1, "solves": 3.0},
		{"msg": "step", "step": 3.0, "of": 3.0, "loss": 0.25, "neural_s": 0.1, "solves": 3.0},
		{"msg": "valid", "step": 3.0, "accuracy": 0.5, "parts": 0.75, "entropy": 0.125, "kept": true},
	}
	n := 0
	for line := range strings.Lines(out.String()) {
		var v map[string]any
		require.NoErrorf(t, json.Unmarshal([]byte(line), &v), "line %q", line)
		if n == len(want) {
			t.Fatalf("a line too many: %s", line)
		}
		for key, value := range want[n] {
			if v[key] != value {
				t.Errorf("line %d: %s is %v, want %v", n+1, key, v[key], value)
			}
		}
		n++
	}
	assert.Equal(t, len(want), n)
}

func TestQuiet(t *testing.T) {
	var out bytes.Buffer
	drive(newLines(&out, Text, true))
	if text := out.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "resuming") {
		t.Errorf("quiet wrote %q, want the note alone", text)
	}
}

// TestNewChoosesLines: a file is no terminal.
func TestNewChoosesLines(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	require.NoError(t, err)
	defer f.Close()
	if _, ok := New(f, Text, false).(*lines); !ok {
		t.Error("a file gets a progress bar")
	}
}
