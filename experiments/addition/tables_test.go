package addition

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hinge/internal/tables"
	"hinge/train"
	"hinge/train/tasks"
)

func options(t *testing.T) tables.Options {
	return tables.Options{Dir: t.TempDir(), Note: func(string) {}}
}

// TestGrids: the tables have the cells they promise, each with its own settings.
func TestGrids(t *testing.T) {
	for _, c := range []struct {
		name  string
		build tables.Builder
		opt   tables.Options
		cells int
	}{
		{"table 6", Table6, tables.Options{}, 2 * 7 * 4},
		{"table 6, one recipe", Table6, tables.Options{Recipe: "paper"}, 7 * 4},
		{"table 6, quick", Table6, tables.Options{Quick: true}, 4 * 2},
		{"ablation", Ablation, tables.Options{}, (21 + 4) * 2},
		{"ablation, quick", Ablation, tables.Options{Quick: true}, 3 * 2},
		{"longer numbers", Full, tables.Options{}, 2 * 4},
		{"longer numbers, quick", Full, tables.Options{Quick: true}, 2 * 2},
	} {
		table, err := c.build(c.opt)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if len(table.Cells) != c.cells {
			t.Errorf("%s: %d cells, want %d", c.name, len(table.Cells), c.cells)
		}
		seen := map[string]string{}
		for _, cell := range table.Cells {
			label := cell.Row + ", " + cell.Column
			if other, ok := seen[cell.Settings]; ok {
				t.Errorf("%s: %s has the settings of %s", c.name, label, other)
			}
			seen[cell.Settings] = label
		}
	}
	if _, err := Table6(tables.Options{Recipe: "secret"}); err == nil {
		t.Error("an unknown recipe gave no error")
	}
}

// TestPaperFigures: those of the paper's table, by row and column.
func TestPaperFigures(t *testing.T) {
	table, err := Table6(tables.Options{Recipe: "best"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range table.Cells {
		switch {
		case strings.HasPrefix(c.Row, "NeuPSL, BCE") && c.Column == "150-Add2":
			if *c.Paper != (tables.Figure{Mean: 76, SD: 2.61}) {
				t.Errorf("BCE: %v", *c.Paper)
			}
		case strings.HasPrefix(c.Row, "NeuPSL, SP") && c.Paper != nil:
			t.Errorf("the paper has no figure for %s", c.Row)
		}
	}
}

// TestRun makes one short run, finds it again without training, and goes on with
// one that was interrupted.
func TestRun(t *testing.T) {
	o := options(t)
	cfg, err := tasks.SystemDefaults("deepproblog", "mnist-add1", "energy", "best", 12)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Training.Epochs, cfg.Training.Steps, cfg.Training.Batch, cfg.Neural.Views = 0, 2, 4, 0
	cfg.Training.MoreTest = false
	c, err := cell(o, "row", "column", nil, []int{0}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Run(ended, 0); err == nil {
		t.Fatal("an interrupted run gave no error")
	}
	steps := 0
	o.Note = func(line string) {
		if strings.Contains(line, "going on from step 1 of 2") {
			steps++
		}
	}
	if c, err = cell(o, "row", "column", nil, []int{0}, cfg); err != nil {
		t.Fatal(err)
	}
	first, err := c.Run(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if steps != 1 {
		t.Error("the interrupted run did not go on")
	}
	if first.Value < 0 || first.Value > 100 || first.WallS <= 0 {
		t.Errorf("outcome %+v", first)
	}
	again, err := c.Run(ended, 0) // a finished run needs no context
	if err != nil || again.Value != first.Value || again.WallS != first.WallS {
		t.Errorf("read again: %+v (%v), first %+v", again, err, first)
	}
}

// TestOutcome: accuracies in per cent, the pre-training in the wall time.
func TestOutcome(t *testing.T) {
	dir := t.TempDir()
	line, err := json.Marshal(train.Metric{Split: train.TestPart, Digits: 0.875})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "metrics.jsonl"), append(line, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	got := outcome(dir, train.Result{
		TestAccuracy: .5, ValidAccuracy: .25, MoreAccuracy: .75, MoreExamples: 4, WallS: 10, PretrainS: 5, SolverS: 1, NeuralS: 2,
	})
	if got.Value != 50 || got.WallS != 15 || got.SolverS != 1 || got.NeuralS != 2 {
		t.Errorf("outcome %+v", got)
	}
	for name, want := range map[string]float64{
		"Accuracy on validation (%)": 25, "Accuracy on further test additions (%)": 75,
		"Accuracy of single digits (%)": 87.5, "Seconds of pre-training": 5,
	} {
		if got.More[name] != want {
			t.Errorf("%s: %v, want %v", name, got.More[name], want)
		}
	}
}
