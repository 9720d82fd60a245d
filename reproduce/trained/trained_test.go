package trained

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"hinge/reproduce/tables"
	"hinge/train"
	"hinge/train/citation"
)

// TestRun: a run is made, its news told, and read the second time; other settings, names and
// versions have other folders.
func TestRun(t *testing.T) {
	task := citation.Task{}
	cfg, err := task.Defaults(train.Config{Task: "citation-demo", Loss: "energy", Recipe: "best"})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Training.Epochs, citation.OptionsOf(&cfg).PretrainEpochs, citation.OptionsOf(&cfg).Restarts = 1, 1, 1
	var news []string
	o := tables.Options{Dir: t.TempDir(), Version: "v", Note: func(line string) { news = append(news, line) }}
	dir, first, err := Run(context.Background(), o, task, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(news, func(line string) bool { return strings.Contains(line, "on validation") }) {
		t.Errorf("the news are %q", news)
	}
	news = nil
	again, second, err := Run(context.Background(), o, task, cfg)
	if err != nil || again != dir || second.WallS != first.WallS || len(news) > 0 {
		t.Errorf("%s, then %s: %v s and %v s, %q, %v", dir, again, first.WallS, second.WallS, news, err)
	}
	seen := map[string]bool{dir: true}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	for name, change := range map[string]func() []string{
		"names":    func() []string { return []string{"other"} },
		"version":  func() []string { o.Version = "w"; return nil },
		"split":    func() []string { cfg.Split = 1; return nil },
		"settings": func() []string { cfg.Neural.LearningRate /= 2; return nil },
	} {
		dir, _, err := Run(ctx, o, task, cfg, change()...)
		if seen[dir] || !errors.Is(err, cause) {
			t.Errorf("other %s: %s, %v", name, dir, err)
		}
		seen[dir] = true
	}
}
