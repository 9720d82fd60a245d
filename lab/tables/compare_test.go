package tables_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/lab/tables"
)

// fixed is a cell whose runs have the given outcomes by split.
func fixed(row, column string, outcomes ...tables.Outcome) tables.Cell {
	c := tables.Cell{Row: row, Column: column, Settings: row + column,
		Run: func(_ context.Context, split int) (tables.Outcome, error) { return outcomes[split], nil }}
	for i := range outcomes {
		c.Splits = append(c.Splits, i)
	}
	return c
}

func values(list ...float64) (out []tables.Outcome) {
	for _, v := range list {
		out = append(out, tables.Outcome{Value: v})
	}
	return out
}

// page runs a table and prints it.
func page(t *testing.T, table *tables.Table) string {
	t.Helper()
	r := tables.Runner{Records: filepath.Join(t.TempDir(), "r.jsonl")}
	require.NoError(t, r.Run(context.Background(), table))
	return printed(t, r.Records, table)
}

// printed is the page of tables from a file of records, made by the command "bench -table 9".
func printed(t *testing.T, records string, page ...*tables.Table) string {
	t.Helper()
	var text strings.Builder
	require.NoError(t, tables.Report(&text, page, records, "bench -table 9"))
	return text.String()
}

func wants(t *testing.T, text string, list ...string) {
	t.Helper()
	for _, want := range list {
		assert.Contains(t, text, want)
	}
}

// TestComparisons: ratios and differences are taken split by split, with the marks
// of lower bounds.
func TestComparisons(t *testing.T) {
	base := values(1, 2, 4)
	slow := values(10, 200)
	limited := values(60)
	limited[0].Limited = true
	table := &tables.Table{Number: 9, Title: "trial", Unit: "s", Cells: []tables.Cell{
		fixed("base", "a", base...), fixed("base", "b", limited...),
		fixed("slow", "a", slow...), fixed("slow", "b", values(7)...),
		fixed("cut", "a", limited...),
	}}
	table.Comparisons = []tables.Comparison{
		{Title: "Times longer", Text: "A word.", Base: "base", Rows: []string{"slow", "cut"}, Ratio: true},
		{Title: "More", Base: "base", Rows: []string{"slow"}},
		{Title: "By column", Base: "a", Columns: []string{"b"}},
	}
	text := page(t, table)
	wants(t, text,
		"| cut | > 60.00 |",
		"## Times longer\n\nA word.\n\n",
		// √(10·100) on two splits; nothing is known where the base was cut off.
		"| slow | 31.6 (2) | – |\n| cut | > 60 |",
		// 9 and 198: mean 103.5, standard error 94.5.
		"| slow | +103.50 ± 94.50 (2) | -53.00 |",
		// 60 against 1 and 7 against 10, both on split 0; cut has no b.
		"## By column\n\n| | b |\n|---|---|\n| base | +59.00 |\n| slow | -3.00 |\n| cut |  |\n",
	)
	if strings.Contains(text, "| base | 1 ") {
		t.Error("a row is compared with itself")
	}
}

// TestPairsBySplit: runs are compared that were made on the same split, also where the cells
// have other splits and in another order.
func TestPairsBySplit(t *testing.T) {
	base, other := fixed("base", "a", values(1, 10, 100, 1000)...), fixed("other", "a", values(3, 40, 500, 6000)...)
	base.Splits, other.Splits = []int{0, 1, 3}, []int{3, 1, 2}
	table := &tables.Table{Number: 9, Title: "trial", Unit: "s", Cells: []tables.Cell{base, other}, Comparisons: []tables.Comparison{
		{Title: "More", Base: "base", Rows: []string{"other"}}, {Title: "Times", Base: "base", Rows: []string{"other"}, Ratio: true},
	}}
	// On splits 1 and 3: 30 and 5000 more, 4 and 6 times.
	wants(t, page(t, table), "| other | +2515.00 ± 2485.00 (2) |", "| other | 4.9 (2) |")
}

// TestFurtherFigures: differences within a run have standard errors, published
// values stand behind ours, small figures keep their digits.
func TestFurtherFigures(t *testing.T) {
	out := values(1, 1)
	out[0].More = map[string]float64{"gain": 1, "gap": 2e-7}
	out[1].More = map[string]float64{"gain": 3, "gap": 4e-7}
	c := fixed("row", "a", out...)
	c.PaperMore = map[string]tables.Figure{"gain": {Mean: 5, SD: 0.5}, "gap": {Mean: 1}}
	text := page(t, &tables.Table{Number: 9, Cells: []tables.Cell{c}, Paired: []string{"gain"}})
	wants(t, text, "| row | +2.00 ± 1.00 (2) [5.00 ± 0.50] |", "| row | 3e-07 ± 1.4e-07 (2) [1.00] |", "standard error")
}
