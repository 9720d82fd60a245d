//go:build long

package trained

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/lab/tables"
)

// TestShortcutsLong: cells of the quick form give every figure of the table, a mean reads the runs that
// there are, and that of one seed is this seed.
func TestShortcutsLong(t *testing.T) {
	t.Chdir("../..")
	o := tables.Options{Quick: true, Dir: t.TempDir(), Version: "v"}
	table, err := Shortcuts(o)
	require.NoError(t, err)
	find := func(row string) tables.Outcome {
		for _, c := range table.Cells {
			if c.Row == row && c.Column == "MNIST-Half" {
				out, err := c.Run(context.Background(), 0)
				require.NoError(t, err)
				return out
			}
		}
		t.Fatalf("no row %s", row)
		return tables.Outcome{}
	}
	one := find("no label of a digit")
	require.Len(t, one.More, 8)
	require.Equal(t, 3.0, one.More[mapsLeft])
	require.Greater(t, one.More[sums], 30.0)
	require.Equal(t, one, find("no label of a digit, the mean of the seeds"))
}
