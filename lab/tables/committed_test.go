package tables

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/jsonl"
	"hinge/train/config"
)

// TestCommittedRecords: every record in the repository holds its
// settings in full, and they are those of its digest. (Those of inference are a
// hash, and the text is what was hashed.)
func TestCommittedRecords(t *testing.T) {
	total := 0
	files, err := filepath.Glob(filepath.Join("..", "benchmarks", "*.jsonl"))
	require.NoError(t, err)
	for _, path := range files {
		if filepath.Base(path) == "inference.jsonl" || filepath.Base(path) == "costs.jsonl" || filepath.Base(path) == codesFile || strings.HasSuffix(path, "-quick.jsonl") {
			continue // of a suite, no records, and left over from a trial: not of the repository
		}
		records, err := jsonl.Read[Record](path)
		require.NoError(t, err)
		for i, r := range records {
			hashed := strings.HasPrefix(r.Config, "inference ")
			if r.Config == "" || !hashed && digest(r.Config) != r.Settings && config.IdentityOf(r.Config) != r.Settings {
				t.Errorf("%s: record %d (%s, %s, split %d) lacks the settings of its digest", path, i+1, r.Row, r.Column, r.Split)
			}
		}
		total += len(records)
	}
	assert.GreaterOrEqual(t, total, 2551)
}
