package train

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/modelfile"
)

// wide is a toy under two names.
type wide struct{ toy }

func (wide) Names() []string { return []string{"wide1", "wide2"} }

// narrow is a toy that alone has the flag -model.
type narrow struct{ toy }

func (narrow) Defaults(choice config.Config) (config.Config, error) {
	c, err := toy{}.Defaults(config.Config{})
	c.Task, c.Options = choice.Task, &named{}
	return c, err
}

type named struct {
	Model string `toml:"model" flag:"model" doc:"file"`
}

func (*named) Validate(*config.Config) error { return nil }

func (*named) Uses(*config.Config) config.Uses { return config.Uses{} }

// TestFlaggedTask: a flag that one task alone has names it, beside a flag of others too.
func TestFlaggedTask(t *testing.T) {
	tasks := []learning.Task{wide{}, narrow{toy{"narrow"}}}
	for flags, want := range map[string]string{"": "", "points": "", "model": "narrow", "points model": "narrow"} {
		set := map[string]bool{}
		for _, f := range strings.Fields(flags) {
			set[f] = true
		}
		if got := flaggedTask(tasks, set); got != want {
			t.Errorf("%q: %q, want %q", flags, got, want)
		}
	}
}

// TestChosenWithoutUse: a setting that has no effect is refused where somebody chose it, by
// a flag, by -set or in a file, and the line says what can use it. What the defaults or the
// file of a run have is nobody's choice.
func TestChosenWithoutUse(t *testing.T) {
	tasks := []learning.Task{toy{"a"}, plain{toy{"b"}}}
	for args, want := range map[string]string{
		"-task a -set bilevel.y-step=1":                                                        "bilevel.y-step: is for the loss mse or bce, not energy",
		"-task a -set bilevel.y-step=1 -loss bce":                                              "",
		"-task a -set bilevel.nudge=1":                                                         "bilevel.nudge: is for the loss answer, which a does not have; leave it out",
		"-task a -set symbolic.clip=1 -freeze-rules":                                           "symbolic.clip: the rule weights stay as they start; set symbolic.freeze-rules = false",
		"-task a -set symbolic.clip=1":                                                         "",
		"-task a -system other -check":                                                         "symbolic.check: is for neupsl; other has a loss of its own",
		"-task a -set options.points=3 -set neural.augment=light":                              "",
		"-task b -set neural.augment=light":                                                    "neural.augment: is for a, not b; leave it out",
		"-task b -set training.keep=3":                                                         "",
		"-task a -config " + write(t, "[bilevel]\ny-step = 1.0\n"):                             "", // a file for several losses
		"-task b -config " + write(t, "[training]\nkeep = 3\n\n[neural]\naugment = 'light'\n"): ".toml:5: neural.augment: is for a, not b",
	} {
		_, err := parse(tasks, strings.Fields(args), io.Discard)
		if want == "" && err == nil {
			continue
		}
		if err == nil || want == "" || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", args, err, want)
		}
	}
}

// TestSettingsWithoutNetworks: those of networks are refused for a model that has none, in a file with their place, and so is what no model has; the
// file of a run, which has them all, is read.
func TestSettingsWithoutNetworks(t *testing.T) {
	model := write(t, `{"rules": ["1: !P(A)"], "predicates": {"P/1": {"targets": [["a"]], "truth": [["a", 1]]}}}`)
	tasks := []learning.Task{toy{"a"}, modelfile.Task{}}
	c, err := tasks[1].Defaults(config.Config{Task: "model", Loss: "energy", Recipe: "best", Options: &modelfile.Options{Model: model}})
	require.NoError(t, err)
	c.Neural.LearningRate, c.Symbolic.After = 0.5, 0.5
	text, err := c.Encode()
	require.NoError(t, err)
	for args, want := range map[string]string{
		"-set neural.learning-rate=0.5":                        "neural.learning-rate: is for networks, and the model has none: the weights of its rules are all that is learned; set symbolic.mirror-step for them",
		"-init w.safetensors":                                  "neural.init: is for networks",
		"-config " + write(t, "[options]\nlabel-rate = 0.5\n"): ".toml:2: options.label-rate: is for networks",
		"-config " + write(t, string(text)):                    "",
		"-set options.threshold=0.7":                           "",
		"-points 3":                                            "options.points: is for a, not model; leave it out",
		"-split 3":                                             "split: is for a, not model; leave it out",
		"-set options.policy-samples=1":                        "no such setting: options.policy-samples",
		"-set bilevel.slack-step=0":                            "bilevel.slack-step is no more",
	} {
		_, err := parse(tasks, append(strings.Fields(args), "-model", model), io.Discard)
		if want == "" {
			require.NoError(t, err, args)
			continue
		}
		require.ErrorContains(t, err, want)
	}
	// A run of another task has other settings, and is named first.
	run := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(run, "config.toml"), text, 0o666))
	_, err = parse(tasks, []string{"-task", "a", "-predict", "x.png", "-out", run}, io.Discard)
	require.ErrorContains(t, err, "task: "+run+" holds a run of model, not of a; leave -task out")
	// So is the flag of a page that cannot be written.
	require.NoError(t, os.Mkdir(filepath.Join(run, "report.html"), 0o777))
	o, err := parse(tasks, []string{"-report", run}, io.Discard)
	require.NoError(t, err)
	require.ErrorContains(t, writeReport(io.Discard, o), "report: open "+filepath.Join(run, "report.html"))
}

// TestSettingsFlag: -settings lists every setting with the value that the run would have, but none that
// the task refuses.
func TestSettingsFlag(t *testing.T) {
	o, err := parse([]learning.Task{toy{"a"}}, []string{"-settings", "-points", "7", "-set", "neural.dropout=.25"}, io.Discard)
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, config.WriteSettings(&b, &o.config))
	for _, want := range []string{"options.points ", "= 7 ", " points; in [1, 20]\n", "neural.dropout ", "= 0.25 ", "[mse, bce]\n", "; empty: none\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	assert.Contains(t, b.String(), "neural.augment ")
	o, err = parse([]learning.Task{plain{toy{"a"}}}, []string{"-settings"}, io.Discard)
	require.NoError(t, err)
	b.Reset()
	require.NoError(t, config.WriteSettings(&b, &o.config))
	assert.Contains(t, b.String(), "neural.dropout ")
	assert.NotContains(t, b.String(), "neural.augment ")
	if o, err = parse([]learning.Task{toy{"a"}, toy{"b"}}, []string{"-settings"}, io.Discard); err != nil || o.config.Training.Batch != 10 {
		t.Errorf("without a task: %v", err)
	}
	// A flag or a file that belongs to a task tells it.
	model := write(t, "{}")
	for _, args := range [][]string{{"-model", model}, {"-config", write(t, "task = 'model'\n[options]\nmodel = '"+model+"'\n")}} {
		o, err = parse([]learning.Task{toy{"a"}, modelfile.Task{}}, append(args, "-settings"), io.Discard)
		require.NoError(t, err)
		assert.Equal(t, []any{"model", 200, 5}, []any{o.config.Task, o.config.Training.Epochs, o.config.Training.ValidEvery})
	}
}

// lossy is a toy with a loss and a system of its own.
type lossy struct{ toy }

func (lossy) Defaults(choice config.Config) (config.Config, error) {
	c, err := toy{}.Defaults(choice)
	c.Options = &ownLoss{}
	return c, err
}

type ownLoss struct{}

func (*ownLoss) Validate(*config.Config) error { return nil }
func (*ownLoss) Uses(*config.Config) config.Uses {
	return config.Uses{Losses: []string{"answer"}, Systems: []string{"cnn"}}
}

// TestFlagsListChoices: the help of a flag lists the choices of every task.
func TestFlagsListChoices(t *testing.T) {
	var help strings.Builder
	_, err := parse([]learning.Task{toy{}, lossy{}}, []string{"-h"}, &help)
	require.ErrorIs(t, err, flag.ErrHelp)
	for _, want := range []string{"minimises: energy, sp, mse, bce, answer (", "compares it with: neupsl, other, cnn ("} {
		assert.Contains(t, help.String(), want)
	}
}
