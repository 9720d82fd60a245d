package mnistadd

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train"
	"hinge/train/config"
	"hinge/train/exit"
)

func TestDefaults(t *testing.T) {
	for task, want := range map[string]int{"mnist-add1": 300, "mnist-add2": 150, "mnist-add15": 20, "mnist-add500": 1} {
		c, err := Task{}.Defaults(config.Config{Task: task, Loss: "energy", Recipe: "best"})
		require.NoError(t, err)
		if OptionsOf(&c).Additions != want || c.Task != task {
			t.Errorf("%s: %d additions of task %q, want %d", task, OptionsOf(&c).Additions, c.Task, want)
		}
		assert.NoError(t, c.Validate(), task)
	}
}

func TestUnknownTask(t *testing.T) {
	for _, name := range []string{"", "mnist-add0", "mnist-add01", "mnist-add501"} {
		if _, err := (Task{}).Defaults(config.Config{Task: name}); train.ExitCode(err) != exit.Usage {
			t.Errorf("task %q: got %v, want a UsageError", name, err)
		}
	}
	if _, err := (Task{}).Open(config.Config{Task: "mnist-add1"}, ""); train.ExitCode(err) != exit.Usage {
		t.Errorf("without a section: got %v, want a UsageError", err)
	}
}

// TestOpenRefuses: each fault has its kind, and with it its exit code.
func TestOpenRefuses(t *testing.T) {
	c, huge := SystemDefaults("", "mnist-add1", "energy", "best", 300), SystemDefaults("", "mnist-add1", "energy", "best", 1<<30)
	missing := c
	missing.Rules = "no-such-file.psl"
	for _, tc := range []struct {
		config config.Config
		data   string
		want   int
	}{
		{missing, "", exit.Usage},
		{huge, "", exit.Usage},
		{c, "/no/such/folder", exit.Data},
	} {
		if _, err := (Task{}).Open(tc.config, tc.data); train.ExitCode(err) != tc.want {
			t.Errorf("got %v (exit %d), want exit %d", err, train.ExitCode(err), tc.want)
		}
	}
}

func TestDefaultLoss(t *testing.T) {
	for _, c := range []struct{ system, task, want string }{
		{"", "mnist-add1", "energy"}, {"neupsl", "mnist-add2", "energy"},
		{"neupsl", "mnist-add3", "chain"}, {"deepproblog", "mnist-add3", "energy"},
	} {
		cfg, err := Task{}.Defaults(config.Config{System: c.system, Task: c.task, Recipe: "best"})
		if err != nil || cfg.Validate() != nil || cfg.Loss != c.want {
			t.Errorf("%s, %s: loss %s, %v, %v", c.system, c.task, cfg.Loss, err, cfg.Validate())
		}
	}
}

// TestValidate: what means nothing for additions is refused.
func TestValidate(t *testing.T) {
	for want, breakIt := range map[string]func(c *config.Config){
		"options.additions": func(c *config.Config) { OptionsOf(c).Additions = 0 },
		"system":            func(c *config.Config) { c.System = "magic" },
		"loss":              func(c *config.Config) { c.Loss = ChainLoss },
		"options.network":   func(c *config.Config) { OptionsOf(c).Network, c.Neural.Pretrain = "lenet", "best" },
		"options.pairings":  func(c *config.Config) { OptionsOf(c).Lengths = []int{100} },
		"options.lengths":   func(c *config.Config) { OptionsOf(c).Pairings, OptionsOf(c).Lengths = 1, []int{3} },
	} {
		c := Defaults(1, "energy", "best", 300)
		breakIt(&c)
		var u *config.UsageError
		if err := c.Validate(); !errors.As(err, &u) || u.Key != want {
			t.Errorf("got %v, want a UsageError about %s", err, want)
		}
	}
}
