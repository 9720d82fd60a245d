package figures

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/lab/tables"
)

// trial is a table: "ours" has 10.25 and 10.75 in column a, 7 in b; "base" .5 less in a
// by the same program, in b 1 more by another.
func trial(t *testing.T) func(string) (*tables.Results, error) {
	cell := func(row, column string, values ...float64) tables.Cell {
		c := tables.Cell{Row: row, Column: column, Settings: row + column, Run: func(_ context.Context, split int) (tables.Outcome, error) {
			return tables.Outcome{Value: values[split], More: map[string]float64{"further": 2 * values[split]}}, nil
		}}
		for i := range values {
			c.Splits = append(c.Splits, i)
		}
		return c
	}
	one := []tables.Cell{cell("ours", "a", 10.25, 10.75), cell("ours", "b", 7), cell("base", "a", 9.75, 10.25)}
	other := []tables.Cell{cell("base", "b", 8)}
	records := filepath.Join(t.TempDir(), "r.jsonl")
	for version, cells := range map[string][]tables.Cell{"one": one, "other": other} {
		r := tables.Runner{Records: records, Version: version}
		require.NoError(t, r.Run(t.Context(), &tables.Table{Name: "trial", Cells: cells}))
	}
	table := &tables.Table{Name: "trial", Cells: append(one, other...)}
	table.Cells[0].Paper = &tables.Figure{Mean: 6.5, SD: 1}
	return func(name string) (*tables.Results, error) {
		if name != "trial" {
			return nil, fmt.Errorf("there is no page %s", name)
		}
		return tables.Open(table, records)
	}
}

// TestFiguresAreChecked: what a page may say of records, and what it may not.
func TestFiguresAreChecked(t *testing.T) {
	find := trial(t)
	for _, c := range []struct {
		mark, text string
		compared   int
		wrong      string // of the only fault; empty for none
	}{
		{"", "no figure: 12 boards of 4×4, 300-Add1, `0.8`, [page](a-1.5.md), (3) and 10,000 images", 0, ""},
		{"", "a share of 57 % here", 0, "1: no mark says which record 57 comes from"},
		{"", "a line\nand .5 there", 0, "2: no mark says which record .5 comes from"},
		{"", "| row 1.5 | 12 |", 0, "1: no mark says which record 12 comes from"},
		{"", "about 3 ± 1", 0, "no mark says which record 3 ± 1 comes from"},
		{"", "7, 8 and 9 points", 0, "no mark says which record 7 comes from"},
		{"trial:; ours / a", "it has 10.50 ± 0.35 (2) of", 1, ""},
		{"trial:; ours / a", "it has 10.5 of", 1, ""},
		{"trial:; ours / a", "it has 10.51 of", 1, "10.51, but ours / a is 10.500 ± 0.354 (2)"},
		{"trial:; ours / a", "it has 10.50 ± 0.36 of", 1, "10.50 ± 0.36, but ours / a is"},
		{"trial:; ours / a", "it has 10.50 (3) of", 1, "10.50 (3), but ours / a is"},
		{"trial:; ours / a", "it has −10.50 of", 1, "−10.50, but ours / a is"},
		{"trial:\nours / a", "it has 10.50 and 10.75", 1, "no mark says which record 10.75 comes from"},
		{"trial:\nours / a\nours / a", "it has 10.50", 1, "there is no figure for ours / a"},
		{"trial:; ours / *", "10.50 and 7.0 %, one run", 2, ""},
		{"trial:; ours / *", "10.50 and 7.0 (1) %", 2, ""},
		{"trial:; ours / *", "10.50 and 7.0 %", 2, "7.0 does not say that ours / b is of one run"},
		{"trial:; ours / a / of further", "| x | 21.0 ± 0.7 |", 1, ""},
		{"trial:; ours / a / published", "was 6.5 ± 1.0 there", 1, ""},
		{"trial:; ours / a / published", "was 6.6 there", 1, "6.6, but ours / a / published is"},
		{"trial:; ours / a / less base", "+0.50 ± .00 more", 1, ""},
		{"trial:; base / a / less ours", "(−0.50)", 1, ""},
		{"trial:; base / a / less ours", "0.50 less", 1, "0.50, but base / a / less ours is -0.500"},
		{"trial:; ours / b / less base", "one run: −1.0§", 1, ""},
		{"trial:; ours / b / less base", "one run: −1.0", 1, "−1.0: a § says that the sides"},
		{"trial:; ours / a / less base", "0.5§", 1, "0.5§: a § says that the sides"},
		{"trial:; ours / a / less b", "one run: [3.25]", 1, ""},
		{"trial:; ours / a / times base", "1.0500 (2)", 1, ""},
		{"trial:; ours / a / times base", "1.0501", 1, "1.0501, but ours / a / times base is 1.050"},
		{"trial:; ours / a / and published", "10.5 ± 0.4 [6.5]", 2, ""},
		{"trial:; ours / a / and published", "10.5 ± 0.4 [6.4]", 2, "6.4, but ours / a / published is"},
		{"trial:; largest of base | ours / a", "10.5", 1, ""},
		{"trial:; largest of base | ours / b", "8.0 (1)", 1, ""},
		{"quoted LICENSE / Version 2.0", "2.0 here", 1, ""},
		{"quoted LICENSE / Version 2.0", ".0 here", 1, ".0 is not what \"Version 2.0\" ends in"},
		{"quoted LICENSE / Version 2.1", "2.1 here", 0, `LICENSE does not say "Version 2.1", <nil>`},
		{"trial:; theirs / a", "1.0", 0, `trial has no cell "theirs", "a"`},
		{"trial:; ours / a / more base", "1.0", 0, `"more base" is none of less, times, of and published`},
		{"other:; ours / a", "1.0", 0, "there is no page other"},
		{"ours / a", "1.0", 0, `"ours / a" is not ROW / COLUMN behind the name of a table`},
	} {
		page := c.text
		if c.mark != "" {
			page = "<!-- records " + c.mark + " -->\n" + page
		}
		n, wrong := checkFigures(page, true, find)
		switch {
		case n != c.compared:
			t.Errorf("%s: %d compared, want %d", page, n, c.compared)
		case c.wrong == "" && len(wrong) > 0, c.wrong != "" && (len(wrong) == 0 || !strings.Contains(wrong[0], c.wrong)):
			t.Errorf("%s: %q, want %q", page, wrong, c.wrong)
		}
	}
	page := "1.0\n\n<!-- records trial:\nours / a\n-->\n| a | 10.4 |\n\n```\n2.0\n```\n\n    3.0\n\n4.0\n"
	if n, wrong := checkFigures(page, false, find); n != 1 || len(wrong) != 1 || !strings.HasPrefix(wrong[0], "6: 10.4, but") {
		t.Errorf("marked blocks alone: %d, %q", n, wrong)
	}
	if n, wrong := checkFigures(page, true, find); n != 1 || len(wrong) != 3 || !strings.HasPrefix(wrong[2], "14: no mark") {
		t.Errorf("the whole page: %d, %q", n, wrong)
	}
}
