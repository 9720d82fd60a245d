package paths

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/train"
	"hinge/train/config"
	"hinge/train/exit"
)

func defaults(t *testing.T, task string) config.Config {
	t.Helper()
	c, err := Task{}.Defaults(config.Config{Task: task})
	require.NoError(t, err)
	return c
}

func TestDefaults(t *testing.T) {
	for _, task := range (Task{}).Names() {
		c := defaults(t, task)
		if err := c.Validate(); err != nil || c.Loss != "sp" {
			t.Errorf("%s, %s: %v", task, c.Loss, err)
		}
	}
	c := defaults(t, "mnist-path")
	OptionsOf(&c).Grids = 2
	if c, err := (Task{}).Defaults(c); err != nil || c.Training.Batch != 2 || OptionsOf(&c).Grids != 2 {
		t.Errorf("two grids: batch %d, %v", c.Training.Batch, err)
	}
}

// TestRefused: each fault has its kind, and with it its exit code.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		key, task string
		breakIt   func(*config.Config)
	}{
		{"options.grids", "mnist-path", func(c *config.Config) { OptionsOf(c).Grids = 0 }},
		{"options.network", "mnist-path", func(c *config.Config) { OptionsOf(c).Network = "mlp" }},
		{"options.network", "warcraft12", func(c *config.Config) { OptionsOf(c).Network = "lenet" }},
		{"loss", "mnist-path", func(c *config.Config) { c.Loss = "energy" }},
		{"split", "warcraft30", func(c *config.Config) { c.Split = 1 }},
		{"neural.augment", "warcraft12", func(c *config.Config) { c.Neural.Augment = "light" }},
	} {
		cfg := defaults(t, c.task)
		c.breakIt(&cfg)
		var u *config.UsageError
		if err := cfg.Validate(); !errors.As(err, &u) || u.Key != c.key {
			t.Errorf("got %v, want a UsageError about %s", err, c.key)
		}
	}
	for key, breakIt := range map[string]func(*config.Config){
		"rules":   func(c *config.Config) { c.Rules = "no-such-file.psl" },
		"options": func(c *config.Config) { c.Options = nil },
	} {
		c := defaults(t, "mnist-path")
		OptionsOf(&c).Grids = 6
		breakIt(&c)
		var u *config.UsageError
		if _, err := (Task{}).Open(c, ""); !errors.As(err, &u) || u.Key != key {
			t.Errorf("got %v, want a UsageError about %s", err, key)
		}
	}
	if _, err := (Task{}).Open(defaults(t, "mnist-path"), "/no/such/folder"); train.ExitCode(err) != exit.Data {
		t.Errorf("missing data: %v", err)
	}
	_, err := (Task{}).Open(defaults(t, "warcraft12"), t.TempDir())
	if train.ExitCode(err) != exit.Data || !strings.Contains(err.Error(), "warcraft_maps.tar.gz") {
		t.Errorf("missing maps: %v", err)
	}
	for _, c := range []config.Config{{Task: "warcraft13"}, {Task: "mnist-paths"}, {Task: "mnist-path", System: "cnn"}} {
		if _, err := (Task{}).Defaults(c); train.ExitCode(err) != exit.Usage {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
