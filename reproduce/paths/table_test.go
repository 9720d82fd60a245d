package paths

import (
	"testing"

	"hinge/reproduce/tables"
)

// TestTable: five splits; the small form is another cell.
func TestTable(t *testing.T) {
	table, err := Table(tables.Options{})
	if err != nil {
		t.Fatal(err)
	}
	quick, err := Table(tables.Options{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	if c := table.Cells; len(c) != 1 || len(c[0].Splits) != splits || c[0].Splits[splits-1] != splits-1 {
		t.Errorf("%+v", c)
	}
	if c := quick.Cells; len(c) != 1 || len(c[0].Splits) != 1 || c[0].Settings == table.Cells[0].Settings {
		t.Errorf("%+v", c)
	}
}
