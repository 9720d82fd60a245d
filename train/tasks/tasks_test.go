package tasks

import (
	"errors"
	"strings"
	"testing"

	"hinge/internal/exit"
	"hinge/train"
)

func TestDefaults(t *testing.T) {
	for task, want := range map[string]int{"mnist-add1": 300, "mnist-add2": 150, "mnist-add15": 20} {
		c, err := Defaults(task, "energy", "best", 0)
		if err != nil {
			t.Fatal(err)
		}
		if c.Additions != want || c.Task != task {
			t.Errorf("%s: %d additions of task %q, want %d", task, c.Additions, c.Task, want)
		}
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", task, err)
		}
	}
}

func TestUnknownTask(t *testing.T) {
	for _, task := range []string{"", "mnist-add0"} {
		var u *train.UsageError
		if _, err := Defaults(task, "energy", "best", 0); !errors.As(err, &u) || !strings.Contains(u.Problem, "mnist-add2") {
			t.Errorf("task %q: got %v, want a UsageError that lists the tasks", task, err)
		}
		if _, err := Open(train.Config{Task: task}, ""); !errors.As(err, &u) {
			t.Errorf("open of task %q: got %v, want a UsageError", task, err)
		}
	}
}

// TestOpenRefuses: each fault has its kind, and with it its exit code.
func TestOpenRefuses(t *testing.T) {
	c, err := Defaults("mnist-add1", "energy", "best", 0)
	if err != nil {
		t.Fatal(err)
	}
	missing := c
	missing.Rules = "no-such-file.psl"
	huge := c
	huge.Additions = 1 << 30
	for _, tc := range []struct {
		config train.Config
		data   string
		want   int
	}{
		{missing, "", exit.Usage},
		{huge, "", exit.Usage},
		{c, "/no/such/folder", exit.Data},
	} {
		if _, err := Open(tc.config, tc.data); train.ExitCode(err) != tc.want {
			t.Errorf("got %v (exit %d), want exit %d", err, train.ExitCode(err), tc.want)
		}
	}
}

func TestDefaultLoss(t *testing.T) {
	for _, c := range []struct{ system, task, want string }{
		{"", "mnist-add1", "energy"}, {"neupsl", "mnist-add2", "energy"}, {"neupsl", "cora", "energy"},
		{"neupsl", "mnist-add3", "chain"}, {"deepproblog", "mnist-add3", "energy"}, {"", "no-task", "energy"},
	} {
		got := DefaultLoss(c.system, c.task)
		if got != c.want {
			t.Errorf("%s, %s: %s", c.system, c.task, got)
		}
		if c.task == "no-task" {
			continue
		}
		if cfg, err := SystemDefaults(c.system, c.task, got, "best", 0); err != nil || cfg.Validate() != nil {
			t.Errorf("%s, %s: %v, %v", c.system, c.task, err, cfg.Validate())
		}
	}
}
