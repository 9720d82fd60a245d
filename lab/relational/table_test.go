package relational

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/lab/tables"
)

// options are those of a table in a test.
func options(root string, quick bool) tables.Options {
	return tables.Options{Data: root, Quick: quick, Note: func(string) {}}
}

// Both tables have the paper's rows that can be had, with its figures, and no two
// cells have the same settings.
func TestTables(t *testing.T) {
	for _, test := range []struct {
		build              tables.Builder
		number, quick, all int
	}{{Table4, 4, 12, 36}, {Table3, 3, 18, 42}} {
		for _, quick := range []bool{false, true} {
			table, err := test.build(options("", quick))
			require.NoError(t, err)
			want := test.all
			if quick {
				want = test.quick
			}
			if table.Number != test.number || len(table.Cells) != want {
				t.Errorf("table %d: %d cells", table.Number, len(table.Cells))
			}
			seen := map[string]bool{}
			for _, c := range table.Cells {
				if seen[c.Row+c.Settings] {
					t.Errorf("table %d: %s, %s has the settings of another cell", table.Number, c.Row, c.Column)
				}
				seen[c.Row+c.Settings] = true
				splits := 5
				if quick || c.Row == "DDI" || test.number == 3 && c.Row == "Yelp" {
					splits = 1
				}
				if len(c.Splits) != splits || c.Run == nil {
					t.Errorf("table %d: %s, %s has the splits %v", table.Number, c.Row, c.Column, c.Splits)
				}
			}
		}
	}
	four, _ := Table4(options("", false))
	three, _ := Table3(options("", false))
	for _, want := range []struct {
		table       *tables.Table
		row, column string
		figure      tables.Figure
	}{
		{four, "Cora", "Energy", tables.Figure{Mean: 54.30, SD: 1.74}}, {four, "CiteSeer", "BCE", tables.Figure{Mean: 71.94, SD: 1.17}},
		{four, "Cora+phantom", "SP", tables.Figure{Mean: 74.16, SD: 2.32}},
		{four, "Epinions", "MSE", tables.Figure{Mean: 81.18, SD: 2.21}}, {four, "DDI", "SP", tables.Figure{Mean: 94.61}},
		{three, "Cora", "SP, ADMM", tables.Figure{Mean: 183, SD: 26}}, {three, "DDI", "MSE, lock-free D-BCD", tables.Figure{Mean: 52.78, SD: 4.23}},
		{three, "Epinions", "SP, lock-free D-BCD", tables.Figure{Mean: 1.33, SD: 0.06}}, {three, "CiteSeer", "MSE, ADMM", tables.Figure{Mean: 225, SD: 32}},
	} {
		found := false
		for _, c := range want.table.Cells {
			if c.Row == want.row && c.Column == want.column {
				found = c.Paper != nil && *c.Paper == want.figure
			}
		}
		if !found {
			t.Errorf("%s, %s of table %d has not the figure %v", want.row, want.column, want.table.Number, want.figure)
		}
	}
	for _, c := range three.Cells {
		if strings.Contains(c.Column, "exact") && c.Paper != nil {
			t.Errorf("%s has a figure of the paper", c.Column)
		}
	}
}

// The small forms run, write their figures and are not run again.
func TestRunTables(t *testing.T) {
	root := camps(t)
	for _, build := range []tables.Builder{Table4, Table3} {
		whole, err := build(options(root, true))
		require.NoError(t, err)
		page, err := tables.Select([]*tables.Table{whole}, []string{"Epinions"}, nil, nil)
		require.NoError(t, err)
		table := page[0]
		made, found := 0, 0
		r := tables.Runner{Records: filepath.Join(t.TempDir(), "t.jsonl"), Version: "v", Machine: "m",
			Progress: func(_, _ int, rec tables.Record, old bool, err error) {
				require.NoError(t, err)
				if old {
					found++
					return
				}
				made++
				if table.Number == 4 && (!(rec.Value > 70 && rec.Value <= 100) || rec.More["Epochs"] == 0) ||
					table.Number == 3 && (!(rec.Value > 0 && rec.Value <= rec.WallS)) || rec.More["Inferences that missed their tolerance"] != 0 {
					t.Errorf("%s, %s: %+v", rec.Row, rec.Column, rec.Outcome)
				}
			}}
		for range 2 {
			require.NoError(t, r.Run(context.Background(), table))
		}
		if made != len(table.Cells) || found != made {
			t.Errorf("table %d: %d runs made and %d found of %d cells", table.Number, made, found, len(table.Cells))
		}
		var text strings.Builder
		assert.NoError(t, tables.Report(&text, page, r.Records, "bench"), "report")
		for _, c := range table.Cells {
			assert.Containsf(t, text.String(), c.Column, "the report of table %d", table.Number)
		}
	}
}

// Missing data are told by the run, not by the table; a context that has ended
// ends it.
func TestRunTablesErrors(t *testing.T) {
	for _, build := range []tables.Builder{Table4, Table3} {
		table, err := build(options(t.TempDir(), true))
		require.NoError(t, err)
		at := slices.IndexFunc(table.Cells, func(c tables.Cell) bool { return c.Row == "Epinions" })
		if _, err := table.Cells[at].Run(context.Background(), 0); err == nil || !strings.Contains(err.Error(), "knows.txt") {
			t.Errorf("table %d without data: %v", table.Number, err)
		}
		table, err = build(options(camps(t), true))
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := table.Cells[at].Run(ctx, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("table %d, cancelled: %v", table.Number, err)
		}
	}
}

func TestCapital(t *testing.T) {
	for in, want := range map[string]string{"": "", "accuracy on papers": "Accuracy on papers", "AUROC": "AUROC", "ε": "ε"} {
		assert.Equalf(t, want, capital(in), "%q becomes", in)
	}
}
