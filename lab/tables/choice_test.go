package tables_test

import (
	"testing"

	"hinge/lab/tables"
)

// The best row is chosen, the first of equals, and only where all have runs.
func TestChoices(t *testing.T) {
	table := &tables.Table{Number: 9, Title: "trial", Unit: "points", Brief: true, Cells: []tables.Cell{
		fixed("x", "a", values(1, 2)...), fixed("y", "a", values(4, 4)...), fixed("z", "a", values(4, 4)...),
		fixed("x", "b", values(7)...), fixed("y", "b", values(5)...), fixed("z", "b"),
	}, Choices: []tables.Choice{
		{Title: "all", Rows: []string{"x", "y", "z"}, Published: map[string]string{"a": "x", "b": "y"}},
		{Title: "two", Rows: []string{"x", "y"}, Published: map[string]string{"a": "elsewhere", "b": "y"}},
	}}
	wants(t, page(t, table),
		"| a | all | y | 4.00 | x | 2.50 |", "| a | two | y | 4.00 | elsewhere | – |",
		"| b | all | 2 of 3 are run | | y | |", "| b | two | x | 7.00 | y | 2.00 |")
}
