package train

import (
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train/config"
	"hinge/train/exit"
	"hinge/train/learning"
	"hinge/train/record"
	"hinge/train/traintest"
)

// own is the section of a toy task, whose settings have flags.
type own struct {
	Points int  `toml:"points" range:"[1, 20]" flag:"points" doc:"points"`
	Loud   bool `toml:"loud" flag:"loud" doc:"loud"`
}

func (o *own) Uses(*config.Config) config.Uses {
	return config.Uses{Systems: []string{"other"}, Size: o.Points}
}

func (*own) Validate(*config.Config) error { return nil }

// plain is a toy task without images.
type plain struct{ toy }

type plainOwn struct{ own }

func (plain) Defaults(choice config.Config) (config.Config, error) {
	choice.Options = nil
	c, err := toy{}.Defaults(choice)
	c.Options = new(plainOwn)
	c.Options.(*plainOwn).Points = 4
	return c, err
}

func (o *plainOwn) Uses(*config.Config) config.Uses {
	return config.Uses{Size: o.Points, Without: []string{"neural.augment"}}
}

// toy is traintest by a name, with a section of its own, whose size decides the steps.
type toy struct{ name string }

func (t toy) Names() []string { return []string{t.name} }

func (toy) Defaults(choice config.Config) (config.Config, error) {
	c := traintest.Config("energy", 6)
	c.Task, c.Options = choice.Task, &own{Points: 4}
	if set, ok := choice.Options.(*own); ok {
		c.Training.Steps = set.Points + 2
	}
	if choice.Loss != "" {
		c.Loss = choice.Loss
	}
	return c, nil
}

func (toy) Open(cfg config.Config, _ string) (learning.Model, error) { return traintest.New(cfg) }

// write makes a file and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.toml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// TestPrecedence: a flag beats -set, which beats the file, which beats the task's
// defaults; what the file or a flag says of the own section decides other defaults.
func TestPrecedence(t *testing.T) {
	file := write(t, "seed = 3\n[training]\nkeep = 5\nvalid-every = 7\n[options]\npoints = 9\n")
	tasks := []learning.Task{toy{"a"}, toy{"b"}}
	for _, c := range []struct {
		args                                string
		points, steps, keep, validEvery, of int
		loud                                bool
	}{
		{"-task a", 4, 6, 2, 20, 0, false},
		{"-task a -config FILE", 9, 11, 5, 7, 3, false},
		{"-task a -config FILE -set training.keep=8 -loud", 9, 11, 8, 7, 3, true},
		{"-task a -config FILE -set options.points=10 -set training.valid-every=1", 10, 12, 5, 1, 3, false},
		{"-task a -config FILE -set options.points=10 -points 20 -seed 6", 20, 22, 5, 7, 6, false},
		{"-task a -points 20 -steps 1", 20, 1, 2, 20, 0, false},
		{"-task a -epochs 2", 4, 0, 2, 20, 0, false}, // the bound that is told replaces the default one
		{"-task a -epochs 2 -steps 3", 4, 3, 2, 20, 0, false},
	} {
		o, err := parse(tasks, strings.Fields(strings.ReplaceAll(c.args, "FILE", file)), io.Discard)
		if err != nil {
			t.Errorf("%s: %v", c.args, err)
			continue
		}
		g, s := &o.config, o.config.Options.(*own)
		if s.Points != c.points || s.Loud != c.loud || g.Training.Steps != c.steps || g.Training.Keep != c.keep ||
			g.Training.ValidEvery != c.validEvery || g.Seed != uint64(c.of) {
			t.Errorf("%s: %+v, %d steps, keep %d, validation every %d, seed %d",
				c.args, *s, g.Training.Steps, g.Training.Keep, g.Training.ValidEvery, g.Seed)
		}
	}
}

// TestTaskByName: a single task needs no name, several do; the folder is named after
// task, loss, size and split.
func TestTaskByName(t *testing.T) {
	two := []learning.Task{toy{"a"}, toy{"b"}}
	for _, c := range []struct {
		tasks []learning.Task
		args  []string
		dir   string
	}{
		{two[:1], nil, "a-energy-4-split0"},
		{two, []string{"-task", "b", "-loss", "sp", "-split", "2"}, "b-sp-4-split2"},
		{two, []string{"-task", "b", "-out", "here"}, ""},
	} {
		o, err := parse(c.tasks, c.args, io.Discard)
		require.NoError(t, err)
		want := filepath.Join("checkpoints", c.dir)
		if c.dir == "" {
			want = "here"
		}
		if o.dir != want {
			t.Errorf("%q: folder %s, want %s", c.args, o.dir, want)
		}
	}
}

// TestUsage: each mistake is an error of use, which names what is wrong.
func TestUsage(t *testing.T) {
	tasks := []learning.Task{toy{"a"}, toy{"board"}}
	for args, want := range map[string]string{
		"":                                  "missing; choose one of a, board",
		"-task neither":                     `"neither" is none of a, board`,
		"-task bord":                        `"bord" is none of a, board; did you mean board?`,
		"-task a -set options.pints=3":      "options.pints",
		"-task a -set keep":                 "want KEY=VALUE",
		"-task a -points many":              "-points",
		"-task a -json":                     "-json is for -predict",
		"-task a -predict x -resume":        "-predict and -resume",
		"-task a -log xml":                  `"xml" is none of text, json`,
		"-task a -set training.keep=0":      "training.keep",
		"-task a -look-every -2":            "-look-every: -2 is negative",
		"-task a -eval -progress-file x":    "-progress-file is for training",
		"-task a -predict x -cpuprofile y":  "-cpuprofile is for training and -eval",
		"-task a -resume -out nowhere/here": "",
	} {
		_, err := parse(tasks, strings.Fields(args), io.Discard)
		if want == "" {
			if err != nil {
				t.Errorf("%q: %v", args, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) || fail(err) != exit.Usage {
			t.Errorf("%q: error %v, want one of use with %q", args, err, want)
		}
	}
	if _, err := parse(tasks, []string{"-h"}, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-h: %v", err)
	}
}

// TestRecordOfRun: the settings of a run, all of them, are read without a word, under
// another loss as well.
func TestRecordOfRun(t *testing.T) {
	tasks := []learning.Task{toy{"a"}, plain{toy{"b"}}}
	c, err := tasks[1].Defaults(config.Config{Task: "b"})
	require.NoError(t, err)
	c.Recipe, c.Neural.Augment, c.Bilevel.PointStep = "best", "light", 0.5
	text, err := c.Encode()
	require.NoError(t, err)
	o, err := parse(tasks, []string{"-config", write(t, string(text)), "-loss", "sp"}, io.Discard)
	if err != nil || o.config.Neural.Augment != "light" || o.config.Bilevel.PointStep != 0.5 || o.config.Task != "b" {
		t.Errorf("%v: %+v", err, o)
	}
}

// TestResumeAuto: -resume=auto begins where there is nothing to go on from, where
// -resume is refused, and goes on where there is something.
func TestResumeAuto(t *testing.T) {
	tasks := []learning.Task{toy{"a"}}
	dir := filepath.Join(t.TempDir(), "run")
	args := []string{"-task", "a", "-out", dir, "-quiet"}
	for _, c := range []struct {
		resume string
		want   int
	}{
		{"-resume", exit.Usage},
		{"-resume=auto", exit.OK},
		{"-resume=false", exit.Usage}, // the folder holds a run now
		{"-resume=auto", exit.OK},
		{"-resume", exit.OK},
		{"-resume=sometimes", exit.Usage},
	} {
		if code := run(tasks, append(args, c.resume)); code != c.want {
			t.Errorf("%s: exit code %d, want %d", c.resume, code, c.want)
		}
	}
	// Checkpoints that this program cannot read stay, however a run is begun.
	manifests, err := filepath.Glob(filepath.Join(dir, "step-*", "manifest.json"))
	require.NoError(t, err)
	require.NotEmpty(t, manifests)
	for _, path := range manifests {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, regexp.MustCompile(`"format": *1`).ReplaceAll(text, []byte(`"format": 2`)), 0o644))
	}
	for _, resume := range []string{"-resume", "-resume=auto", "-resume=false", "-eval"} {
		require.Equal(t, exit.Data, run(tasks, append(args, resume)), resume)
		for _, path := range manifests {
			require.FileExists(t, path)
		}
	}
}

// TestOwnFile: what the file of a run does not say is 0, since earlier versions left zeros out; of another file it
// is the task's default.
func TestOwnFile(t *testing.T) {
	tasks, dir := []learning.Task{toy{"a"}}, t.TempDir()
	c, err := tasks[0].Defaults(config.Config{Task: "a"})
	require.NoError(t, err)
	require.NotZero(t, c.Neural.ClipNorm)
	text, err := c.Encode()
	require.NoError(t, err)
	file := filepath.Join(dir, "config.toml")
	require.NoError(t, os.WriteFile(file, regexp.MustCompile(`(?m)^clip-norm = .*\n`).ReplaceAll(text, nil), 0o644))
	o, err := parse(tasks, []string{"-eval", "-out", dir}, io.Discard)
	require.NoError(t, err)
	require.Zero(t, o.config.Neural.ClipNorm)
	o, err = parse(tasks, []string{"-config", file}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, c.Neural.ClipNorm, o.config.Neural.ClipNorm)
}

// TestEnding: what is printed at the first signal is what then happens.
func TestEnding(t *testing.T) {
	assert.NotContains(t, (&options{eval: true}).ending(), "checkpoint", "an evaluation writes none")
	assert.Contains(t, new(options).ending(), "a step that has begun is finished and a checkpoint written")
}

// TestOneProcess: what is for one process is refused to several, by rank 0 in a line.
func TestOneProcess(t *testing.T) {
	t.Setenv("OMPI_COMM_WORLD_SIZE", "2")
	for _, args := range [][]string{{"-eval", "-task", "a"}, {"-report", "x"}, {"-task", "a"}} {
		if code := run([]learning.Task{toy{"a"}}, args); code != exit.Usage {
			t.Errorf("%v: exit code %d, want %d", args, code, exit.Usage)
		}
	}
}

// TestRun trains a task, evaluates its folder with the same figure, makes its page
// anew, and refuses the folder for another task.
func TestRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	tasks := []learning.Task{toy{"a"}, toy{"b"}}
	if code := run(tasks, []string{"-task", "a", "-out", dir, "-quiet"}); code != exit.OK {
		t.Fatalf("exit code %d", code)
	}
	o, err := parse(tasks, []string{"-eval", "-out", dir, "-quiet"}, io.Discard)
	require.NoError(t, err)
	model, err := o.task.Open(o.config, "")
	require.NoError(t, err)
	again, err := trainOrEvaluate(t.Context(), o, model, o.run())
	if err != nil || again.TestExamples == 0 || again.Steps != 6 {
		t.Fatalf("evaluated: %+v, %v", again, err)
	}
	page := filepath.Join(dir, "report.html")
	require.NoError(t, os.Remove(page))
	if code := run(tasks, []string{"-report", dir}); code != exit.OK {
		t.Errorf("-report: exit code %d", code)
	}
	if _, err := os.Stat(page); err != nil {
		t.Error(err)
	}
	if code := run(tasks, []string{"-task", "b", "-eval", "-out", dir, "-quiet"}); code != exit.Usage {
		t.Errorf("another task's folder: exit code %d, want %d", code, exit.Usage)
	}
}

// TestWatched: a run leaves its progress, a profile, an event file and a page where asked, and a
// progress file or profile that cannot be written is an error of use before anything is done.
func TestWatched(t *testing.T) {
	dir := t.TempDir()
	progress, profile, out := filepath.Join(dir, "p.json"), filepath.Join(dir, "cpu.pprof"), filepath.Join(dir, "run")
	tasks := []learning.Task{toy{"a"}}
	if code := run(tasks, []string{"-out", out, "-quiet", "-progress-file", progress, "-cpuprofile", profile}); code != exit.OK {
		t.Fatalf("exit code %d", code)
	}
	if info, err := os.Stat(profile); err != nil || info.Size() == 0 {
		t.Errorf("the profile: %v, %v", info, err)
	}
	text, err := os.ReadFile(progress)
	if err != nil || !strings.Contains(string(text), `"state":"ended","task":"a","loss":"energy","step":6,"steps":6`) {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(out, "report.html")); err != nil {
		t.Error(err)
	}
	out = filepath.Join(dir, "none")
	for _, flag := range []string{"-progress-file", "-cpuprofile"} {
		if code := run(tasks, []string{"-out", out, "-quiet", flag, filepath.Join(dir, "no", "p")}); code != exit.Usage {
			t.Errorf("%s: exit code %d, want %d", flag, code, exit.Usage)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a run was begun")
	}
}

// TestPagesHaveData: the commands of a run's page have the data folder of -data, and none
// where the environment names it.
func TestPagesHaveData(t *testing.T) {
	t.Setenv("HINGE_DATA", "of the environment")
	for args, want := range map[string]string{"-task a -data here": "here", "-task a": ""} {
		o, err := parse([]learning.Task{toy{"a"}}, strings.Fields(args), io.Discard)
		if err != nil || o.pages.Data != want || o.pages.Command == nil {
			t.Errorf("%s: data %q, command %q, %v", args, o.pages.Data, o.pages.Command, err)
		}
	}
}

// Who writes logits is told the temperature of the outputs that were tested, if they have another.
func TestWrittenTemperature(t *testing.T) {
	for _, c := range []struct {
		file        string
		temperature float64
		want        bool
	}{{"net.onnx", .5, true}, {"net.onnx", 1, false}, {"net.safetensors", .5, false}} {
		o := &options{exported: []string{c.file}}
		o.config.Neural.TestTemperature = c.temperature
		text := o.written(&record.Result{BestStep: 7})
		if !strings.HasPrefix(text, "tested weights, of step 7, written to "+c.file) || strings.Contains(text, "divide its logits by neural.test-temperature = 0.5") != c.want {
			t.Errorf("%v: %s", c, text)
		}
	}
}
