package citation

import (
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
