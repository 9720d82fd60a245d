package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/bilevel"
)

// section is the own section of a task of these tests.
type section struct {
	Boards int   `toml:"boards" range:"[1, inf)"`
	Widths []int `toml:"widths"`
}

func (s *section) Validate(*Config) error {
	if s.Boards < 1 {
		return Usage("options.boards", "%d is not a positive number", s.Boards)
	}
	return nil
}

func (*section) Uses(*Config) Uses {
	return Uses{Losses: []string{"hinge"}, Systems: []string{"linear"}}
}

// TestOptions: a task's own section is read into what the task made, saved, hashed and
// compared; without a task its keys are kept as they are.
func TestOptions(t *testing.T) {
	c := Defaults(Config{Task: "a task"})
	c.Options = &section{Boards: 3, Widths: []int{4}}
	c.Loss, c.System = "hinge", "linear"
	if err := c.Validate(); err != nil {
		t.Errorf("a loss and a system of the task's own: %v", err)
	}
	data, err := c.Encode()
	require.NoError(t, err)
	var blind Config
	back := Config{Options: new(section)}
	for _, to := range []*Config{&blind, &back} {
		require.NoError(t, to.Decode("config.toml", data))
		if diff := c.Diff(to); diff != nil {
			t.Errorf("read back with %q", diff)
		}
	}
	if !reflect.DeepEqual(back, c) || back.Identity() != c.Identity() {
		t.Errorf("read back %+v, wrote %+v", back, c)
	}
	require.NoError(t, back.Set("options.boards", 5))
	if got := c.Diff(&back); !slices.Equal(got, []string{"options.boards: 3 → 5"}) || back.Identity() == c.Identity() {
		t.Errorf("differences %q", got)
	}
	for text, want := range map[string]string{
		"[options]\nboard = 3":       "c.toml:2:1: no such setting: options.board; did you mean options.boards?",
		"[options]\nboards = 'x'":    "c.toml:2:10: options.boards: want a whole number",
		"options = 3":                "c.toml:1:11: ",
		"[Options]\nboard = 3":       "c.toml:2:1: no such setting: Options.board; did you mean options.boards?",
		"[Options]\nBoards = 3":      "c.toml:2: no such setting: Options.Boards; did you mean options.boards?",
		"[citation]\nsteps = 3":      "c.toml:1:2: no such setting: citation; -settings of a training program lists all",
		"additions = 3\n[options]\n": "c.toml:1:1: no such setting: additions; -settings of a training program lists all",
	} {
		err := back.Decode("c.toml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || back.Options.(*section).Boards != 5 {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	if err := back.Set("options.boats", 5); err == nil || err.Error() != "config: no such setting: options.boats; did you mean options.boards?" {
		t.Errorf("got %v", err)
	}
	require.ErrorContains(t, back.Set("Options.boards", 5), "config: no such setting: Options.boards; did you mean options.boards?")
	require.ErrorContains(t, back.Set("options", map[string]any{"boards": 5}), "options: want one value")
	_, err = OptionsOf[section](&blind)
	assert.Error(t, err, "an untyped section passes for the task's")
}

func TestLoadFileOverlays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.toml")
	text := "\uFEFFsplit = 42\n[neural]\nlearning-rate = 0.5\n" // a byte order mark is dropped
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	base := Defaults(Config{})
	c := base
	require.NoError(t, c.LoadFile(file))
	keys, err := ChosenKeys(file)
	require.NoError(t, err)
	require.Equal(t, FileKey{"split", file + ":1: "}, keys[0])
	braces := filepath.Join(t.TempDir(), "braces.toml")
	require.NoError(t, os.WriteFile(braces, []byte("seed = 1\nneural = {dropout = 0.5, init = 'a'}\n"), 0o644))
	keys, err = ChosenKeys(braces)
	require.NoError(t, err)
	require.Equal(t, []FileKey{{"seed", braces + ":1: "}, {"neural.dropout", braces + ":2: "}, {"neural.init", braces + ":2: "}}, keys)
	want := []string{"neural.learning-rate: 0.002 → 0.5", "split: 0 → 42"}
	if got := base.Diff(&c); !slices.Equal(got, want) {
		t.Errorf("differences %q, want %q", got, want)
	}
	if c.Identity() == base.Identity() {
		t.Error("different settings, one hash")
	}
	// A setting that is only written where it is on is told both ways.
	c = base
	c.Training.SumLoss = true
	if got, want := base.Diff(&c), []string{"training.sum-loss: false → true"}; !slices.Equal(got, want) {
		t.Errorf("differences %q, want %q", got, want)
	}
	if got, want := c.Diff(&base), []string{"training.sum-loss: true → false"}; !slices.Equal(got, want) {
		t.Errorf("differences %q, want %q", got, want)
	}
	for _, empty := range []string{"", "# seed = 1\n"} {
		require.NoError(t, os.WriteFile(file, []byte(empty), 0o644))
		require.ErrorContains(t, c.LoadFile(file), file+" holds no setting")
	}
}

// half is a section with one of the two methods of a Section.
type half struct{}

func (*half) Validate(*Config) error { return nil }

// TestHalfSection: a method that would never be called is refused.
func TestHalfSection(t *testing.T) {
	c := Defaults(Config{Task: "toy"})
	c.Options = new(half)
	var u *UsageError
	if err := c.Validate(); !errors.As(err, &u) || !strings.Contains(err.Error(), "*config.half has a method Validate or Uses") {
		t.Errorf("got %v", err)
	}
	c.Options = &struct{}{}
	require.NoError(t, c.Validate())
}

func TestConfigErrors(t *testing.T) {
	for text, want := range map[string]string{
		"batch = 3":                        "c.toml:1:1: no such setting: batch; did you mean training.batch?",
		"Seed = 3":                         "c.toml:1: no such setting: Seed; did you mean seed?",
		"neural = {\nDropout = 0.5}":       "c.toml:2: no such setting: neural.Dropout; did you mean neural.dropout?",
		"losss = 'energy'":                 "c.toml:1:1: no such setting: losss; did you mean loss?",
		"[trainng]\nsteps = 3":             "c.toml:1:2: no such setting: trainng; did you mean training?",
		"\n[neural]\n  photosynthesis = 1": "c.toml:3:3: no such setting: neural.photosynthesis; -settings of a training program lists all",
		"split = 'many'":                   "c.toml:1:9: split: want a whole number",
		"seed = -1":                        "c.toml:1:8: seed: want a whole number",
		"symbolic.mirror-step = 'NaN'":     "c.toml:1:24: symbolic.mirror-step: want a number",
		"[[loss]]":                         "c.toml:1:3: loss: want a text",
		"split.x = 1":                      "c.toml:1:7: split.x: want a whole number",
		"training.no-test = 0":             "c.toml:1:20: training.no-test: want true or false",
		"neural = 3":                       "c.toml:1:10: neural: want a section with settings",
		"[training\nbatch = 3":             "c.toml:1",
		"split = 99999999999999999999999":  "c.toml:1",
	} {
		var c Config
		err := c.Decode("c.toml", []byte(text))
		var u *UsageError
		if !errors.As(err, &u) || !strings.Contains(u.Problem, want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestValidateNamesTheKey(t *testing.T) {
	for want, breakIt := range map[string]func(*Config){
		"loss":                 func(c *Config) { c.Loss = "mse " },
		"recipe":               func(c *Config) { c.Recipe = "worst" },
		"options":              func(c *Config) { c.Options = map[string]any{"boards": 3} },
		"options.boards":       func(c *Config) { c.Options = &section{} },
		"system":               func(c *Config) { c.System = "magic" },
		"split":                func(c *Config) { c.Split = -1 },
		"training.steps":       func(c *Config) { c.Training.Steps, c.Training.Epochs = 0, 0 },
		"seed":                 func(c *Config) { c.Seed = 1 << 63 },
		"training.batch":       func(c *Config) { c.Training.Batch = 0 },
		"training.valid-every": func(c *Config) { c.Training.ValidEvery = 0 },
		"training.patience":    func(c *Config) { c.Training.Patience = -1 },
		"training.keep":        func(c *Config) { c.Training.Keep = 0 },
		"neural.learning-rate": func(c *Config) { c.Neural.LearningRate = 0 },
		"neural.schedule":      func(c *Config) { c.Neural.Schedule = "step" },
		"neural.clip-norm":     func(c *Config) { c.Neural.ClipNorm = -1 },
		"neural.average":       func(c *Config) { c.Neural.Average = 1 },
		"neural.channels":      func(c *Config) { c.Neural.Channels = 2 },
		"neural.dropout":       func(c *Config) { c.Neural.Dropout = 1 },
		"neural.test-views": func(c *Config) {
			c.Neural.Augment, c.Neural.Views, c.Neural.ViewStrength = "light", 1, 0
		},
		"neural.gumbel-samples":     func(c *Config) { c.Neural.Samples = -1 },
		"neural.temperature-min":    func(c *Config) { c.Neural.TemperatureMin = 2e-39 }, // below what nn.State takes
		"neural.test-temperature":   func(c *Config) { c.Neural.TestTemperature = 2e-39 },
		"neural.temperature-spread": func(c *Config) { c.Neural.TemperatureSpread = 0.5 },
		"neural.noise-spread":       func(c *Config) { c.Neural.NoiseSpread = 0.5 },
		"neural.pretrain":           func(c *Config) { c.Neural.Pretrain = "magic" },
		"symbolic.epsilon":          func(c *Config) { c.Symbolic.Epsilon = 0 },
		"symbolic.gap":              func(c *Config) { c.Symbolic.Gap = -1 },
		"symbolic.rules-after":      func(c *Config) { c.Symbolic.After = 1.5 },
		"symbolic.mirror-step":      func(c *Config) { c.Symbolic.Step = -1 },
	} {
		c := Defaults(Config{})
		breakIt(&c)
		var u *UsageError
		if err := c.Validate(); !errors.As(err, &u) || u.Key != want {
			t.Errorf("got %v, want a UsageError about %s", err, want)
		}
	}
}

func FuzzConfig(f *testing.F) {
	c := Defaults(Config{})
	data, err := c.Encode()
	require.NoError(f, err)
	f.Add(data)
	f.Add([]byte("[neural]\nlearning-rate = nan"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var c Config
		if c.Decode("c.toml", data) == nil && c.Validate() == nil {
			c.Identity()
		}
	})
}

// offering is the section of a task that offers a further loss.
type offering string

func (offering) Validate(*Config) error { return nil }

func (o offering) Uses(*Config) Uses { return Uses{Losses: []string{string(o)}} }

// TestDefaultsOfLosses: a task of one's own begins with settings that its loss can have.
func TestDefaultsOfLosses(t *testing.T) {
	for _, loss := range []string{"energy", "sp", "mse", "bce", "k-best", "answer"} {
		c := Defaults(Config{Task: "own", Loss: loss})
		c.Options = offering(loss)
		require.NoError(t, c.Validate(), loss)
	}
}

// TestSettingsOfLosses: the table of settings names no losses that the task does not have.
func TestSettingsOfLosses(t *testing.T) {
	list := func(task, loss string) string {
		c := Defaults(Config{Task: task, Loss: "energy"})
		c.Options = offering(loss)
		var b strings.Builder
		require.NoError(t, WriteSettings(&b, &c))
		return b.String()
	}
	answer, best, any := list("own", "answer"), list("own", "k-best"), list("", "")
	assert.Regexp(t, `(?m)^bilevel.nudge .*\[answer\]$`, answer)
	assert.Regexp(t, `(?m)^training.sum-loss .*\[energy, sp, mse, bce, answer\]$`, answer)
	assert.NotContains(t, answer, "bilevel.states")
	assert.NotContains(t, best, "bilevel.nudge")
	for _, key := range []string{"bilevel.states ", "bilevel.nudge "} {
		assert.Contains(t, any, key, "without a task")
	}
}

// TestSumLoss: training.sum-loss is for the losses whose kinds can be sums.
func TestSumLoss(t *testing.T) {
	field, _ := reflect.TypeFor[Training]().FieldByName("SumLoss")
	for _, name := range strings.Fields(field.Tag.Get("for")) {
		require.True(t, bilevel.LossName(name).Kind().Sums, name)
	}
	require.Contains(t, field.Tag.Get("for"), string(bilevel.LossAnswer))
}
