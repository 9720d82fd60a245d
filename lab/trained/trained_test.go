package trained

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/lab/tables"
	"hinge/tasks/citation"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/record"
)

// TestRun: a run is made, its news told, and read the second time; other settings, names and
// versions have other folders.
func TestRun(t *testing.T) {
	task := citation.Task{}
	cfg, err := task.Defaults(config.Config{Task: "citation-demo", Loss: "energy", Recipe: "best"})
	require.NoError(t, err)
	cfg.Training.Epochs, citation.OptionsOf(&cfg).PretrainEpochs, citation.OptionsOf(&cfg).Restarts = 1, 1, 1
	var news []string
	o := tables.Options{Dir: t.TempDir(), Version: "v", Note: func(line string) { news = append(news, line) }}
	dir, first, err := Run(context.Background(), o, task, cfg)
	require.NoError(t, err)
	if !slices.ContainsFunc(news, func(line string) bool { return strings.Contains(line, "on validation") }) {
		t.Errorf("the news are %q", news)
	}
	if _, err := os.Stat(filepath.Join(dir, "report.html")); err != nil {
		t.Error(err)
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

// TestFolder: systems that have no loss by name are told apart by their own.
func TestFolder(t *testing.T) {
	cfg := config.Config{Task: "cora", System: "gcn", Loss: "energy", Recipe: "best", Split: 2}
	if got, want := folder(tables.Options{Version: "v"}, &cfg, []string{"x"}), "cora-gcn-best-x-split2-"+cfg.Identity()[2:10]+"-v"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestNotes: news are percentages and steps of how many, and whether a run goes on.
func TestNotes(t *testing.T) {
	var got []string
	n := &notes{to: func(line string) { got = append(got, line) }}
	share := 0.256
	n.Start(train.Plan{Steps: 40})
	n.Valid(10, record.Metric{Accuracy: &share}, train.Kept)
	n.Start(train.Plan{Steps: 40, Done: 10})
	want := []string{"step 10 of 40: 25.60% on validation", "going on from step 10 of 40"}
	assert.Equal(t, want, got)
}
