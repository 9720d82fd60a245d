package relational

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/lab/tables"
)

// TestRecordsFit: every cell has the settings that its committed record was measured with.
func TestRecordsFit(t *testing.T) {
	for name, build := range map[string]tables.Builder{"table3": Table3, "table4": Table4, "search": Search} {
		text, err := os.ReadFile(filepath.Join("..", "benchmarks", name+".jsonl"))
		require.NoError(t, err)
		recorded := map[[3]string]bool{}
		for line := range strings.Lines(string(text)) {
			var r struct{ Row, Column, Config string }
			require.NoError(t, json.Unmarshal([]byte(line), &r))
			recorded[[3]string{r.Row, r.Column, r.Config}] = true
		}
		table, err := build(tables.Options{})
		require.NoError(t, err)
		for _, c := range table.Cells {
			assert.Truef(t, recorded[[3]string{c.Row, c.Column, c.Settings}], "%s: no record of %s, %s, %s", name, c.Row, c.Column, c.Settings)
		}
	}
}
