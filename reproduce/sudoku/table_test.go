package sudoku

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/reproduce/tables"
	task "hinge/tasks/sudoku"
	"hinge/train"
)

// TestTable: ten splits of both sizes, without the one that settings are chosen by.
func TestTable(t *testing.T) {
	table, err := Table(tables.Options{})
	require.NoError(t, err)
	if len(table.Cells) != 2 || table.Cells[0].Settings == table.Cells[1].Settings {
		t.Fatalf("%d cells, or two of the same settings", len(table.Cells))
	}
	for _, c := range table.Cells {
		if len(c.Splits) != 10 || c.Splits[9] != 9 {
			t.Errorf("%s: splits %v", c.Column, c.Splits)
		}
	}
}

// TestOutcome: what a run comes to is in the record.
func TestOutcome(t *testing.T) {
	cfg, err := task.Task{}.Defaults(train.Config{Task: "sudoku4"})
	require.NoError(t, err)
	task.OptionsOf(&cfg).Boards, cfg.Training.Steps, cfg.Training.Batch = 2, 1, 2
	cfg.Neural.Pretrain, cfg.Neural.Samples = "none", 1
	out, err := run(context.Background(), tables.Options{Dir: t.TempDir(), Version: "test"}, cfg)
	require.NoError(t, err)
	if !(out.Value > 20 && out.Value < 100) || out.More[accuracy] < 30 || out.More[digits] < 25 || out.More[validation] <= 0 {
		t.Errorf("%+v", out)
	}
}
