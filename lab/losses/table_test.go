package losses

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/bilevel"
	"hinge/lab/tables"
	"hinge/symbolic/shortcut"
	"hinge/train/modelfile"
)

// TestTable: six tasks, every loss that solves anything among the rows, no two cells of one
// settings, and none where the task refuses the loss.
func TestTable(t *testing.T) {
	table, err := Table(tables.Options{})
	require.NoError(t, err)
	rows, seen := map[string][]string{}, map[string]bool{}
	for _, c := range table.Cells {
		rows[c.Row] = append(rows[c.Row], c.Column)
		require.Len(t, c.Splits, splits)
		require.False(t, seen[c.Settings], "%s, %s", c.Row, c.Column)
		seen[c.Settings] = true
	}
	for _, loss := range bilevel.Having(func(k bilevel.Kind) bool { return k.Solves }) {
		require.NotEmpty(t, rows[string(loss)], loss)
	}
	require.Len(t, rows["sp"], len(columns))
	require.Len(t, rows["energy"], len(columns)-1)
	require.False(t, slices.Contains(rows["energy"], "paths 6×6"))
	require.Equal(t, []string{"Cora"}, rows["answer"])
	require.Equal(t, []string{"300-Add1", "150-Add2", "sudoku 4×4", "MNIST-Half"}, rows["k-best"])
}

// TestBudget: the losses of a column have one number of epochs, one batch and one validation,
// in the end.
func TestBudget(t *testing.T) {
	for _, c := range columns {
		plain, err := c.defaults("energy")
		require.NoError(t, err)
		for _, loss := range plain.Losses() {
			cfg, err := c.defaults(loss)
			require.NoError(t, err)
			require.Equal(t, plain.Training.Epochs, cfg.Training.Epochs, "%s, %s", c.title, loss)
			require.Equal(t, plain.Training.Batch, cfg.Training.Batch, "%s, %s", c.title, loss)
			require.Equal(t, c.steps(&plain), c.steps(&cfg))
		}
	}
}

// TestLabels: three images of each of the five digits are labelled, and the model opens.
func TestLabels(t *testing.T) {
	t.Chdir("../..")
	half := columns[len(columns)-1]
	cfg, err := half.defaults("energy")
	require.NoError(t, err)
	pairs, err := os.ReadFile("examples/mnist-half/data/pairs_learn.txt")
	require.NoError(t, err)
	require.Equal(t, bytes.Count(pairs, []byte("\n")), half.examples(&cfg), "pairs to learn from")
	problem, err := modelfile.CountShortcuts(t.Context(), cfg.Options.(*modelfile.Options).Model, shortcut.Options{})
	require.NoError(t, err)
	require.Len(t, problem.Known, 5)
	require.True(t, problem.Unique(), "labels and sums tell the digits apart")
}
