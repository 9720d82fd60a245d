package tables_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/lab/tables"
)

// TestResults: the figures that pages and tests get are those of the page.
func TestResults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	out := values(10, 12)
	out[0].More, out[1].More = map[string]float64{"gain": 1}, map[string]float64{"gain": 3}
	cells := []tables.Cell{fixed("ours", "a", out...), fixed("base", "a", values(7, 8)...), fixed("once", "a", values(5)...), fixed("ours", "b", values(6)...), fixed("cut", "a", tables.Outcome{Value: 9, Limited: true}), fixed("empty", "a")}
	for _, c := range cells[:5] {
		run(t, path, c, c.Row[:1], nil)
	}
	cells[0].Paper, cells[0].PaperMore = &tables.Figure{Mean: 9, SD: 1}, map[string]tables.Figure{"gain": {Mean: 4}}
	table := &tables.Table{Number: 9, Title: "trial", Unit: "points", Cells: cells, Paired: []string{"gain"}}
	r, err := tables.Open(table, path)
	require.NoError(t, err)
	if c := r.Columns(); len(c) != 2 || c[0] != "a" || c[1] != "b" {
		t.Errorf("columns %v", c)
	}
	const half = 0.7071067811865476 // of √2
	for name, c := range map[string]struct {
		of   func() (tables.Measured, error)
		want tables.Measured
	}{
		"value":                    {func() (tables.Measured, error) { return r.Value("ours", "a") }, tables.Measured{Mean: 11, Spread: 2 * half, Runs: 2}},
		"one run":                  {func() (tables.Measured, error) { return r.Value("once", "a") }, tables.Measured{Mean: 5, Runs: 1}},
		"further, standard error":  {func() (tables.Measured, error) { return r.More("ours", "a", "gain") }, tables.Measured{Mean: 2, Spread: 1, Runs: 2}},
		"difference":               {func() (tables.Measured, error) { return r.Less("ours", "base", "a") }, tables.Measured{Mean: 3.5, Spread: 0.5, Runs: 2, Apart: true}},
		"ratio":                    {func() (tables.Measured, error) { return r.Times("ours", "base", "a") }, tables.Measured{Mean: 1.4638501094227998, Runs: 2, Apart: true}},
		"to another column":        {func() (tables.Measured, error) { return r.Less("ours", "b", "a") }, tables.Measured{Mean: 4, Runs: 1}},
		"of one program":           {func() (tables.Measured, error) { return r.Less("ours", "ours", "a") }, tables.Measured{Runs: 2}},
		"published":                {func() (tables.Measured, error) { return r.Published("ours", "a", "") }, tables.Measured{Mean: 9, Spread: 1}},
		"published further figure": {func() (tables.Measured, error) { return r.Published("ours", "a", "gain") }, tables.Measured{Mean: 4}},
	} {
		got, err := c.of()
		d := got.Spread - c.want.Spread
		if got.Spread = c.want.Spread; err != nil || got != c.want || d > 1e-12 || d < -1e-12 {
			t.Errorf("%s: %+v (spread %+g), %v", name, got, d, err)
		}
	}
	for name, c := range map[string]struct {
		of   func() (tables.Measured, error)
		want string
	}{
		"no row":          {func() (tables.Measured, error) { return r.Value("theirs", "a") }, `Table 9 has no cell "theirs", "a"`},
		"no base":         {func() (tables.Measured, error) { return r.Less("ours", "theirs", "a") }, `Table 9 has no cell "theirs", "a"`},
		"no record":       {func() (tables.Measured, error) { return r.Value("empty", "a") }, "empty, a: there is no record"},
		"no such further": {func() (tables.Measured, error) { return r.More("ours", "a", "loss") }, "ours, a: there is no record"},
		"a lower bound":   {func() (tables.Measured, error) { return r.Times("cut", "base", "a") }, "cut, a is a lower bound"},
		"not published":   {func() (tables.Measured, error) { return r.Published("base", "a", "") }, "base, a: nothing was published"},
	} {
		if _, err := c.of(); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
