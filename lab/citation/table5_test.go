package citation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/lab/tables"
	task "hinge/tasks/citation"
)

func options(t *testing.T) tables.Options {
	return tables.Options{Dir: t.TempDir(), Note: func(string) {}}
}

// TestGrid: the table has the cells it promises, each with its own settings.
func TestGrid(t *testing.T) {
	for _, c := range []struct {
		name          string
		build         tables.Builder
		opt           tables.Options
		cells, splits int
	}{
		{"all", Table5, tables.Options{}, 2 * (4 + 2), 10},
		{"paper", Table5, tables.Options{Recipe: "paper"}, 2 * (4 + 2), 10},
		{"best", Table5, tables.Options{Recipe: "best"}, 0, 10},
		{"quick", Table5, tables.Options{Quick: true}, 2 * (4 + 2), 2},
		{"judged", Judged, tables.Options{}, 2 * 2 * (2 + 2), 10},
		{"judged, paper", Judged, tables.Options{Recipe: "paper"}, 0, 10},
		{"judged, quick", Judged, tables.Options{Quick: true}, 2 * 2 * (2 + 2), 1},
		{"search, quick", Search, tables.Options{Quick: true}, 0, 0},
	} {
		table, err := c.build(c.opt)
		require.NoError(t, err)
		assert.Equalf(t, c.cells, len(table.Cells), "%s", c.name)
		seen := map[string]bool{}
		for _, cell := range table.Cells {
			if seen[cell.Settings] {
				t.Errorf("%s: %s, %s has the settings of another cell", c.name, cell.Row, cell.Column)
			}
			seen[cell.Settings] = true
			assert.Lenf(t, cell.Splits, c.splits, "%s: %s, %s", c.name, cell.Row, cell.Column)
		}
	}
}

// TestJudgedSplits: what is judged once is disjoint from what settings are chosen on.
func TestJudgedSplits(t *testing.T) {
	chosen, err := Selection(tables.Options{})
	require.NoError(t, err)
	judged, err := Judged(tables.Options{})
	require.NoError(t, err)
	for _, a := range chosen.Cells {
		for _, b := range judged.Cells {
			for _, split := range a.Splits {
				if slices.Contains(b.Splits, split) {
					t.Fatalf("split %d serves %q and %q", split, a.Row, b.Row)
				}
			}
		}
	}
}

// TestPaperFigures: those of the paper's table, by row and column.
func TestPaperFigures(t *testing.T) {
	table, err := Table5(tables.Options{})
	require.NoError(t, err)
	want := map[string]string{
		"DeepStochLog": "62.68 71.28", "GCN": "67.42 80.32", "NeuPSL, Energy (paper)": "69.63 80.41",
		"NeuPSL, SP (paper)": "69.78 78.59", "NeuPSL, MSE (paper)": "69.62 81.48", "NeuPSL, BCE (paper)": "69.64 81.28",
	}
	got := map[string]string{}
	for _, c := range table.Cells {
		got[c.Row] = strings.TrimSpace(got[c.Row] + fmt.Sprintf(" %.2f", c.Paper.Mean))
	}
	for row, figures := range want {
		assert.Equalf(t, figures, got[row], "%s", row)
	}
	assert.Equalf(t, len(want), len(got), "rows %v", got)
}

// small makes a cell on the generated graph.
func small(t *testing.T, o tables.Options) tables.Cell {
	t.Helper()
	cfg := task.Defaults("citation-demo", "energy", "paper")
	cfg.Training.Steps = 4
	task.OptionsOf(&cfg).Restarts, task.OptionsOf(&cfg).PretrainEpochs = 1, 10
	c, err := neupsl(o, "row", "column", nil, []int{0, 1}, cfg)
	require.NoError(t, err)
	return c
}

// TestRun: a run is made, after one that was interrupted, and its figures are of one another.
func TestRun(t *testing.T) {
	o := options(t)
	c := small(t, o)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Run(ended, 1); err == nil {
		t.Fatal("an interrupted run gave no error")
	}
	out, err := c.Run(context.Background(), 1)
	require.NoError(t, err)
	if out.Value < 40 || out.Value > 100 {
		t.Errorf("accuracy %v %%", out.Value)
	}
	if d := out.More[gain] - (out.Value - out.More[networkAlone]); d > 1e-9 || d < -1e-9 {
		t.Errorf("gain %v, accuracy %v, of the network alone %v", out.More[gain], out.Value, out.More[networkAlone])
	}
}

// TestOther: a comparison system is a run too.
func TestOther(t *testing.T) {
	cfg, err := task.BaselineDefaults("citation-demo", "gcn")
	require.NoError(t, err)
	task.OptionsOf(&cfg).PretrainEpochs = 60
	c, err := other(options(t), "gcn", "GCN", cfg, "Demo", nil, []int{0})
	require.NoError(t, err)
	out, err := c.Run(context.Background(), 0)
	if err != nil || out.Value < 40 || out.More[validation] < 40 {
		t.Errorf("%+v, %v", out, err)
	}
	// What settings are chosen by shows nothing of the test.
	c.Run = func(context.Context, int) (tables.Outcome, error) { return out, nil }
	c, _ = validationOnly(c, nil)
	blind, err := c.Run(context.Background(), 0)
	if err != nil || blind.Value != out.More[validation] || len(blind.More) > 0 {
		t.Errorf("%+v, %v", blind, err)
	}
}
