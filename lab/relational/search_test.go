package relational

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/bilevel"
)

// The grids have the published numbers of points, the published choices are points of
// them, and a point's settings are the recipe's where that is the choice.
func TestSearch(t *testing.T) {
	for _, quick := range []bool{false, true} {
		table, err := Search(options("", quick))
		require.NoError(t, err)
		cells := 4*5*2 + 96*3*2
		if quick {
			cells = 4 * 2 * 2
		}
		assert.Equal(t, cells, len(table.Cells))
		for i, c := range table.Choices {
			want := 4
			if bilevel.Losses[i].Bilevel() {
				want = 96
			}
			assert.Len(t, c.Rows, want, c.Title)
			for column, row := range c.Published {
				if !slices.Contains(c.Rows, row) {
					t.Errorf("%s, %s: %q is not in the grid", c.Title, column, row)
				}
			}
		}
	}
	four, err := Table4(options("", false))
	require.NoError(t, err)
	search, _ := Search(options("", false))
	settings := map[string]bool{}
	for _, c := range search.Cells {
		settings[c.Column+c.Settings] = true
	}
	for _, c := range four.Cells {
		if c.Column == "Energy" && c.Row == "Epinions" && !settings[c.Row+c.Settings] {
			t.Errorf("Table 4's %s, %s is not in the search: %s", c.Row, c.Column, c.Settings)
		}
	}
}
