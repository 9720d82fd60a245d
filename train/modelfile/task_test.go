package modelfile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestName: a run is named after the folder of its model.json, however the path is written, or after another file.
func TestName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "smokers")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "in"), 0o755))
	t.Chdir(dir)
	for path, want := range map[string]string{
		"model.json": "smokers", "./model.yaml": "smokers", "in/model.json": "in", "in/../model.json": "smokers",
		filepath.Join(dir, "model.json"): "smokers", "/model.json": "model", "other.json": "other", "in/v1.2.yaml": "v1.2", "": "",
	} {
		o := &Options{Model: path}
		assert.Equal(t, want, o.Uses(nil).Name, path)
		assert.Equal(t, path, o.Model)
	}
}
