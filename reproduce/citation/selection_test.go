package citation

import (
	"slices"
	"strings"
	"testing"

	"hinge/reproduce/tables"
)

// TestSelection: every cell is of another setting, none looks at a test paper, and the
// settings in use are the first row.
func TestSelection(t *testing.T) {
	for _, quick := range []bool{false, true} {
		table, err := Selection(tables.Options{Quick: quick})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, c := range table.Cells {
			if seen[c.Settings] {
				t.Errorf("%s, %s has the settings of another cell", c.Row, c.Column)
			}
			seen[c.Settings] = true
			if !strings.Contains(c.Settings, "no-test = true") {
				t.Errorf("%s, %s is tested", c.Row, c.Column)
			}
		}
		for i, col := range columns {
			if c := table.Cells[i]; c.Row != "best" || c.Column != col.title {
				t.Errorf("cell %d is %s, %s", i, c.Row, c.Column)
			}
		}
	}
}

// TestSearch: GCN and DeepStochLog are tried with as many settings, each another one, on
// the splits of ours, and no run looks at a test paper.
func TestSearch(t *testing.T) {
	table, err := Search(tables.Options{})
	if err != nil {
		t.Fatal(err)
	}
	seen, count := map[string]bool{}, map[string]int{}
	for _, c := range table.Cells {
		if seen[c.Settings] {
			t.Errorf("%s, %s has the settings of another cell", c.Row, c.Column)
		}
		seen[c.Settings] = true
		if !strings.Contains(c.Settings, "no-test = true") || !slices.Equal(c.Splits, []int{30, 31, 32, 33, 34, 35, 36, 37, 38, 39}) {
			t.Errorf("%s, %s: splits %v, or it is tested", c.Row, c.Column, c.Splits)
		}
		system, _, _ := strings.Cut(c.Row, ":")
		count[system+", "+c.Column]++
	}
	for _, cell := range []string{"GCN, Cora", "GCN, CiteSeer", "DeepStochLog, Cora", "DeepStochLog, CiteSeer"} {
		if count[cell] != 26 {
			t.Errorf("%s: %d settings", cell, count[cell])
		}
	}
}
