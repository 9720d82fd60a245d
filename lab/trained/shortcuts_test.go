package trained

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/lab/tables"
)

// TestShortcuts: ten seeds of four ways to learn two tasks and of one more to learn EvenOdd, and two means; no two cells have the same settings, and
// the published figures are beside the rows without labels.
func TestShortcuts(t *testing.T) {
	table, err := Shortcuts(tables.Options{})
	require.NoError(t, err)
	require.Len(t, table.Cells, 13)
	seen := map[string]bool{}
	for _, c := range table.Cells {
		want := 10
		if strings.Contains(c.Row, "the mean of the seeds") {
			want = 1
		}
		require.Len(t, c.Splits, want, c.Row)
		require.False(t, seen[c.Settings], "%s, %s", c.Row, c.Column)
		seen[c.Settings] = true
		require.Equal(t, strings.HasPrefix(c.Row, "no label"), c.Paper != nil, "%s, %s", c.Row, c.Column)
	}
	quick, err := Shortcuts(tables.Options{Quick: true})
	require.NoError(t, err)
	require.Len(t, quick.Cells[0].Splits, 1)
	require.False(t, seen[quick.Cells[0].Settings])
}
