package trained

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/lab/tables"
	"hinge/tasks/sudoku"
	"hinge/train/config"
)

// TestSudoku: ten splits of both sizes by each loss that they have, without the split that
// settings are chosen by.
func TestSudoku(t *testing.T) {
	table, err := Sudoku(tables.Options{})
	require.NoError(t, err)
	settings := map[string]bool{}
	for _, c := range table.Cells {
		settings[c.Settings] = true
	}
	if len(table.Cells) != 3 || len(settings) != 3 {
		t.Fatalf("%d cells of %d settings", len(table.Cells), len(settings))
	}
	for _, c := range table.Cells {
		if len(c.Splits) != 10 || c.Splits[9] != 9 {
			t.Errorf("%s: splits %v", c.Column, c.Splits)
		}
	}
	quick, err := Sudoku(tables.Options{Quick: true})
	require.NoError(t, err)
	require.NotEqual(t, table.Cells[0].Settings, quick.Cells[0].Settings)
}

// TestSudokuOutcome: what a run comes to is in the record.
func TestSudokuOutcome(t *testing.T) {
	cfg, err := sudoku.Task{}.Defaults(config.Config{Task: "sudoku4"})
	require.NoError(t, err)
	sudoku.OptionsOf(&cfg).Boards, cfg.Training.Steps, cfg.Training.Batch = 2, 1, 2
	cfg.Neural.Pretrain, cfg.Neural.Samples = "none", 1
	c, err := cell(tables.Options{Dir: t.TempDir(), Version: "test"}, sudoku.Task{}, tables.Cell{}, cfg, "", "", sudokuOutcome)
	require.NoError(t, err)
	out, err := c.Run(context.Background(), 0)
	require.NoError(t, err)
	if !(out.Value > 20 && out.Value < 100) || out.More[boardAccuracy] < 30 || out.More[imagesInClasses] < 25 || out.More[validAUROC] <= 0 {
		t.Errorf("%+v", out)
	}
}
