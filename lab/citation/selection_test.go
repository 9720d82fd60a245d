package citation

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/jsonl"
	"hinge/lab/tables"
)

// TestSelection: every cell is of another setting, none looks at a test paper, and the
// settings in use are the first row.
func TestSelection(t *testing.T) {
	for _, quick := range []bool{false, true} {
		table, err := Selection(tables.Options{Quick: quick})
		require.NoError(t, err)
		seen := map[string]bool{}
		for _, c := range table.Cells {
			if seen[c.Settings] {
				t.Errorf("%s, %s has the settings of another cell", c.Row, c.Column)
			}
			seen[c.Settings] = true
			assert.Containsf(t, c.Settings, "no-test = true", "%s, %s is tested", c.Row, c.Column)
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
	require.NoError(t, err)
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
		assert.Equalf(t, 26, count[cell], "%s", cell)
	}
}

// chosenOn is how many of the splits the choice was made on; settings without runs on all
// of these took no part.
const chosenOn = 5

// TestChosen: the systems are judged with the settings that are best in the committed
// records of the search.
func TestChosen(t *testing.T) {
	records, err := jsonl.Read[tables.Record](filepath.Join("..", "benchmarks", "table5-selection.jsonl"))
	require.NoError(t, err)
	table, err := Search(tables.Options{})
	require.NoError(t, err)
	values := map[string]map[int]float64{}
	for _, r := range records {
		if cell := r.Row + ", " + r.Column; r.Table == table.Label() {
			if values[cell] == nil {
				values[cell] = map[int]float64{}
			}
			values[cell][r.Split] = r.Value
		}
	}
	for _, s := range searched {
		for _, col := range columns {
			best, most, tried := "", 0.0, 0
			for _, c := range s.changes {
				sum, n := 0.0, 0
				for _, split := range judgedSplits(chosenFrom, false)[:chosenOn] {
					if v, ok := values[s.title+": "+c.title+", "+col.title][split]; ok {
						sum, n = sum+v, n+1
					}
				}
				if n < chosenOn {
					continue
				}
				if tried++; sum > most+1e-9 {
					best, most = c.title, sum
				}
			}
			if got := chosen[s.system][col.task].title; got != best || tried < 8 {
				t.Errorf("%s, %s: %q is judged, %q is the best of %d settings", s.title, col.title, got, best, tried)
			}
		}
	}
}
