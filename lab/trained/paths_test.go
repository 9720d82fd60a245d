package trained

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/lab/tables"
)

// TestPaths: splits 0, 1 and 2; the small form is another cell.
func TestPaths(t *testing.T) {
	table, err := Paths(tables.Options{})
	require.NoError(t, err)
	quick, err := Paths(tables.Options{Quick: true})
	require.NoError(t, err)
	if c := table.Cells; len(c) != 1 || !slices.Equal(c[0].Splits, []int{0, 1, 2}) {
		t.Errorf("%+v", c)
	}
	if c := quick.Cells; len(c) != 1 || !slices.Equal(c[0].Splits, []int{0}) || c[0].Settings == table.Cells[0].Settings {
		t.Errorf("%+v", c)
	}
}
