package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train/config"
	"hinge/train/exit"
	"hinge/train/learning"
	"hinge/train/record"
)

// watch records what an observer sees.
type watch struct {
	Nobody
	notes []string
	steps []int
	fates []Fate
}

func (w *watch) Note(text string)                     { w.notes = append(w.notes, text) }
func (w *watch) Step(step int, _ record.Metric)       { w.steps = append(w.steps, step) }
func (w *watch) Valid(_ int, _ record.Metric, f Fate) { w.fates = append(w.fates, f) }

// TestWarmup: the learning rate grows over the first epochs, but no more than a quarter of the run, to
// its value, by any schedule; then it stays, or falls by half a cosine.
func TestWarmup(t *testing.T) {
	for _, c := range []struct {
		schedule string
		epochs   int
		want     []float64 // of steps 0, 1, 2, 4, 10 and 12 of 16, four an epoch
	}{
		{"constant", 0, []float64{8, 8, 8, 8, 8, 8}},
		{"constant", 1, []float64{2, 4, 6, 8, 8, 8}},
		{"constant", 9, []float64{2, 4, 6, 8, 8, 8}},
		{"cosine", 1, []float64{2, 4, 6, 8, 4, 4 * (1 - math.Sin(math.Pi/6))}},
	} {
		cfg := toyConfig()
		cfg.Neural.LearningRate, cfg.Neural.Schedule, cfg.Neural.Warmup = 8, c.schedule, c.epochs
		l, err := newLearner(&cfg, newToy(1), 4, 16)
		require.NoError(t, err)
		for k, step := range []int{0, 1, 2, 4, 10, 12} {
			assert.InDeltaf(t, c.want[k], l.rate.At(step), 1e-12, "%s, %d epochs, step %d", c.schedule, c.epochs, step)
		}
	}
}

// metrics returns the metrics of a run folder without their seconds, which no
// two runs share.
func metrics(t *testing.T, dir string) []record.Metric {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, record.MetricsFile))
	require.NoError(t, err)
	var out []record.Metric
	for line := range strings.Lines(string(data)) {
		var m record.Metric
		require.NoErrorf(t, json.Unmarshal([]byte(line), &m), "metrics line %q", line)
		m.SolverS, m.NeuralS = 0, 0
		out = append(out, m)
	}
	return out
}

// sameRun compares two run folders and the two models they ended with.
func sameRun(t *testing.T, dirA, dirB string, a, b *toy) {
	t.Helper()
	if !slices.Equal(a.value, b.value) || !slices.Equal(a.buffer, b.buffer) ||
		!slices.Equal(a.w, b.w) || !slices.Equal(a.warm, b.warm) {
		t.Errorf("models differ:\n%v %v %v %v\n%v %v %v %v", a.value, a.buffer, a.w, a.warm, b.value, b.buffer, b.w, b.warm)
	}
	ma, _ := json.Marshal(metrics(t, dirA))
	mb, _ := json.Marshal(metrics(t, dirB))
	assert.Equalf(t, string(mb), string(ma), "metrics differ:\n%s\n%s", ma, mb)
}

// Frozen rule weights stay where they are, to the bit; the network learns.
func TestFreezeRules(t *testing.T) {
	c := toyConfig()
	c.Symbolic.FreezeRules = true
	m, moved := newToy(1), newToy(1)
	ran(t, c, m, Options{})
	if !slices.Equal(m.w, moved.w) || slices.Equal(m.value, moved.value) {
		t.Errorf("rule weights %v from %v, network %v from %v", m.w, moved.w, m.value, moved.value)
	}
}

// Rule weights wait for their share of the run and then learn.
func TestRulesAfter(t *testing.T) {
	weights := func(after float64, steps int) []float64 {
		c := toyConfig()
		c.Training.Steps, c.Symbolic.After = steps, after
		m := newToy(1)
		ran(t, c, m, Options{})
		return m.w
	}
	start, whole := newToy(1).w, weights(0, 20)
	for after, moved := range map[float64]bool{0.9: true, 1: false} {
		w := weights(after, 20)
		if slices.Equal(w, start) == moved || slices.Equal(w, whole) {
			t.Errorf("after %v of the run: rule weights %v from %v; %v where they learn all the time", after, w, start, whole)
		}
	}
}

func TestRunLearns(t *testing.T) {
	dir := t.TempDir()
	c := toyConfig()
	c.Training.Steps = 400
	m, w := newToy(1), new(watch)
	res := ran(t, c, m, Options{Dir: dir, Observer: w, Version: "v"})
	if res.TestAccuracy < 0.99 {
		t.Errorf("test accuracy %v after 400 steps", res.TestAccuracy)
	}
	if m.value[1] != 7 {
		t.Errorf("the dead entry moved to %v", m.value[1])
	}
	if sum := m.w[0] + m.w[1]; math.Abs(sum-1) > 1e-12 || !(m.w[0] > 0.5) {
		t.Errorf("rule weights %v: not on the simplex, or against their gradient", m.w)
	}
	if len(w.steps) != 400 || w.steps[399] != 400 {
		t.Errorf("the observer saw %d steps", len(w.steps))
	}
	var stored record.Result
	data, err := os.ReadFile(filepath.Join(dir, record.ResultFile))
	require.NoError(t, err)
	if err := json.Unmarshal(data, &stored); err != nil || !reflect.DeepEqual(stored, res) {
		t.Errorf("result.json is %+v (%v), want %+v", stored, err, res)
	}
	if stored.SolverS == 0 || stored.NeuralS == 0 || stored.WallS == 0 || stored.Version != "v" {
		t.Errorf("result.json lacks times or version: %+v", stored)
	}
	again := newToy(1)
	got, err := Evaluate(context.Background(), c, again, Options{Dir: dir})
	require.NoError(t, err)
	assert.Equal(t, res.TestAccuracy, got.TestAccuracy, "evaluation of the folder")
}

// TestResumeIsExact interrupts a run at every fifth step and at odd ones, and
// compares with the uninterrupted run: weights, moments, averages, metrics.
func TestResumeIsExact(t *testing.T) {
	c := toyConfig()
	whole, wholeDir := newToy(1), t.TempDir()
	ran(t, c, whole, Options{Dir: wholeDir})
	for _, stops := range [][]int{{15}, {1}, {29}, {4, 5, 17}} {
		dir := t.TempDir()
		for sitting, stop := range stops {
			m := newToy(1)
			ranUntil(t, stop, c, m, m, Options{Dir: dir, Resume: sitting > 0})
		}
		last := newToy(1)
		ran(t, c, last, Options{Dir: dir, Resume: true})
		sameRun(t, wholeDir, dir, whole, last)
	}
}

// TestDamagedCheckpoint: a run that dies between checkpoints, with a torn last line of its
// metrics, repeats the steps since the last one, to the same end; a flipped bit in the newest
// checkpoint is named and the one before it used.
func TestDamagedCheckpoint(t *testing.T) {
	c := toyConfig()
	whole, wholeDir := newToy(1), t.TempDir()
	ran(t, c, whole, Options{Dir: wholeDir})
	for _, damage := range []func([]byte) []byte{
		func(b []byte) []byte { b[len(b)/2] ^= 4; return b },
		func(b []byte) []byte { return b[:len(b)-9] },
	} {
		dir := t.TempDir()
		crash := newToy(1)
		crash.failAt, crash.fail = 18, errors.New("power cut")
		if _, err := Run(context.Background(), c, crash, Options{Dir: dir}); err == nil {
			t.Fatal("no error")
		}
		files, err := filepath.Glob(filepath.Join(dir, "step-*15", "*.safetensors"))
		if err != nil || len(files) != 1 {
			t.Fatalf("checkpoint files %v, %v", files, err)
		}
		data, err := os.ReadFile(files[0])
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(files[0], damage(data), 0o644))
		f, err := os.OpenFile(filepath.Join(dir, record.MetricsFile), os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = f.WriteString(`{"step":19,"ep`)
		require.NoError(t, errors.Join(err, f.Close()))
		again, w := newToy(1), new(watch)
		ran(t, c, again, Options{Dir: dir, Resume: true, Observer: w})
		if text := strings.Join(w.notes, "\n"); !strings.Contains(text, "step-00000015") || !strings.Contains(text, "resuming from step 10") {
			t.Errorf("notes do not name the damaged checkpoint and the one used:\n%s", text)
		}
		sameRun(t, wholeDir, dir, whole, again)
	}
}

func TestPatience(t *testing.T) {
	c := toyConfig()
	c.Training.Patience = 10
	m := newToy(1)
	m.accuracies = []float64{0.5, 0.6, 0.6, 0.1, 0.2, 0.3, 0.9}
	w := new(watch)
	res := ran(t, c, m, Options{Observer: w})
	// Best at step 15 (a tie counts); 11 steps later the patience of 10 is over.
	if res.BestStep != 15 || res.ValidAccuracy != 0.6 || res.Steps != 26 {
		t.Errorf("best step %d with %v, stopped after %d", res.BestStep, res.ValidAccuracy, res.Steps)
	}
	assert.Equal(t, []Fate{Kept, Kept, Kept, Passed, Passed}, w.fates, "fates")

	// A patience shorter than the way to the next validation waits for it: .6 at step 10 is better
	// than .5, .3 at step 15 is not.
	c.Training.Patience = 3
	m = newToy(1)
	m.accuracies = []float64{0.5, 0.6, 0.3, 0.3, 0.3, 0.3, 0.3}
	res = ran(t, c, m, Options{})
	assert.Equal(t, []int{10, 16}, []int{res.BestStep, res.Steps}, "best step and last")
	assert.Equal(t, record.StoppedPatience, res.Stopped)
}

// TestToldOfSteps: a budget that another one cuts, and steps that move nothing, are told, once.
func TestToldOfSteps(t *testing.T) {
	c := toyConfig()
	c.Training.Epochs = 1
	w := new(watch)
	res := ran(t, c, newToy(1), Options{Observer: w})
	assert.Less(t, res.Steps, 30)
	assert.Contains(t, strings.Join(w.notes, "\n"), fmt.Sprintf("training.epochs = 1 ends the run after %d of the 30 steps", res.Steps))

	r := newRun(&c, newToy(1), Options{Observer: w})
	w.notes = nil
	for range 2 {
		for range mostIdle - 1 {
			r.noteIdle(learning.Step{}, 0, r.model.Loss().Weights())
		}
		r.noteIdle(learning.Step{}, 0.1, r.model.Loss().Weights())
	}
	assert.Empty(t, w.notes)
	for range 3 * mostIdle {
		r.noteIdle(learning.Step{}, 0, r.model.Loss().Weights())
	}
	assert.Len(t, w.notes, 1)
	assert.Contains(t, w.notes[0], "moved nothing")
}

// TestLastWeights: the last weights are tested, however they did on validation,
// also of a run that goes on.
func TestLastWeights(t *testing.T) {
	c := toyConfig()
	c.Training.LastWeights = true
	m := newToy(1)
	m.accuracies = []float64{0.5, 0.9, 0.6, 0.1, 0.2, 0.3}
	w := new(watch)
	dir := t.TempDir()
	res := ran(t, c, m, Options{Dir: dir, Observer: w})
	if res.BestStep != 30 || res.ValidAccuracy != 0.3 || slices.Contains(w.fates, Passed) {
		t.Errorf("step %d with %v on validation, fates %v", res.BestStep, res.ValidAccuracy, w.fates)
	}
	// The weights in place at the end are those tested.
	if s, err := m.Evaluate(t.Context(), learning.TestPart); err != nil || s.Accuracy != res.TestAccuracy {
		t.Errorf("test accuracy %v of the run, %v of its weights, %v", res.TestAccuracy, s.Accuracy, err)
	}
	again, err := Evaluate(context.Background(), c, newToy(1), Options{Dir: dir})
	if err != nil || again.TestAccuracy != res.TestAccuracy {
		t.Errorf("evaluated again: %v, %v, want %v", again.TestAccuracy, err, res.TestAccuracy)
	}
}

// TestEndAtACheckpoint: a run that is out of patience with a step whose checkpoint was due, or that was
// interrupted there, is evaluated as it ended: with the last weights, which a validation follows, and the reason. It
// stays ended, though that validation is the best.
func TestEndAtACheckpoint(t *testing.T) {
	c := toyConfig()
	c.Training.LastWeights, c.Training.Patience, c.Training.CheckpointEvery = true, 6, 1
	accuracies := []float64{0.9, 0.5, 0.95}
	var rules []learning.Rule // in the result of a run that nobody interrupted
	for _, interrupted := range []bool{false, true} {
		m, dir := newToy(1), t.TempDir()
		m.accuracies = accuracies
		if interrupted {
			ctx, cancel := context.WithCancel(context.Background())
			m.afterStep = func(step int) {
				if step == 11 { // from 0
					cancel()
				}
			}
			_, err := Run(ctx, c, m, Options{Dir: dir})
			require.ErrorIs(t, err, ErrInterrupted)
			m = newToy(1)
			m.accuracies = accuracies[2:]
		}
		res := ran(t, c, m, Options{Dir: dir, Resume: interrupted})
		require.Equal(t, []int{12, 12}, []int{res.BestStep, res.Steps})
		again := ran(t, c, newToy(1), Options{Dir: dir, Resume: true})
		require.Equal(t, []any{12, 0.95, res.Stopped}, []any{again.Steps, again.ValidAccuracy, again.Stopped})
		require.Len(t, res.Rules, 2)
		if rules == nil {
			rules = res.Rules
		}
		require.Equal(t, rules, res.Rules)
		again, err := Evaluate(context.Background(), c, newToy(1), Options{Dir: dir})
		require.NoError(t, err)
		require.Equal(t, []any{12, res.TestAccuracy, record.StoppedPatience}, []any{again.BestStep, again.TestAccuracy, again.Stopped})
	}
}

// TestResumedFigure: the result of a run that is resumed after its last validation, and has no test, says what its
// figure is: it counted as an accuracy.
func TestResumedFigure(t *testing.T) {
	c, dir := toyConfig(), t.TempDir()
	c.Training.NoTest = true
	for _, resume := range []bool{false, true} {
		m := newToy(1)
		m.figure = "auroc"
		require.Equal(t, "auroc", ran(t, c, m, Options{Dir: dir, Resume: resume}).Figure)
	}
}

// TestRefusedLeavesNoFolder: a run that is refused after it has its folder leaves none.
func TestRefusedLeavesNoFolder(t *testing.T) {
	c, dir := toyConfig(), filepath.Join(t.TempDir(), "run")
	c.Training.Batch = 1000
	_, err := Run(t.Context(), c, newToy(1), Options{Dir: dir})
	require.ErrorContains(t, err, "more than the number of training examples")
	require.NoDirExists(t, dir)
}

// TestInterruptedEvaluation: a run that is interrupted in a validation or in the test ends with a checkpoint,
// and one that goes on from there makes the validation up and ends as a run does that nobody interrupted.
func TestInterruptedEvaluation(t *testing.T) {
	c, wantDir := toyConfig(), t.TempDir()
	want := ran(t, c, newToy(1), Options{Dir: wantDir})
	for _, at := range []struct {
		part  learning.Part
		times int // of evaluations of the part
	}{{learning.ValidPart, 2}, {learning.ValidPart, 6}, {learning.TestPart, 1}} {
		m, dir := newToy(1), t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		m.searching = func(part learning.Part) {
			if part == at.part {
				at.times--
			}
			if at.times == 0 {
				cancel()
			}
		}
		_, err := Run(ctx, c, m, Options{Dir: dir})
		require.ErrorIs(t, err, ErrInterrupted)
		res := ran(t, c, newToy(1), Options{Dir: dir, Resume: true})
		require.Equal(t, []any{want.BestStep, want.Steps, want.ValidAccuracy, want.TestAccuracy, want.Rules},
			[]any{res.BestStep, res.Steps, res.ValidAccuracy, res.TestAccuracy, res.Rules})
		ma, _ := json.Marshal(metrics(t, wantDir))
		mb, _ := json.Marshal(metrics(t, dir))
		require.Equal(t, string(ma), string(mb))
	}
}

// TestConfigReplaced: a run that goes on replaces its configuration and does not write over it, so
// that no reader finds half a file.
func TestConfigReplaced(t *testing.T) {
	c, dir := toyConfig(), t.TempDir()
	ran(t, c, newToy(1), Options{Dir: dir})
	path := filepath.Join(dir, record.ConfigFile)
	before, err := os.Stat(path)
	require.NoError(t, err)
	ran(t, c, newToy(1), Options{Dir: dir, Resume: true})
	after, err := os.Stat(path)
	require.NoError(t, err)
	assert.False(t, os.SameFile(before, after), "the configuration is written in place")
}

func TestRunRefuses(t *testing.T) {
	c := toyConfig()
	dir := t.TempDir()
	ran(t, c, newToy(1), Options{Dir: dir})
	changed := c
	changed.Neural.LearningRate = 0.01
	tooBig := c
	tooBig.Training.Batch = 21
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	own := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(own, record.ConfigFile), []byte("# mine\nloss = 'sp'\n"), 0o644))
	other := t.TempDir()
	require.NoError(t, record.WriteResult(other, record.Result{}))
	held := t.TempDir()
	release, err := record.Hold(held)
	require.NoError(t, err)
	defer release()
	for name, tc := range map[string]struct {
		config config.Config
		opt    Options
		want   string
	}{
		"folder held":       {c, Options{Dir: held}, "another process writes to " + held},
		"own settings":      {c, Options{Dir: own}, own + " has a config.toml of something else, which this run would write over: choose another folder"},
		"another's result":  {c, Options{Dir: other}, other + " has a result.json of something else, which this run would write over: choose another folder"},
		"folder in use":     {c, Options{Dir: dir}, "already holds a run"},
		"nothing to resume": {c, Options{Dir: t.TempDir(), Resume: true}, "no checkpoint"},
		"changed settings":  {changed, Options{Dir: dir, Resume: true}, "neural.learning-rate: 0.05 → 0.01"},
		"batch too large":   {tooBig, Options{Dir: t.TempDir()}, "training.batch"},
		"folder is a file":  {c, Options{Dir: file}, file},
	} {
		_, err := Run(context.Background(), tc.config, newToy(1), tc.opt)
		if err == nil || !strings.Contains(err.Error(), tc.want) || ExitCode(err) != exit.Usage {
			t.Errorf("%s: got %v (exit %d), want %q and exit %d", name, err, ExitCode(err), tc.want, exit.Usage)
		}
	}
}

// TestBadGradient: a gradient that is not finite stops the run before it
// touches the weights.
func TestBadGradient(t *testing.T) {
	m := newToy(1)
	m.afterStep = func(step int) {
		if step == 3 {
			m.grad[0] = float32(math.NaN())
		}
	}
	_, err := Run(context.Background(), toyConfig(), m, Options{Dir: t.TempDir()})
	assert.ErrorContains(t, err, "step 4")
	if math.IsNaN(float64(m.value[0])) {
		t.Error("the weights were poisoned")
	}
}
