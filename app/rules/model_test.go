package rules

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/ground"
	"hinge/symbolic/model"
	"hinge/train/exit"
)

// TestNamesOfSources: names with tabs and line ends, which a folder of facts cannot have, are in the written model what
// they were, and take no more fields of a table.
func TestNamesOfSources(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "model.json"), filepath.Join(dir, "run")
	rows := [][]string{{"who", "where"}}
	for i := range 60 {
		rows = append(rows, []string{fmt.Sprintf("%s%d", []string{"a", "a\tb", "a\r\nb", "\"a"}[i%4], i), fmt.Sprintf("b\t%d", i%4)})
	}
	var text strings.Builder
	require.NoError(t, csv.NewWriter(&text).WriteAll(rows))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "rows.csv"), []byte(text.String()), 0o644))
	source := `/2": {"observations": [{"csv": "rows.csv"}]}`
	require.NoError(t, os.WriteFile(path, []byte(`{"predicates": {"Lives`+source+`, "Works`+source+`}}`), 0o644))
	code, _, stderr := command(t, "-data", path, "-out", out, "-rounds", "1", "-adds", "2")
	require.Equal(t, exit.OK, code, stderr)
	m, err := model.Load(filepath.Join(out, "model.json"), model.LoadOptions{})
	require.NoError(t, err)
	l, err := read(path)
	require.NoError(t, err)
	for relation, name := range l.names.Relations {
		var want, got [][]string
		for _, f := range byRelation(l.train, 2)[relation] {
			want = append(want, []string{l.names.Entities[f.Head], l.names.Entities[f.Tail]})
		}
		for a := range m.Data.Atoms(name) {
			got = append(got, slices.Clone(a.Args))
		}
		assert.Equal(t, want, got)
	}
	pairs := 0
	for a := range m.Data.Atoms("Found") {
		pairs++
		assert.Subset(t, l.names.Entities, a.Args[1:])
	}
	assert.Greater(t, pairs, 10)
	program, err := ground.Ground(t.Context(), m.Rules, m.Data, m.GroundOptions())
	require.NoError(t, err)
	assert.Positive(t, program.Constraints.Len(), "rules with names hold")
	for _, table := range []string{"rules.tsv", "adds.tsv"} {
		lines := strings.Split(strings.TrimSuffix(file(t, out, table), "\n"), "\n")
		for _, line := range lines {
			assert.Equal(t, strings.Count(lines[0], "\t"), strings.Count(line, "\t"), "%q", line)
		}
	}
}
